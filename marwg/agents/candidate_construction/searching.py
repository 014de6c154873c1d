"""What is searched for one focal paper, and what may not be proposed to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from marwg.concurrency import all_of
from marwg.events import Report
from marwg.index import Index
from marwg.library import Library
from marwg.live import Live
from marwg.text.sources import appeared, same_title
from marwg.types import LeftOut, Paper, PaperId, Request

CANDIDATES_PER_PAPER = 6
HITS_PER_QUERY = 10


@dataclass(frozen=True)
class Found:
    """A candidate before anyone has read it."""

    paper: Paper
    similarity: float
    score: float
    query: str = ""
    why: str = ""


class Search:
    """Searches for one focal paper, with what may not be proposed to it left out."""

    def __init__(self, request: Request, library: Library, index: Index, online: Live | None = None) -> None:
        parameters = request.parameters
        self.focal, self.until = request.focal, parameters.until
        self.online = online
        self.unknown: list[str] = []
        self.excluded = self._named(library, parameters.excluded)
        self.pinned = self._named(library, parameters.pinned) - self.excluded
        self.foreign = library.found_online() if parameters.only_my_library else {}
        self.wanted = CANDIDATES_PER_PAPER * request.parameters.breadth
        self.query = f"{request.focal.title}\n{request.focal.abstract}"
        self.library, self.index = library, index

    def _named(self, library: Library, names: Sequence[str]) -> frozenset[PaperId]:
        """The ids of papers that are named by id or citation key; names that nobody has are remembered."""
        ids: set[PaperId] = set()
        for name in names:
            paper = next(iter(library.papers([name])), None) or library.by_key(name)
            if paper is None:
                self.unknown.append(name)
            else:
                ids.add(paper.paper_id)
        return frozenset(ids)

    async def vector(self) -> np.ndarray:
        """v_s, the embedding of the focal paper."""
        rows: np.ndarray = await self.index.embedder.aencode([self.query])
        return rows[0]

    async def nearest(self, report: Report) -> tuple[list[Found], list[LeftOut]]:
        """The 6·B nearest papers by dense and lexical search, and those in between that may not be proposed."""
        limit = self.wanted + 1  # the focal paper itself is often there
        while True:
            hits = await self.index.search(self.query, limit, report=report)  # embeds what is new in the library
            papers = self._papers([hit.paper_id for hit in hits])
            found: list[Found] = []
            left_out: list[LeftOut] = []
            for hit in hits:
                paper = papers.get(hit.paper_id)
                if paper is None or len(found) == self.wanted:
                    continue
                if reason := self._barred(paper):
                    left_out.append(LeftOut(paper_id=paper.paper_id, reason=reason))
                else:
                    found.append(Found(paper, hit.similarity, hit.score))
            if len(found) == self.wanted or len(hits) < limit or limit >= len(self.library):
                return found, left_out
            limit = min(2 * limit, len(self.library))

    async def more(self, queries: Sequence[str], known: Sequence[Found], report: Report) -> list[Found]:
        """What these queries find beyond the known papers; similarity is that to the focal paper, as for all."""
        if self.online is not None:
            await self.online.find(self.focal, self.until, report, queries)
        seen = {f.paper.paper_id for f in known}
        new: dict[PaperId, tuple[float, str]] = {}
        hits_by_query = await all_of(self.index.search(query, HITS_PER_QUERY) for query in queries)
        for query, hits in zip(queries, hits_by_query, strict=True):
            for hit in hits:
                if hit.paper_id not in seen:
                    new.setdefault(hit.paper_id, (hit.score, query))
        papers = {i: p for i, p in self._papers(list(new)).items() if not self._barred(p)}
        return await self._measured(papers, new)

    async def neighbours(self, known: Sequence[Found], report: Report) -> list[Found]:
        """What the nearest papers cite often, beyond the known papers; asked of live sources."""
        if self.online is None:
            return []
        nearest = [f.paper.paper_id for f in known[: self.wanted // CANDIDATES_PER_PAPER]]
        reasons = await self.online.neighbours(nearest, report)
        seen = {f.paper.paper_id for f in known}
        papers = {i: p for i, p in self._papers([i for i in reasons if i not in seen]).items() if not self._barred(p)}
        return [replace(found, why=reasons[found.paper.paper_id]) for found in await self._measured(papers, {})]

    async def pinned_beyond(self, known: Sequence[Found]) -> list[Found]:
        """The papers that the user wants in and no search found."""
        seen = {f.paper.paper_id for f in known}
        papers = self._papers(sorted(self.pinned - seen))
        return await self._measured({i: p for i, p in papers.items() if not self._barred(p)}, {})

    async def _measured(
        self, papers: Mapping[PaperId, Paper], found: Mapping[PaperId, tuple[float, str]]
    ) -> list[Found]:
        if not papers:
            return []
        rows, focal = await self.index.vectors(list(papers)), await self.vector()
        return [
            Found(p, s, *found.get(i, (s, "")))
            for i, p in papers.items()
            if i in rows
            for s in [_cosine(rows[i], focal)]
        ]

    def _papers(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        return {p.paper_id: p for p in self.library.papers(ids)}  # without those that were removed since

    def _barred(self, paper: Paper) -> str:
        """Why the paper may not be proposed; empty if it may."""
        if same_title(paper.title, self.focal.title):
            return "it is the focal paper itself"
        if paper.paper_id in self.excluded:
            return "excluded by the user"
        if paper.paper_id in self.pinned:
            return ""
        if paper.paper_id in self.foreign:
            return (
                f"it came from a live search ({self.foreign[paper.paper_id]}), and only your own library was asked for"
            )
        if self.until is None:
            return ""
        since = appeared(paper)
        if since is None:
            return f"its year is not known, so it may be later than {self.until}"
        return f"it appeared after {self.until}" if since > (self.until.year, self.until.month) else ""


def _cosine(row: np.ndarray, focal: np.ndarray) -> float:
    return float(row @ focal)
