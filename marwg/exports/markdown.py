"""A draft as Pandoc Markdown: headings, plain paragraphs, `[@key]` citations."""

import re
from collections.abc import Iterable

from marwg.text.markup import MARKER, citations_of
from marwg.text.references import authors_in_text
from marwg.types import Draft, Paper

_PLAIN_KEY = re.compile(r"[\w](?:[\w]|[:.#$%&\-+?<>~/](?=\w))*\Z")


def pandoc_markdown(draft: Draft, papers: Iterable[Paper], once: bool = False) -> str:
    """The draft under one heading; `pandoc --citeproc --bibliography references.bib` makes anything of it.

    With `once`, a citation right behind the names of its authors does not set them again (`[-@key]`).
    """
    by_id = {p.paper_id: p for p in papers}
    keys = {i: p.key for i, p in by_id.items()}

    def cite(match: re.Match[str]) -> str:
        ids = citations_of(match.group())
        before = match.string[: match.start()].rstrip()
        named = once and len(ids) == 1 and ids[0] in by_id and before.endswith(authors_in_text(by_id[ids[0]]))
        return f"[{'-' if named else ''}{'; '.join('@' + _key(keys.get(i, i)) for i in ids)}]"

    blocks = ["# Related Work"]
    for section in draft.sections:
        if section.title and draft.headings:
            blocks.append(f"## {_escaped(section.title)}")
        for paragraph in section.paragraphs:
            text = " ".join(s.text for s in paragraph)
            pieces, end = [], 0
            for match in MARKER.finditer(text):
                pieces += [_escaped(text[end : match.start()]), cite(match)]
                end = match.end()
            blocks.append("".join([*pieces, _escaped(text[end:])]))
    return "\n\n".join(blocks) + "\n"


def _key(key: str) -> str:
    return key if _PLAIN_KEY.match(key) else "{" + key + "}"


def _escaped(text: str) -> str:
    """Plain text that Pandoc reads as plain text."""
    text = re.sub(r"([\\`*_\[\]<>$~^@|])", r"\\\1", text)
    return re.sub(r"^(#|\d+[.)]|[-+] )", r"\\\1", text)
