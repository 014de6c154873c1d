"""The lists C, L and S_t, and what is refused on the way."""

from collections.abc import Mapping, Sequence

import numpy as np

from marwg.agents.candidate_construction.reading import Grades, grade_of, read
from marwg.agents.candidate_construction.searching import Found, Search
from marwg.concurrency import all_of
from marwg.errors import EmptyLibrary, LibraryError, NothingFound
from marwg.events import Notice, Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.live import Live
from marwg.selection import ScoredPage, mean_similarity, rank, relevant, select, select_pages
from marwg.tasks import CandidateGrade
from marwg.types import Candidate, CandidateSet, LeftOut, PaperId, Parameters, Request, Shortlisted

LONGLIST_PER_PAPER = 3

_PINNED = 9.0
"""Before every grade."""

FLOOR = 0.2
"""Below this cosine a paper has nothing to do with the focal one: of what authors cite, the least similar has .22."""

NEAREST, NEAREST_FIVE = 0.35, 0.25
"""A library below both, with its nearest paper and the mean of the nearest five, is on another subject.

Twelve abstracts of other fields against 850 papers of computer science reach at most .348 and .234; nineteen papers of
the field at least .468 and .460 (all-MiniLM-L6-v2).
"""


async def construct(
    request: Request, models: Models, library: Library, index: Index, report: Report, online: Live | None = None
) -> CandidateSet:
    """C, L and S_t for the focal paper; refuses to go on where nothing in the library has to do with it.

    With `online`, live sources are searched first, and what they find is in the library then.
    """
    if request.parameters.only_my_library:
        online = None
    if online is not None:
        await online.find(request.focal, request.parameters.until, report)
    if len(library) == 0:
        raise EmptyLibrary(
            "The library is empty, so there is nothing to cite.", "Add papers: a .bib file, PDFs, or both."
        )
    parameters = request.parameters
    if len(library) < parameters.breadth:
        report(Notice(text=f"{parameters.breadth} papers were asked for and the library holds {len(library)}."))
    search = Search(request, library, index, online)
    _warn_of_unknown(search, report)
    found, left_out = await search.nearest(report)
    _refuse_unrelated(found, left_out)
    found = [*found, *await search.neighbours(found, report)]
    queries: tuple[str, ...] = ()
    grades: Grades | None = None
    if parameters.selection == "reading" and not models.is_built_in("generator"):
        grades, queries, more = await read(request.focal, found, search, models, report)
        found = [*found, *more]
    topics = await index.topics()
    pinned = search.pinned
    found = [*found, *await search.pinned_beyond(found)]
    candidates = _in_order([_candidate(f, topics, (grades or {}).get(f.paper.paper_id)) for f in found], pinned)
    refused = {i: why for i, why in _refused(candidates, grades is None, parameters).items() if i not in pinned}
    kept = [c for c in candidates if c.paper_id not in refused]
    if not kept:
        if grades is None:
            raise NothingFound(
                f"None of the {len(candidates)} nearest papers is similar enough: {next(iter(refused.values()))}.",
                "Lower the minimum similarity, or add papers on its topic.",
            )
        raise NothingFound(
            f"{models.name('generator')} finds none of the {len(candidates)} nearest papers of the library worth citing.",
            "Add papers on its topic, or choose the selection by similarity.",
        )
    longlist = await _longlist(kept, parameters, index, pinned)
    if online is not None and parameters.depth:
        await online.full_texts([c.paper_id for c in longlist], report)
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


def _warn_of_unknown(search: Search, report: Report) -> None:
    if search.unknown:
        names = ", ".join(search.unknown)
        report(Notice(text=f"Pinned or excluded, but not in the library: {names}.", level="warning"))


# ---------------------------------------------------------------- order and lists


def _candidate(found: Found, topics: Mapping[PaperId, str], said: CandidateGrade | None) -> Candidate:
    return Candidate(
        paper_id=found.paper.paper_id,
        similarity=found.similarity,
        score=found.score,
        topic=topics.get(found.paper.paper_id, ""),
        query=found.query,
        grade=grade_of(said),
        role=said.role if said else None,
        reason=(" ".join(said.reason.split()) if said else "") or found.why,
    )


def _tier(candidate: Candidate) -> float:
    """The grade leads; a paper without one comes after all that the model wants, before what it does not."""
    return 0.5 if candidate.grade is None else float(candidate.grade)


def _in_order(candidates: Sequence[Candidate], pinned: frozenset[PaperId]) -> list[Candidate]:
    by_id = sorted(candidates, key=lambda c: c.paper_id)  # the last resort among equals
    return [by_id[i] for i in rank([c.similarity for c in by_id], _tiers(by_id, pinned))]


def _tiers(candidates: Sequence[Candidate], pinned: frozenset[PaperId]) -> list[float]:
    """What leads: the papers that the user wants in, then the grade."""
    return [_PINNED if c.paper_id in pinned else _tier(c) for c in candidates]


def _refused(candidates: Sequence[Candidate], by_similarity: bool, parameters: Parameters) -> dict[PaperId, str]:
    """Candidates that do not go on, and why: the user's minimum, the model's reason, or the relevance gate."""
    least = parameters.minimum_similarity
    refused = {
        c.paper_id: f"similarity {c.similarity:.2f} is below the minimum of {least:.2f}"
        for c in candidates
        if least and c.similarity < least
    }
    if not by_similarity:
        return {c.paper_id: f"not needed: {c.reason}".rstrip(": ") for c in candidates if c.grade == 0} | refused
    passed = relevant([c.similarity for c in candidates])
    nearest = max((c.similarity for c in candidates), default=0.0)
    far = {
        c.paper_id: f"too far from the focal paper: similarity {c.similarity:.2f}, nearest {nearest:.2f}"
        for c, near in zip(candidates, passed, strict=True)
        if not near or c.similarity < FLOOR
    }
    return far | refused


async def _longlist(
    kept: Sequence[Candidate], parameters: Parameters, index: Index, pinned: frozenset[PaperId]
) -> list[Candidate]:
    """L: 3·B candidates, greedily between relevance and diversity."""
    rows = await index.vectors([c.paper_id for c in kept])
    kept = [c for c in kept if c.paper_id in rows]  # without those that were removed since
    chosen = select(
        [c.similarity for c in kept],
        np.stack([rows[c.paper_id] for c in kept]),
        LONGLIST_PER_PAPER * parameters.breadth,
        parameters.diversity,
        parameters.diversity_rule,
        _tiers(kept, pinned),
    )
    return [kept[i] for i in chosen]


async def _shortlist(
    longlist: Sequence[Candidate], parameters: Parameters, search: Search, report: Report
) -> list[Shortlisted]:
    """S_t: the B papers with the highest mean similarity of abstract and chosen pages, within their grade."""
    focal = await search.vector()
    pages = await all_of(_pages(c.paper_id, focal, parameters, search, report) for c in longlist)
    scores = [mean_similarity(c.similarity, chosen) for c, chosen in zip(longlist, pages, strict=True)]
    return [
        Shortlisted(paper_id=longlist[i].paper_id, score=scores[i], pages=tuple(page.number for page in pages[i]))
        for i in rank(scores, _tiers(longlist, search.pinned))[: parameters.breadth]
    ]


async def _pages(
    paper_id: PaperId, focal: np.ndarray, parameters: Parameters, search: Search, report: Report
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
