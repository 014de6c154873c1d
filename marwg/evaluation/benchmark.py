"""Benchmarks: a folder with `topics.jsonl` and `corpus.jsonl`, read into topics and a library of their own."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from marwg.errors import InputError, UnreadableFile
from marwg.library import Library
from marwg.library.identity import find_arxiv_id, normal_doi
from marwg.library.names import read_names
from marwg.types import Focal, Page, Paper, PaperId

ADDED_AT_ONCE = 1000


@dataclass(frozen=True)
class Topic:
    """A focal paper with the human related-work section and its references, as ids of the corpus' library."""

    topic_id: str
    focal: Focal
    gold_text: str
    gold: tuple[PaperId, ...]
    until: date | None = None
    area: str = ""
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Benchmark:
    """Topics over one corpus. `corpus` is the digest of all its papers: results of different corpora do not compare."""

    folder: Path
    corpus: str
    size: int
    topics: tuple[Topic, ...] = field(repr=False)
    library: Library = field(repr=False)

    def first(self, count: int) -> tuple[Topic, ...]:
        """So many topics, in an order that mixes the areas and is always the same; all of them with 0."""
        if not count:
            return self.topics
        mixed = sorted(self.topics, key=lambda t: hashlib.sha256(t.topic_id.encode()).hexdigest())
        chosen = {t.topic_id for t in mixed[:count]}
        return tuple(t for t in self.topics if t.topic_id in chosen)


def read_benchmark(folder: Path, work: Path, report: Callable[[str], None] = lambda text: None) -> Benchmark:
    """The benchmark in a folder; its papers go into a library at `work`, once for each state of the corpus."""
    rows = list(_rows(folder / "corpus.jsonl"))
    digest = _digest(rows)
    library = Library(work / f"corpus-{digest}.db")
    place = work / f"corpus-{digest}.json"
    if not place.is_file():
        ids: dict[str, PaperId] = {}
        for start in range(0, len(rows), ADDED_AT_ONCE):
            report(f"Corpus: {start} of {len(rows)} papers taken in")
            batch = rows[start : start + ADDED_AT_ONCE]
            papers, pages = [_paper(row) for row in batch], [page for row in batch for page in _pages(row)]
            taken = library.add(papers, pages, source="corpus.jsonl")
            ids |= {str(row["id"]): i for row, i in zip(batch, taken.paper_ids, strict=True)}
        place.write_text(json.dumps(ids), encoding="utf-8")
    ids = json.loads(place.read_text(encoding="utf-8"))
    topics = tuple(_topic(row, ids) for row in _rows(folder / "topics.jsonl"))
    if not topics:
        raise InputError(f"{folder.name} has no topics.", "Add rows to topics.jsonl.")
    return Benchmark(folder, digest, len(library), topics, library)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UnreadableFile(
            f"{path} cannot be read.", "A benchmark is a folder with topics.jsonl and corpus.jsonl."
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            row["id"], row["title"]
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFile(
                f"{path.name}, line {number} is no row of a benchmark: {error}.", "docs/evaluation.md has the form."
            ) from error
        yield row


def _digest(rows: Sequence[Mapping[str, Any]]) -> str:
    digest = hashlib.sha256()
    for row in sorted(rows, key=lambda r: str(r["id"])):
        facts = [str(row["id"]), row["title"], row.get("abstract") or "", str(row.get("year") or ""), row.get("pages")]
        digest.update(json.dumps(facts).encode())
    return digest.hexdigest()[:12]


def _paper(row: Mapping[str, Any]) -> Paper:
    """A paper of the corpus under its own id, so that its pages find it; the id is one that a marker can hold."""
    identifier = str(row["id"])
    return Paper(
        paper_id=paper_id_of(identifier),
        key="",
        title=" ".join(str(row["title"]).split()),
        authors=tuple(_family_first(name) for name in row.get("authors") or ()),
        year=row.get("year"),
        venue=row.get("venue") or "",
        doi=normal_doi(row.get("doi") or ""),
        arxiv_id=row.get("arxiv_id")
        or find_arxiv_id(identifier if "arxiv" in identifier else "", row.get("url") or ""),
        url=row.get("url") or "",
        abstract=row.get("abstract") or "",
    )


def paper_id_of(identifier: str) -> PaperId:
    """A short opaque id for one of the corpus: what it is called says nothing of what it is."""
    return "p" + hashlib.sha256(identifier.encode()).hexdigest()[:8]


def _family_first(name: str) -> str:
    return name if "," in name else next(iter(read_names(name)), name)


def _pages(row: Mapping[str, Any]) -> list[Page]:
    texts = row.get("pages") or ()
    return [Page(paper_id=paper_id_of(str(row["id"])), number=n, text=t) for n, t in enumerate(texts, 1)]


def _topic(row: Mapping[str, Any], ids: Mapping[str, PaperId]) -> Topic:
    gold = tuple(dict.fromkeys(ids[i] for i in map(str, row.get("gold_refs") or ()) if i in ids))
    return Topic(
        topic_id=str(row["id"]),
        focal=Focal(title=row["title"], abstract=row.get("abstract") or ""),
        gold_text=row.get("related_work") or "",
        gold=gold,
        until=_day(str(row.get("date") or "")),
        area=row.get("area") or "",
        categories=tuple(row.get("categories") or ()),
    )


def _day(text: str) -> date | None:
    """A date that may lack its day; a month alone means its end, so that nothing of it is shut out."""
    parts = [int(part) for part in text[:10].split("-") if part]
    return date(parts[0], parts[1] if len(parts) > 1 else 12, parts[2] if len(parts) > 2 else 28) if parts else None
