"""A draft as Pandoc Markdown: headings, plain paragraphs, `[@key]` citations."""

import re
from collections.abc import Iterable

from marwg.markup import MARKER, citations_of
from marwg.types import Draft, Paper

_PLAIN_KEY = re.compile(r"[\w](?:[\w]|[:.#$%&\-+?<>~/](?=\w))*\Z")


def pandoc_markdown(draft: Draft, papers: Iterable[Paper]) -> str:
    """The draft under one heading; `pandoc --citeproc --bibliography references.bib` makes anything of it."""
    keys = {p.paper_id: p.key for p in papers}

    def cite(match: re.Match[str]) -> str:
        return f"[{'; '.join('@' + _key(keys.get(i, i)) for i in citations_of(match.group()))}]"

    blocks = ["# Related Work"]
    for section in draft.sections:
        if section.title:
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
