"""A draft as LaTeX: one section with subsections and `\\cite`, to be put into the paper beside `references.bib`."""

import re
from collections.abc import Iterable

from marwg.markup import MARKER, citations_of
from marwg.types import Draft, Paper


def latex(draft: Draft, papers: Iterable[Paper]) -> str:
    """The draft as a `\\section`; it compiles with pdflatex and any citation package that knows `\\cite`."""
    keys = {p.paper_id: p.key for p in papers}
    blocks = ["\\section{Related Work}\n\\label{sec:related-work}"]
    for section in draft.sections:
        if section.title:
            blocks.append(f"\\subsection{{{encoded(section.title)}}}")
        for paragraph in section.paragraphs:
            blocks.append(_cited(" ".join(s.text for s in paragraph), keys))
    return "\n\n".join(blocks) + "\n"


def _cited(text: str, keys: dict[str, str]) -> str:
    pieces, end = [], 0
    for match in MARKER.finditer(text):
        before = encoded(text[end : match.start()])
        # A tie keeps the citation on the line of the word that it belongs to.
        pieces.append(re.sub(r"\s+\Z", "~", before))
        pieces.append(f"\\cite{{{','.join(keys.get(i, i) for i in citations_of(match.group()))}}}")
        end = match.end()
    return "".join([*pieces, encoded(text[end:])])


def encoded(text: str) -> str:
    """Plain text as LaTeX that sets the same characters: specials escaped, symbols and Greek as commands."""
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False)
    coded = str(encoder.unicode_to_latex(_curled(text)))
    for command, typed in _TYPED.items():
        coded = coded.replace(command, typed)
    return coded


_TYPED = {
    r"{\textquotedblleft}": "``",
    r"{\textquotedblright}": "''",
    r"{\textquoteleft}": "`",
    r"{\textquoteright}": "'",
    r"{\textendash}": "--",
    r"{\textemdash}": "---",
    r"{\textellipsis}": r"\dots{}",
}
"""What people type where the encoder writes a command."""


def _curled(text: str) -> str:
    """Straight double quotes as opening and closing ones; LaTeX would set all of them closing."""
    return re.sub(r'(^|[\s(\[])"', r"\1“", text).replace('"', "”")
