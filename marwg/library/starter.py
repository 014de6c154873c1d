"""The starter library: papers that a newcomer can begin with, each with a note of ours in place of its abstract."""

import json
from pathlib import Path
from typing import Any

from marwg.errors import LibraryError
from marwg.library.identity import normal_doi
from marwg.library.names import read_names
from marwg.library.store import Library
from marwg.types import Paper

STARTER = Path(__file__).resolve().parents[2] / "examples" / "starter_library.jsonl"


def seed(library: Library, path: Path | None = None) -> int:
    """Fills a library that was never used with the starter papers; how many came in. An emptied one stays empty."""
    if len(library) or library.revision():
        return 0
    file = path or STARTER
    try:
        papers = [_paper(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError, KeyError) as error:
        raise LibraryError(
            f"The starter library {file} cannot be read: {error}.", "Restore the file, or set MARWG_STARTER_LIBRARY."
        ) from error
    return library.add(papers, source=file.name).added


def _paper(row: dict[str, Any]) -> Paper:
    note, abstract = row.get("note", ""), row.get("abstract", "")
    return Paper(
        paper_id="",
        key=row.get("key", ""),
        title=row["title"],
        authors=tuple(name if "," in name else _family_first(name) for name in row.get("authors", ())),
        year=row.get("year"),
        venue=row.get("venue") or "",
        doi=normal_doi(row.get("doi") or ""),
        arxiv_id=row.get("arxiv_id") or "",
        url=row.get("url") or "",
        entry_type=row.get("entry_type") or _entry_type(row.get("venue") or ""),
        abstract=abstract or note,
        abstract_is_note=not abstract and bool(note),
    )


def _entry_type(venue: str) -> str:
    """What the papers of a venue are in a bibliography."""
    if venue in ("", "arXiv"):
        return "misc"
    journal = venue == "TACL" or "transactions on" in venue.lower() or "journal" in venue.lower()
    return "article" if journal else "inproceedings"


def _family_first(name: str) -> str:
    return next(iter(read_names(name)), name)
