"""Check what I wrote: a person's text with its references and PDFs, taken into the library and made a draft to verify."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from marwg.errors import InputError, UnreadableFile
from marwg.events import Report
from marwg.index import Index
from marwg.library import ImportReport, Library
from marwg.library.bibtex import read_bibtex
from marwg.library.docx import docx_text
from marwg.library.importing import READERS, import_files
from marwg.library.report import Parsed, Remark
from marwg.text.naming import References
from marwg.text.own_text import sections_of
from marwg.text.references import cited_in
from marwg.types import (
    Candidate,
    CandidateSet,
    Draft,
    Outline,
    Paper,
    PaperId,
    Section,
    Shortlisted,
    TextReview,
    Topic,
)

REFERENCE_ENDINGS = (".bib", ".bibtex", ".ris", ".json")

TEXT_ENDINGS = (".tex", ".md", ".markdown", ".txt", ".docx")
"""Files in which a section to check may come."""

LONGEST_TEXT = 400_000
"""Characters; a whole thesis chapter is a fourth of that."""


@dataclass(frozen=True)
class OwnWork:
    """A person's text as the stages of a run need it, and what of it could not be matched."""

    draft: Draft
    outline: Outline
    candidates: CandidateSet
    review: TextReview
    imported: ImportReport


def text_of(path: Path) -> str:
    """The text of a file that holds a section; UnreadableFile where it cannot be read."""
    if path.suffix.lower() == ".docx":
        return docx_text(path)
    if path.suffix.lower() not in TEXT_ENDINGS:
        raise UnreadableFile(
            f"{path.name} is of a kind that is not read here.", f"Known are {', '.join(TEXT_ENDINGS)}."
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read.", "Check that the file exists and is readable.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


async def own_work(
    text: str, ending: str, files: Sequence[Path], library: Library, index: Index, report: Report, bib: str = ""
) -> OwnWork:
    """A text with its .bib files and PDFs (or a bibliography as text) as a draft by "user".

    Without a bibliography its citations are looked up in the whole library. InputError where there is nothing to check.
    """
    if len(text) > LONGEST_TEXT:
        raise InputError("This text is too long to be checked at once.", "Send the related-work section alone.")
    bibs = [f for f in files if f.suffix.lower() in REFERENCE_ENDINGS]
    others = [f for f in files if f not in bibs]
    imported = ImportReport()
    if others:  # before the references, so that a PDF that has a reference is found to be the same paper
        imported += await import_files(others, library, index, report)
    keys: dict[str, PaperId] = {}
    parsed, refused = _parsed(bibs)
    if bib.strip():
        parsed.append(read_bibtex(bib, "pasted references"))
    for entries in parsed:
        added, named = _added(entries, library)
        imported += added
        keys = named | keys
    imported += ImportReport(refused=refused)
    if not keys:
        papers = library.papers()
        by_key = {p.key: p for p in papers} | {p.paper_id: p for p in papers}
    else:
        found = {p.paper_id: p for p in library.papers(sorted(set(keys.values())))}
        by_key = {key: found[i] for key, i in keys.items() if i in found}
        await index.add(sorted(found))
    references = References(by_key)
    sections = sections_of(text, ending, references)
    if not sections:
        raise InputError("There is no text to check in this.", "Send the related-work section with its citations.")
    return _work(sections, references, list(dict.fromkeys(keys.values())), library, imported)


def _parsed(bibs: Sequence[Path]) -> tuple[list[Parsed], tuple[Remark, ...]]:
    parsed, refused = [], []
    for path in bibs:
        try:
            parsed.append(READERS[path.suffix.lower()](path))
        except UnreadableFile as error:
            refused.append(Remark(source=path.name, reason=str(error)))
        except OSError as error:
            refused.append(Remark(source=path.name, reason=f"cannot be read: {error.strerror or error}"))
    if bibs and not parsed:
        raise UnreadableFile(str(refused[0]), "Without its references the text cannot be checked.")
    return parsed, tuple(refused)


def _added(parsed: Parsed, library: Library) -> tuple[ImportReport, dict[str, PaperId]]:
    """Takes references into the library; the user's own key of each stays what the text cites, whatever it has there."""
    total = ImportReport(incomplete=parsed.incomplete, refused=parsed.refused)
    keys: dict[str, PaperId] = {}
    for number, paper in enumerate(parsed.papers):
        place = parsed.places[number] if number < len(parsed.places) else paper.key
        added = library.add((paper,), source="references", places=(place,))
        total += added
        if paper.key and added.paper_ids:
            keys.setdefault(paper.key, added.paper_ids[0])
    return total, keys


def _work(
    sections: tuple[Section, ...],
    references: References,
    listed: Sequence[PaperId],
    library: Library,
    imported: ImportReport,
) -> OwnWork:
    cited = cited_in(sections)
    known = {p.paper_id: p for p in library.papers([*cited, *listed])}
    ids = list(dict.fromkeys([*(i for i in cited if i in known), *listed]))
    mentioned = set(references.mentioned)
    review = TextReview(
        unknown=references.unknown,
        unused=tuple(i for i in listed if i not in mentioned),
        without_text=tuple(i for i in cited if i in known and not _readable(known[i], library)),
    )
    topics = tuple(
        Topic(topic_id=s.topic_id, title=s.title or "Related work", papers=_of(s, known), fixed_by_user=True)
        for s in sections
    )
    return OwnWork(
        draft=Draft(author="user", reason="your own text", sections=sections),
        outline=Outline(topics=topics),
        candidates=CandidateSet(
            candidates=tuple(Candidate(paper_id=i, similarity=0.0, score=0.0) for i in ids),
            longlist=tuple(ids),
            shortlist=tuple(Shortlisted(paper_id=i, score=0.0) for i in ids),
        ),
        review=review,
        imported=imported,
    )


def _of(section: Section, known: Mapping[PaperId, Paper]) -> tuple[PaperId, ...]:
    return tuple(i for i in cited_in([section]) if i in known)


def _readable(paper: Paper, library: Library) -> bool:
    return bool(paper.abstract.strip()) or library.has_full_text(paper.paper_id)
