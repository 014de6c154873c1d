"""DOIs, arXiv ids and addresses in plain text: what stands for a paper that is still to be fetched."""

import re
from typing import Literal

from marwg.library.identity import find_arxiv_id, normal_doi
from marwg.types import Frozen

_TOKEN = re.compile(r"[^\s<>\"|\[\]]+")
_ARXIV = re.compile(r"(?:arxiv:\s*)?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z]{2})?/\d{7})(?:v\d+)?)", re.IGNORECASE)
_LOST_SPACE = re.compile(r"\b(arxiv|doi)\s*:\s+", re.IGNORECASE)


class Identifier(Frozen):
    """What names a paper, and where it stood."""

    kind: Literal["doi", "arxiv", "url", "zotero"]
    value: str
    where: str = ""

    def __str__(self) -> str:
        names = {"doi": f"DOI {self.value}", "arxiv": f"arXiv {self.value}", "zotero": f"Zotero {self.value}".rstrip()}
        return names.get(self.kind, self.value)


def identifier(text: str, where: str = "") -> Identifier | None:
    """The DOI, arXiv id, address or Zotero library ("zotero:", "zotero:COLLECTION") that `text` is; None if it is none."""
    text = text.strip().strip(",;").lstrip("(").rstrip(".)")
    if not text:
        return None
    if zotero := re.fullmatch(r"zotero:(\w*)", text, re.IGNORECASE):
        return Identifier(kind="zotero", value=zotero.group(1).upper(), where=where)
    if arxiv_id := _arxiv(text):
        return Identifier(kind="arxiv", value=arxiv_id, where=where)
    if re.match(r"(?:10\.|doi:|https?://)", text, re.IGNORECASE) and (doi := normal_doi(text)):
        return Identifier(kind="doi", value=doi, where=where)
    if re.match(r"https?://[^/\s]+\.\w+", text):
        return Identifier(kind="url", value=text, where=where)
    return None


def identifiers_in(text: str) -> list[Identifier]:
    """All that a text names, each once, in its order, with the line."""
    found: dict[tuple[str, str], Identifier] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for token in _TOKEN.findall(_LOST_SPACE.sub(r"\1:", line)):
            one = identifier(token, f"line {number}")
            if one is not None:
                found.setdefault((one.kind, one.value), one)
    return list(found.values())


def _arxiv(text: str) -> str:
    lowered = text.casefold()
    if "arxiv.org/" in lowered or "10.48550/" in lowered:
        return find_arxiv_id(text.replace("10.48550/arXiv.", "arxiv:").replace("10.48550/arxiv.", "arxiv:"))
    whole = _ARXIV.fullmatch(text)
    return find_arxiv_id(whole.group(1)) if whole else ""
