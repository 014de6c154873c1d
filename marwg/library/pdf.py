"""PDFs to papers with pages, read in a process of its own; what cannot be read says why."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from marwg.errors import UnreadableFile
from marwg.library.front_matter import abstract_of, authors_of, title_of
from marwg.library.identity import find_arxiv_id, normal_doi, paper_id
from marwg.library.layout import Line, PageLines, body, clean, read_order, rotated_text, text_of, vocabulary
from marwg.library.report import Parsed, Remark
from marwg.types import Page, Paper

SECONDS = 120.0
_FEW_LETTERS = 100
_COMMON = frozenset(
    "the of and to in a is for with on as that by we are from this be der die und das ist von mit für de la et les des en que el los y"
    " del un una il di e che per o da os do em para".split()
)
_SCAN_HINT = "Make its text readable first, for example with `ocrmypdf in.pdf out.pdf`."


def read_pdf(path: Path, seconds: float = SECONDS) -> Parsed:
    """The paper of a PDF and its pages; raises UnreadableFile where there is no usable text."""
    content = _content(path, seconds)
    pages = [
        PageLines(p["number"], p["width"], p["height"], tuple(Line(*line) for line in p["lines"]))
        for p in content["pages"]
    ]
    _refuse_unreadable(path, pages)
    ordered = read_order(pages)
    words = vocabulary(ordered)
    paper, remarks = _front(path, pages, ordered, words, content["metadata"])
    texts = [(number, text_of(lines, words)) for number, lines in body(ordered)]
    kept = tuple(Page(paper_id=paper.paper_id, number=number, text=text) for number, text in texts if text)
    if content["count"] > len(pages):
        remarks.append(f"only the first {len(pages)} of {content['count']} pages were read")
    incomplete = (Remark(source=path.name, reason="; ".join(remarks)),) if remarks else ()
    return Parsed(papers=(paper,), places=("",), pages=kept, incomplete=incomplete)


def _content(path: Path, seconds: float) -> dict[str, Any]:
    """What the reading process found; it is stopped after `seconds`."""
    root = str(Path(__file__).resolve().parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p),
    }
    command = [sys.executable, "-m", "marwg.library.pdf_reader", str(path.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, env=environment, check=False)
    except subprocess.TimeoutExpired as error:
        hint = "Leave this file out, or print it to a new PDF."
        raise UnreadableFile(f"{path.name} took longer than {seconds:.0f} seconds to read.", hint) from error
    try:
        content: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise UnreadableFile(
            f"{path.name} is a damaged PDF: reading it failed.", "Open it and print it to a new PDF."
        ) from error
    if content.get("error") == "encrypted":
        raise UnreadableFile(f"{path.name} is encrypted and asks for a password.", "Save a copy without the password.")
    if "error" in content:
        raise UnreadableFile(f"{path.name} is no PDF, or a damaged one.", "Open it and print it to a new PDF.")
    return content


def _refuse_unreadable(path: Path, pages: list[PageLines]) -> None:
    text = " ".join(line.text for page in pages for line in page.lines)
    letters = sum(c.isalpha() for c in text)
    if letters < _FEW_LETTERS:
        raise UnreadableFile(f"{path.name} has no text, only images (a scan?).", _SCAN_HINT)
    if _is_garbled(text, letters):
        raise UnreadableFile(
            f"The text of {path.name} is garbled: its fonts do not say which letters they draw.", _SCAN_HINT
        )


def _is_garbled(text: str, letters: int) -> bool:
    odd = sum(c == "\ufffd" or 0xE000 <= ord(c) < 0xF900 or (ord(c) < 32 and c not in "\t\x02") for c in text)
    if odd > 0.2 * letters:
        return True
    words = re.findall(r"[^\W\d_]+", text.casefold())
    latin = sum("a" <= c <= "z" for c in text.casefold())
    # Letters moved by a font give words that no language has: none of its small words is among them.
    return latin > 0.8 * letters and len(words) > 150 and sum(word in _COMMON for word in words) < 0.02 * len(words)


def _front(
    path: Path,
    pages: list[PageLines],
    ordered: list[tuple[int, list[Line]]],
    words: Counter[str],
    metadata: dict[str, str],
) -> tuple[Paper, list[str]]:
    """The bibliographic facts that page one states, and what is missing."""
    first = ordered[0][1] if ordered else []
    title = title_of(first, metadata)
    remarks = [] if title else ["no title found, the name of the file stands for it"]
    authors = authors_of(first, title, metadata) if title else ()
    abstract = abstract_of(first, words)
    remarks += [f"no {name} found" for name, value in (("authors", authors), ("abstract", abstract)) if not value]
    text = " ".join(clean(line.text) for line in pages[0].lines)
    edge = rotated_text(pages[0])
    paper = Paper(
        paper_id="",
        key="",
        title=title or " ".join(re.split(r"[_\s]+", path.stem)),
        authors=authors,
        doi=_own_doi(text, metadata),
        arxiv_id=find_arxiv_id(edge) if "arxiv" in edge.casefold() else "",
        abstract=abstract,
    )
    return paper.model_copy(update={"paper_id": paper_id(paper)}), remarks


def _own_doi(first_page: str, metadata: dict[str, str]) -> str:
    """The DOI that a page one names for the paper itself: the only one there, after "doi" or a resolver."""
    told = normal_doi(metadata.get("doi", "") or metadata.get("Subject", ""))
    stated = re.findall(r"(?:doi(?:\.org)?[:/\s]+)(10\.\d{4,9}/[^\s,;\])]+)", first_page, re.IGNORECASE)
    found = list(dict.fromkeys(normal_doi(doi) for doi in stated))
    return told or (found[0] if len(found) == 1 else "")
