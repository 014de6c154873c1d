"""Files and folders into the library and its index, with a report of what became of each."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from marwg.errors import LibraryError, UnreadableFile
from marwg.events import Progress, Report
from marwg.library.bibtex import decode_bytes, read_bibtex
from marwg.library.pdf import read_pdf
from marwg.library.report import ImportReport, Parsed, Remark
from marwg.library.store import Library
from marwg.types import PaperId, Stage

MAX_BYTES = 200 * 1024**2


class TakesPapers(Protocol):
    """What an import needs of the index."""

    async def add(self, paper_ids: Sequence[PaperId], report: Report | None = None) -> None:
        """Embeds papers."""


def read_bib_file(path: Path) -> Parsed:
    """The entries of a .bib file in whatever encoding."""
    text = decode_bytes(path.read_bytes())
    parsed = read_bibtex(text, path.name)
    if not parsed.papers and not parsed.refused:
        raise UnreadableFile(f"{path.name} has no BibTeX entries.", "Export it again as BibTeX.")
    return parsed


READERS: dict[str, Callable[[Path], Parsed]] = {".bib": read_bib_file, ".bibtex": read_bib_file, ".pdf": read_pdf}
"""How a file is read, by how its name ends."""

_HOLDS_PAPERS = frozenset(
    ".ris .enw .nbib .json .xml .txt .tex .md .doc .docx .odt .epub .djvu .ps .html .htm .zip .biblatex .csv .rdf".split()
)


async def import_files(
    paths: Iterable[Path | str], library: Library, index: TakesPapers | None = None, report: Report | None = None
) -> ImportReport:
    """Reads files and folders into the library and embeds what is new; one bad file or entry never costs the others."""
    files = list(_files(Path(path) for path in paths))
    total = ImportReport()
    for done, path in enumerate(files):
        if report is not None:
            report(Progress(stage=Stage.CANDIDATES, done=done, total=len(files), note=f"reading {path.name}"))
        total += await asyncio.to_thread(_import_file, path, library)
    if report is not None and files:
        report(Progress(stage=Stage.CANDIDATES, done=len(files), total=len(files), note=total.summary()))
    if index is not None and total.paper_ids:
        await index.add(total.paper_ids, report)
    return total


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """The named files, and of folders all that may hold papers, in the order of their names."""
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
            yield from (p for p in inside if p.suffix.lower() in READERS or p.suffix.lower() in _HOLDS_PAPERS)
        else:
            yield path


def _import_file(path: Path, library: Library) -> ImportReport:
    try:
        parsed = _parsed(path)
    except LibraryError as error:
        return ImportReport(refused=(Remark(source=path.name, reason=str(error)),))
    except OSError as error:
        return ImportReport(refused=(Remark(source=path.name, reason=f"cannot be read: {error.strerror or error}"),))
    added = library.add(parsed.papers, parsed.pages, path.name, parsed.places)
    return added + ImportReport(incomplete=parsed.incomplete, refused=parsed.refused)


def _parsed(path: Path) -> Parsed:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(READERS))
        raise UnreadableFile(f"{path.name} is of a kind that is not read here.", f"Known are {known}.")
    if path.stat().st_size > MAX_BYTES:
        raise UnreadableFile(f"{path.name} is larger than {MAX_BYTES // 1024**2} MB.", "Cut it into smaller files.")
    return reader(path)
