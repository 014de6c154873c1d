"""Agent 1, Candidate Construction: from the focal paper to C, the longlist L and the shortlist S_t with its pages.

Candidates come from dense and lexical search together. A language model reads them (`selection = "reading"`): its grade
leads, similarity breaks ties, and it asks for what is missing. With `selection = "similarity"`, and for the built-in
writer, the order is the paper's: cosine to the focal paper. Everything is joined by paper id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from marwg.concurrency import all_of
from marwg.errors import EmptyLibrary, KeyRefused, LibraryError, ModelError, NothingFound
from marwg.events import Notice, Progress, Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.selection import ScoredPage, mean_similarity, rank, relevant, select, select_pages
from marwg.sources import appeared, match_ids, same_title, source_of
from marwg.tasks import AskForMissing, CandidateGrade, ReadCandidates
from marwg.types import Candidate, CandidateSet, Focal, LeftOut, Paper, PaperId, Parameters, Request, Shortlisted, Stage

CANDIDATES_PER_PAPER = 6
LONGLIST_PER_PAPER = 3
BATCH = 30
WORDS = 60
QUERIES = 10
HITS_PER_QUERY = 10

FLOOR = 0.2
"""Below this cosine a paper has nothing to do with the focal one: of what authors cite, the least similar has .22."""

NEAREST, NEAREST_FIVE = 0.35, 0.25
"""A library below both, with its nearest paper and the mean of the nearest five, is on another subject.

Twelve abstracts of other fields against 850 papers of computer science reach at most .348 and .234; nineteen papers of
the field at least .468 and .460 (all-MiniLM-L6-v2).
"""


@dataclass(frozen=True)
class Found:
    """A candidate before anyone has read it."""

    paper: Paper
    similarity: float
    score: float
    query: str = ""


Grades = dict[PaperId, CandidateGrade]


async def construct(request: Request, models: Models, library: Library, index: Index, report: Report) -> CandidateSet:
    """C, L and S_t for the focal paper; refuses to go on where nothing in the library has to do with it."""
    if len(library) == 0:
        raise EmptyLibrary(
            "The library is empty, so there is nothing to cite.", "Add papers: a .bib file, PDFs, or both."
        )
    parameters = request.parameters
    if len(library) < parameters.breadth:
        report(Notice(text=f"{parameters.breadth} papers were asked for and the library holds {len(library)}."))
    search = _Search(request, library, index)
    found, left_out = await search.nearest(report)
    _refuse_unrelated(found, left_out)
    queries: tuple[str, ...] = ()
    grades: Grades | None = None
    if parameters.selection == "reading" and not models.is_built_in("generator"):
        grades, queries, more = await _read(request.focal, found, search, models, report)
        found = [*found, *more]
    topics = await index.topics()
    candidates = _in_order([_candidate(f, topics, (grades or {}).get(f.paper.paper_id)) for f in found])
    refused = _refused(candidates, grades is None)
    kept = [c for c in candidates if c.paper_id not in refused]
    if not kept:
        raise NothingFound(
            f"{models.name('generator')} finds none of the {len(candidates)} nearest papers of the library worth citing.",
            "Add papers on its topic, or choose the selection by similarity.",
        )
    longlist = await _longlist(kept, parameters, index)
    shortlist = await _shortlist(longlist, parameters, search, report)
    if len(shortlist) < min(parameters.breadth, len(library)):
        report(Notice(text=f"The shortlist has {len(shortlist)} papers: no more of the library belong to this topic."))
    return CandidateSet(
        candidates=tuple(candidates),
        longlist=tuple(c.paper_id for c in longlist),
        shortlist=tuple(shortlist),
        left_out=(*left_out, *(LeftOut(paper_id=i, reason=why) for i, why in refused.items())),
        queries=queries,
    )


def _refuse_unrelated(found: Sequence[Found], left_out: Sequence[LeftOut]) -> None:
    nearest = sorted((f.similarity for f in found), reverse=True)[:5]
    if nearest and (nearest[0] >= NEAREST or float(np.mean(nearest)) >= NEAREST_FIVE):
        return
    if not found and left_out:
        raise NothingFound(
            f"No paper of the library can be used: {left_out[0].reason}.", "Change the cut-off date, or add papers."
        )
    raise NothingFound(
        "Nothing in the library has to do with this paper, so nothing is written.",
        "Add papers on its topic, or check that title and abstract are the right ones.",
    )


# ---------------------------------------------------------------- retrieval


class _Search:
    """Searches for one focal paper, with what may not be proposed to it left out."""

    def __init__(self, request: Request, library: Library, index: Index) -> None:
        self.focal, self.until = request.focal, request.parameters.until
        self.wanted = CANDIDATES_PER_PAPER * request.parameters.breadth
        self.query = f"{request.focal.title}\n{request.focal.abstract}"
        self.library, self.index = library, index

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

    async def more(self, queries: Sequence[str], known: Sequence[Found]) -> list[Found]:
        """What these queries find beyond the known papers; similarity is that to the focal paper, as for all."""
        seen = {f.paper.paper_id for f in known}
        new: dict[PaperId, tuple[float, str]] = {}
        hits_by_query = await all_of(self.index.search(query, HITS_PER_QUERY) for query in queries)
        for query, hits in zip(queries, hits_by_query, strict=True):
            for hit in hits:
                if hit.paper_id not in seen:
                    new.setdefault(hit.paper_id, (hit.score, query))
        papers = {i: p for i, p in self._papers(list(new)).items() if not self._barred(p)}
        if not papers:
            return []
        rows, focal = await self.index.vectors(list(papers)), await self.vector()
        return [Found(p, float(rows[i] @ focal), *new[i]) for i, p in papers.items() if i in rows]

    def _papers(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        return {p.paper_id: p for p in self.library.papers(ids)}  # without those that were removed since

    def _barred(self, paper: Paper) -> str:
        """Why the paper may not be proposed; empty if it may."""
        if same_title(paper.title, self.focal.title):
            return "it is the focal paper itself"
        if self.until is None:
            return ""
        since = appeared(paper)
        if since is None:
            return f"its year is not known, so it may be later than {self.until}"
        return f"it appeared after {self.until}" if since > (self.until.year, self.until.month) else ""


# ---------------------------------------------------------------- reading


async def _read(
    focal: Focal, found: Sequence[Found], search: _Search, models: Models, report: Report
) -> tuple[Grades | None, tuple[str, ...], list[Found]]:
    """The reading pass: grades, the queries for what is missing, and what they found; no grades if it failed."""
    name = models.name("generator")
    try:
        grades = await _grades(focal, [f.paper for f in found], models, report)
    except KeyRefused:
        raise
    except ModelError as error:
        report(Notice(text=f"{name} could not read the candidates; similarity orders them. {error}", level="warning"))
        return None, (), []
    if not grades:
        report(Notice(text=f"{name} graded none of the candidates; similarity orders them.", level="warning"))
        return None, (), []
    queries: tuple[str, ...] = ()
    try:
        kept = [source_of(f.paper, words=0) for f in found if _grade(grades.get(f.paper.paper_id)) in (2, 3)]
        reply = await models.run(AskForMissing(focal=focal, kept=tuple(kept)))
        queries = tuple(dict.fromkeys(" ".join(q.split()) for q in reply.queries if q.strip()))[:QUERIES]
        more = await search.more(queries, found)
        return grades | await _grades(focal, [f.paper for f in more], models, report), queries, more
    except KeyRefused:
        raise
    except ModelError as error:
        report(
            Notice(text=f"{name} could not look for missing papers; the run goes on without. {error}", level="warning")
        )
        return grades, queries, []


async def _grades(focal: Focal, papers: Sequence[Paper], models: Models, report: Report) -> Grades:
    """What the model says of each paper, asked in batches; a paper that it leaves out twice has no grade."""
    read = 0

    async def grade(batch: Sequence[Paper]) -> Grades:
        nonlocal read
        said = await _grade_batch(focal, batch, models, report)
        missing = [p for p in batch if p.paper_id not in said]
        # Half as many at once: a reply that stopped short would otherwise stop there again.
        for again in _batches(missing, BATCH // 2):
            said |= await _grade_batch(focal, again, models, report)
        read += len(batch)
        report(Progress(stage=Stage.CANDIDATES, done=read, total=len(papers), note="candidates read"))
        return said

    graded: Grades = {}
    for said in await all_of(grade(batch) for batch in _batches(papers, BATCH)):
        graded |= said
    if len(graded) < len(papers):
        count = len(papers) - len(graded)
        report(Notice(text=f"{count} of {len(papers)} candidates were left ungraded; they come last.", level="warning"))
    return graded


async def _grade_batch(focal: Focal, papers: Sequence[Paper], models: Models, report: Report) -> Grades:
    task = ReadCandidates(focal=focal, papers=tuple(source_of(p, words=WORDS) for p in papers))
    matched = match_ids((await models.run(task)).papers, [p.paper_id for p in papers])
    if matched.unknown:
        unknown = ", ".join(matched.unknown)
        report(Notice(text=f"Grades for papers that were not asked about were ignored: {unknown}.", level="warning"))
    return matched.found


def _batches(papers: Sequence[Paper], size: int) -> list[Sequence[Paper]]:
    return [papers[i : i + size] for i in range(0, len(papers), size)]


# ---------------------------------------------------------------- order and lists


def _grade(said: CandidateGrade | None) -> int | None:
    return None if said is None else min(max(said.grade, 0), 3)


def _candidate(found: Found, topics: Mapping[PaperId, str], said: CandidateGrade | None) -> Candidate:
    return Candidate(
        paper_id=found.paper.paper_id,
        similarity=found.similarity,
        score=found.score,
        topic=topics.get(found.paper.paper_id, ""),
        query=found.query,
        grade=_grade(said),
        role=said.role if said else None,
        reason=" ".join(said.reason.split()) if said else "",
    )


def _tier(candidate: Candidate) -> float:
    """The grade leads; a paper without one comes after all that the model wants, before what it does not."""
    return 0.5 if candidate.grade is None else float(candidate.grade)


def _in_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    by_id = sorted(candidates, key=lambda c: c.paper_id)  # the last resort among equals
    return [by_id[i] for i in rank([c.similarity for c in by_id], [_tier(c) for c in by_id])]


def _refused(candidates: Sequence[Candidate], by_similarity: bool) -> dict[PaperId, str]:
    """Candidates that do not go on, and why: the model's reason, or the relevance gate."""
    if not by_similarity:
        return {c.paper_id: f"not needed: {c.reason}".rstrip(": ") for c in candidates if c.grade == 0}
    passed = relevant([c.similarity for c in candidates])
    return {
        c.paper_id: f"too far from the focal paper: similarity {c.similarity:.2f}, nearest {candidates[0].similarity:.2f}"
        for c, near in zip(candidates, passed, strict=True)
        if not near or c.similarity < FLOOR
    }


async def _longlist(kept: Sequence[Candidate], parameters: Parameters, index: Index) -> list[Candidate]:
    """L: 3·B candidates, greedily between relevance and diversity."""
    rows = await index.vectors([c.paper_id for c in kept])
    kept = [c for c in kept if c.paper_id in rows]  # without those that were removed since
    chosen = select(
        [c.similarity for c in kept],
        np.stack([rows[c.paper_id] for c in kept]),
        LONGLIST_PER_PAPER * parameters.breadth,
        parameters.diversity,
        parameters.diversity_rule,
        [_tier(c) for c in kept],
    )
    return [kept[i] for i in chosen]


async def _shortlist(
    longlist: Sequence[Candidate], parameters: Parameters, search: _Search, report: Report
) -> list[Shortlisted]:
    """S_t: the B papers with the highest mean similarity of abstract and chosen pages, within their grade."""
    focal = await search.vector()
    pages = await all_of(_pages(c.paper_id, focal, parameters, search, report) for c in longlist)
    scores = [mean_similarity(c.similarity, chosen) for c, chosen in zip(longlist, pages, strict=True)]
    return [
        Shortlisted(paper_id=longlist[i].paper_id, score=scores[i], pages=tuple(page.number for page in pages[i]))
        for i in rank(scores, [_tier(c) for c in longlist])[: parameters.breadth]
    ]


async def _pages(
    paper_id: PaperId, focal: np.ndarray, parameters: Parameters, search: _Search, report: Report
) -> list[ScoredPage]:
    """The D best pages of a paper; none where it has no full text, or none that can be read."""
    if parameters.depth == 0 or not search.library.has_full_text(paper_id):
        return []
    try:
        passages = await search.index.passages(paper_id)
    except LibraryError as error:
        title = search.library.get(paper_id).title
        report(Notice(text=f"“{title}” is used with its abstract alone. {error}", level="warning"))
        return []
    numbers, rows = [p.page for p, _ in passages], [row for _, row in passages]
    return select_pages(numbers, rows, focal, parameters.depth, parameters.diversity, parameters.diversity_rule)
