"""A draft as LaTeX: one section with subsections and citations, to be put into the paper beside `references.bib`."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from marwg.library.identity import usable_key
from marwg.text.markup import MARKER, citations_of
from marwg.text.references import authors_in_text
from marwg.types import Draft, Paper

Package = Literal["cite", "natbib", "biblatex"]
"""The citation package that the text is written for; "cite" compiles with any of them."""

_COMMANDS: dict[Package, tuple[str, str]] = {
    "cite": (r"\cite", ""),
    "natbib": (r"\citep", r"\citet"),
    "biblatex": (r"\parencite", r"\textcite"),
}
"""The command for a citation in brackets, and for one whose authors are part of the sentence."""


def latex(draft: Draft, papers: Iterable[Paper], package: Package = "cite") -> str:
    """The draft as a `\\section`; with natbib and biblatex, authors that the text names come from the bibliography."""
    heading = "\\section{Related Work}\n\\label{sec:related-work}"
    return f"{heading}\n\n{latex_body(draft, papers, package)}"


def latex_body(draft: Draft, papers: Iterable[Paper], package: Package = "cite") -> str:
    """The draft as LaTeX without the heading of the whole."""
    style = _Style({p.paper_id: p for p in papers}, package)
    blocks = []
    for section in draft.sections:
        if section.title and draft.headings:
            blocks.append(f"\\subsection{{{encoded(section.title)}}}")
        for paragraph in section.paragraphs:
            blocks.append(_cited(" ".join(s.text for s in paragraph), style))
    return "\n\n".join(blocks) + "\n"


@dataclass(frozen=True)
class _Style:
    papers: dict[str, Paper]
    package: Package

    def keys(self, ids: Iterable[str]) -> str:
        return ",".join(usable_key(self.papers[i].key) if i in self.papers else i for i in ids)

    def authors_at_end(self, text: str, ids: tuple[str, ...]) -> str:
        """The authors of a single citation where the text ends with them and the command would set them."""
        if not _COMMANDS[self.package][1] or len(ids) != 1 or ids[0] not in self.papers:
            return ""
        paper = self.papers[ids[0]]
        authors = authors_in_text(paper)
        return authors if paper.authors and text.rstrip().endswith(authors) else ""


def _cited(text: str, style: _Style) -> str:
    bracketed, in_text = _COMMANDS[style.package]
    pieces, end = [], 0
    for match in MARKER.finditer(text):
        before, ids = text[end : match.start()], citations_of(match.group())
        authors = style.authors_at_end(before, ids)
        if authors:
            before = before.rstrip().removesuffix(authors)
            pieces.append(encoded(before) + f"{in_text}{{{style.keys(ids)}}}")
        else:
            # A tie keeps the citation on the line of the word that it belongs to.
            pieces.append(re.sub(r"\s+\Z", "~", encoded(before)) + f"{bracketed}{{{style.keys(ids)}}}")
        end = match.end()
    return "".join([*pieces, encoded(text[end:])])


_RELATED = re.compile(
    r"\\section\*?\s*(?:\[[^\]]*\])?\s*\{\s*(?:Related\s+(?:Work|Works|Literature|Research)|(?:Previous|Prior)\s+Work|Literature\s+Review"
    r"|Background\s+and\s+Related\s+Work)[^{}]*\}(?:\s*\\label\{[^{}]*\})?",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\\section\b|\\appendix\b|\\bibliography\b|\\printbibliography\b|\\begin\{(?:thebibliography|acks|acknowledg\w*)\}|\\end\{document\}"
)
_BEFORE = re.compile(
    r"\\section\*?\s*(?:\[[^\]]*\])?\s*\{\s*(?:Conclu|Discussion|Limitations|Acknowledg)", re.IGNORECASE
)


def package_of(source: str) -> Package:
    """The citation package that a LaTeX file loads."""
    loaded = re.sub(r"(?<!\\)%.*", "", source)
    if re.search(r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{[^}]*\bbiblatex\b", loaded):
        return "biblatex"
    natbib = r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{[^}]*\bnatbib\b|\\cite[pt]\b"
    return "natbib" if re.search(natbib, loaded) else "cite"


def put_into(source: str, draft: Draft, papers: Iterable[Paper]) -> str:
    """A paper's LaTeX with the draft as the text of its related-work section, in the citation commands that it uses.

    The heading and its label stay the author's. Where the paper has no such section, one is put before the conclusion,
    or at the end of the text; nothing else is touched.
    """
    papers, package = list(papers), package_of(source)
    text = _blanked(source)
    if found := _RELATED.search(text):
        after = _NEXT.search(text, found.end())
        end = after.start() if after else len(source)
        return f"{source[: found.end()]}\n\n{latex_body(draft, papers, package)}\n{source[end:]}"
    place = _BEFORE.search(text) or _last_end(text)
    start = place.start() if place else len(source)
    return f"{source[:start]}{latex(draft, papers, package)}\n{source[start:]}"


def _blanked(source: str) -> str:
    """The text with comments as spaces, so that places in it are places in the source."""
    return re.sub(r"(?<!\\)%.*", lambda m: " " * len(m.group()), source)


def _last_end(text: str) -> re.Match[str] | None:
    begun = text.find("\\begin{document}")
    found = re.compile(
        r"\\appendix\b|\\bibliography(?:style)?\b|\\printbibliography\b|\\begin\{thebibliography\}|\\end\{document\}"
    )
    return found.search(text, max(begun, 0))


def encoded(text: str) -> str:
    """Plain text as LaTeX that sets the same characters: specials escaped, symbols and Greek as commands."""
    coded = _encoder()(_curled(text))
    for command, typed in _TYPED.items():
        coded = coded.replace(command, typed)
    return settable(coded)


_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".", "\u0308": '"',
    "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0328": "k", "\u0331": "b",
}  # fmt: skip


@cache
def _encoder() -> Callable[[str], str]:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False)
    return lambda text: str(encoder.unicode_to_latex(text))


def settable(text: str) -> str:
    """LaTeX with what its UTF-8 input does not know as commands: symbols, Greek, letters of two accents.

    Letters of other scripts stay; they need XeLaTeX or LuaLaTeX.
    """
    return "".join(_command(c) if ord(c) > 0x17F else c for c in text)


def _command(char: str) -> str:
    parts = unicodedata.normalize("NFD", char)
    base, marks = parts[0], parts[1:]
    if not marks or not base.isascii() or any(m not in _ACCENTS for m in marks):
        coded = _encoder()(char)
        return f"{{{coded}}}" if coded.isascii() else char
    coded = base
    for mark in marks:
        coded = f"\\{_ACCENTS[mark]}{{{coded}}}"
    return f"{{{coded}}}"


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
