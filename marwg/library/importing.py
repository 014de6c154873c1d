"""Files and folders into the library and its index, with a report of what became of each."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from marwg.errors import LibraryError, UnreadableFile
from marwg.events import Progress, Report
from marwg.library.archives import unpack
from marwg.library.bibtex import decode_bytes, read_bibtex
from marwg.library.csl import read_csl
from marwg.library.identifiers import Identifier, identifier, identifiers_in
from marwg.library.pdf import read_pdf
from marwg.library.report import ImportReport, Parsed, Remark
from marwg.library.ris import read_ris
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


def read_ris_file(path: Path) -> Parsed:
    """The records of a .ris file, or of a Web of Science export, in whatever encoding."""
    parsed = read_ris(decode_bytes(path.read_bytes()), path.name)
    if not parsed.papers and not parsed.refused:
        raise UnreadableFile(f"{path.name} has no RIS records.", "Export it again as RIS.")
    return parsed


def read_json_file(path: Path) -> Parsed:
    """The items of a CSL-JSON file."""
    return read_csl(decode_bytes(path.read_bytes()), path.name)


def read_list_file(path: Path) -> Parsed:
    """The DOIs, arXiv ids and addresses that a text file names."""
    found = tuple(identifiers_in(decode_bytes(path.read_bytes())))
    if not found:
        raise UnreadableFile(f"{path.name} names no DOI, arXiv id or address.", "Put one on each line.")
    return Parsed(identifiers=found)


READERS: dict[str, Callable[[Path], Parsed]] = {
    ".bib": read_bib_file,
    ".bibtex": read_bib_file,
    ".biblatex": read_bib_file,
    ".ris": read_ris_file,
    ".json": read_json_file,
    ".csljson": read_json_file,
    ".txt": read_list_file,
    ".pdf": read_pdf,
}
"""How a file is read, by how its name ends; folders and .zip files of these are opened."""

ARCHIVE = ".zip"
_HOLDS_PAPERS = frozenset(".enw .nbib .xml .tex .md .doc .docx .odt .epub .djvu .ps .html .htm .csv .rdf".split())


class LooksUp(Protocol):
    """What fetches papers by their DOI, arXiv id or address."""

    async def look_up(self, wanted: Sequence[Identifier], report: Report | None = None) -> Parsed:
        """The papers, and for each identifier without one, the reason among `incomplete`."""


async def import_files(
    paths: Iterable[Path | str],
    library: Library,
    index: TakesPapers | None = None,
    report: Report | None = None,
    online: LooksUp | None = None,
) -> ImportReport:
    """Reads files and folders into the library and embeds what is new; one bad file or entry never costs the others.

    In place of a path, a DOI, an arXiv id or an address may stand. With `online` such papers are fetched; without it
    the report says that they were not.
    """
    named = [_named(str(path)) for path in paths]
    wanted = [one for one in named if isinstance(one, Identifier)]
    total = ImportReport()
    with tempfile.TemporaryDirectory(prefix="marwg-") as folder:
        files, total = await asyncio.to_thread(_files, [p for p in named if isinstance(p, Path)], Path(folder))
        for done, path in enumerate(files):
            if report is not None:
                report(Progress(stage=Stage.CANDIDATES, done=done, total=len(files), note=f"reading {path.name}"))
            read, more = await asyncio.to_thread(_import_file, path, library)
            total += read
            wanted += more
    if wanted:
        total += await _fetched(wanted, library, report, online)
    if report is not None and named:
        report(Progress(stage=Stage.CANDIDATES, done=len(files), total=len(files), note=total.summary()))
    if index is not None and total.paper_ids:
        await index.add(total.paper_ids, report)
    return total


def _named(text: str) -> Path | Identifier:
    """A path, or what stands for a paper where there is no such file."""
    found = identifier(text, "")
    return Path(text) if found is None or Path(text).exists() else found


async def _fetched(
    wanted: Sequence[Identifier], library: Library, report: Report | None, online: LooksUp | None
) -> ImportReport:
    """What became of identifiers: papers that are here already, fetched ones, and the others with the reason."""
    here = {one: library.identified(one.kind, one.value) for one in wanted}
    known = ImportReport(
        read=sum(bool(paper) for paper in here.values()),
        merged=tuple(
            Remark(source=str(one), where=one.where, reason=f"here already as {paper.key}: {paper.title}")
            for one, paper in here.items()
            if paper
        ),
    )
    left = [one for one, paper in here.items() if paper is None]
    if not left:
        return known
    if online is None:
        why = "not fetched: looking papers up online is switched off (MARWG_ONLINE=true switches it on)"
        remarks = tuple(Remark(source=str(one), where=one.where, reason=why) for one in left)
        return known + ImportReport(incomplete=remarks)
    parsed = await online.look_up(left, report)
    added = await asyncio.to_thread(library.add, parsed.papers, parsed.pages, "", parsed.places)
    return known + added + ImportReport(incomplete=parsed.incomplete, refused=parsed.refused)


def _files(paths: Sequence[Path], folder: Path) -> tuple[list[Path], ImportReport]:
    """The named files, and of folders and archives all that may hold papers, in order; and what could not be opened."""
    files: list[Path] = []
    refused: list[Remark] = []
    known = {*READERS, *_HOLDS_PAPERS}
    for number, path in enumerate(_with_folders(paths, {*known, ARCHIVE})):
        if path.suffix.lower() != ARCHIVE or not path.is_file():
            files.append(path)
            continue
        try:
            inside = unpack(path, folder / str(number))
            found = [p for p in inside if p.suffix.lower() in known]
            if not found:
                raise UnreadableFile(f"{path.name} holds no file of a kind that is read here.", _known())
            files += found
        except (LibraryError, OSError) as error:
            refused.append(Remark(source=path.name, reason=_said(error)))
    return files, ImportReport(refused=tuple(refused))


def _with_folders(paths: Iterable[Path], known: set[str]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
            yield from (p for p in inside if p.suffix.lower() in known)
        else:
            yield path


def _import_file(path: Path, library: Library) -> tuple[ImportReport, tuple[Identifier, ...]]:
    """What became of one file, and the identifiers that it names."""
    try:
        parsed = _parsed(path)
    except (LibraryError, OSError) as error:
        return ImportReport(refused=(Remark(source=path.name, reason=_said(error)),)), ()
    added = library.add(parsed.papers, parsed.pages, path.name, parsed.places)
    return added + ImportReport(incomplete=parsed.incomplete, refused=parsed.refused), parsed.identifiers


def _said(error: LibraryError | OSError) -> str:
    return str(error) if isinstance(error, LibraryError) else f"cannot be read: {error.strerror or error}"


def _known() -> str:
    return f"Known are {', '.join(sorted({*READERS, ARCHIVE}))}."


def _parsed(path: Path) -> Parsed:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableFile(f"{path.name} is of a kind that is not read here.", _known())
    if path.stat().st_size > MAX_BYTES:
        raise UnreadableFile(f"{path.name} is larger than {MAX_BYTES // 1024**2} MB.", "Cut it into smaller files.")
    return reader(path)
