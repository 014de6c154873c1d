"""Check what I wrote: whether a turn brings a text to be checked, and the run that checks it."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from marwg.checking import REFERENCE_ENDINGS, TEXT_ENDINGS, OwnWork, own_work, text_of
from marwg.conversation import reading
from marwg.errors import InputError, UnreadableFile
from marwg.events import Report
from marwg.services import Services
from marwg.types import Focal, Paper, Parameters, Request, Run
from marwg.verification.ledger import summary
from marwg.verification.ledger_answers import reviewed

HOW = (
    "Paste the section with its citations, or upload it as `.tex`, `.md`, `.docx` or `.txt`, together with its `.bib` and "
    'the PDFs that it cites, and say "check this". I change nothing in it.'
)
OWN = "This is your own text: I check it and change nothing by myself. Edit a sentence in the ledger, or send it again."

_WANTS = re.compile(r"\b(?:re-?|fact-?|proof-?)?(?:check|verif|read|audit|review)\w*\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^[^\n]{0,160}?\b(?:re-?|fact-?|proof-?)?(?:check|verif\w*|audit|proof-?read)\b[^\n]{0,100}?(?::\s*\n?|\n+)",
    re.IGNORECASE,
)
_BIBTEX = re.compile(r"^\s*@\s*[A-Za-z]+\s*[{(]", re.MULTILINE)
_CITATION = re.compile(
    r"\\[A-Za-z]*cite[A-Za-z]*\*?\s*(?:\[[^\]]*\]\s*)*\{|\[[^\[\]]*@\w[^\[\]]*\]|[(\[][^()\[\]]{2,60}?,? (?:19|20)\d\d[a-z]?[)\];,]"
    r"|\bet al\.?,? \(?(?:19|20)\d\d|\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]"
)
_SHORTEST = 40
"""Words from which on a message with citations is a section and no wish."""


@dataclass(frozen=True)
class Brought:
    """A text that a turn brings to be checked, and what came with it."""

    text: str
    ending: str
    files: tuple[Path, ...] = ()
    bib: str = ""
    focal: Focal | None = None
    name: str = "your text"


def brought(message: str, files: Sequence[Path]) -> Brought | None:
    """The text that a turn brings to be checked: a file with the wish, a file that is no whole paper, or a pasted section."""
    texts = [f for f in files if f.suffix.lower() in TEXT_ENDINGS]
    others = tuple(f for f in files if f not in texts)
    if texts:
        path = texts[0]
        focal = _focal(path)
        wished = bool(message.strip()) and len(message) < 400 and bool(_WANTS.search(message))
        if not wished and (message.strip() or focal):
            return None
        text = text_of(path)
        cites = len(_CITATION.findall(text))
        if not wished and not cites and not any(f.suffix.lower() in REFERENCE_ENDINGS for f in others):
            return None
        return of_file(path, text, others)
    lead = _LEAD.match(message)
    text = message[lead.end() :] if lead else message
    entries = _BIBTEX.search(text)
    bib = text[entries.start() :] if entries else ""
    text = (text[: entries.start()] if entries else text).strip()
    cites = len(_CITATION.findall(text))
    long = len(text.split()) >= _SHORTEST
    if cites and len(text.split()) >= 3 and (lead or (long and cites >= 2 and not _is_paper(text))):
        return Brought(text, ".txt", others, bib)
    return None


def of_file(path: Path, text: str, files: Sequence[Path] = ()) -> Brought:
    """The text of a file with what belongs to it."""
    ending = ".md" if path.suffix.lower() == ".docx" else path.suffix.lower()
    return Brought(text, ending, tuple(files), focal=_focal(path), name=path.name)


def _is_paper(text: str) -> bool:
    """Whether a pasted text gives a title and an abstract, which rarely cites."""
    return bool(re.search(r"\\begin\{abstract\}|^\W*abstract\W*[:.\n]", text, re.IGNORECASE | re.MULTILINE))


def _focal(path: Path) -> Focal | None:
    """Title and abstract of a whole paper; nothing where the file is a section alone."""
    if path.suffix.lower() not in reading.DRAFT_ENDINGS:
        return None
    try:
        focal = reading.focal_in_file(path)
    except UnreadableFile:
        return None
    if path.suffix.lower() != ".tex" and len(_CITATION.findall(focal.abstract)) >= 2:
        return None  # a Markdown section begins with a heading and a paragraph too
    return focal


async def begin(
    services: Services, thread_id: str, own: Brought, parameters: Parameters, focal: Focal | None, report: Report
) -> tuple[Run, OwnWork]:
    """A run in the store whose draft is the user's text; InputError where there is nothing to check in it."""
    if not len(services.library) and not own.files and not own.bib:
        raise InputError("There are no papers to check against.", "Send the .bib file with the text.")
    work = await own_work(own.text, own.ending, own.files, services.library, services.index, report, own.bib)
    about = own.focal or focal or Focal(title=own.name, abstract="")
    run = await asyncio.to_thread(services.runs.start, thread_id, Request(focal=about, parameters=parameters))
    made = {
        "candidates": work.candidates,
        "cards": (),
        "outline": work.outline,
        "outline_approved": True,
        "draft": work.draft,
        "review": work.review,
    }
    run = run.model_copy(update=made)
    services.runs.save(run)
    return run, work


def told(run: Run, papers: Sequence[Paper]) -> str:
    """What the check found, as Markdown: counts, then what the text misses."""
    if run.ledger is None:
        return ""
    known = {p.paper_id: p for p in papers}
    parts = [f"**Your text, checked.** {summary(run.ledger)}", run.ledger.note, reviewed(run.review, run.ledger, known)]
    return "\n\n".join(p for p in parts if p)
