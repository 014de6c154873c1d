"""From the shortlist to the taxonomy: papers are sorted into dimensions, and the dimensions grow at the same time."""

from collections.abc import Coroutine, Sequence
from typing import Any

from marwg.agents.organization.growing import Growing
from marwg.agents.organization.steps import BATCH, Steps, most_calls, shared
from marwg.concurrency import all_of
from marwg.errors import KeyRefused, ModelError, NothingFound
from marwg.events import Notice, Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.organizing.expansion import batches
from marwg.organizing.taxonomy import Dag, dags_of, restricted, taxonomy_of
from marwg.tasks import ClassifyDimensions, DimensionChoice, Source
from marwg.text.sources import match_ids, source_of
from marwg.types import CandidateSet, Dimension, PaperId, Request, Taxonomy

_WORDS = 300
"""Of an abstract, at most so many words are shown."""

KNOWN = 2 / 3
"""An earlier taxonomy is gone on with if it knows so many of the papers; with fewer a new one is grown."""


async def organize(
    request: Request,
    candidates: CandidateSet,
    models: Models,
    library: Library,
    index: Index,
    report: Report,
    batch: int = BATCH,
    previous: Taxonomy | None = None,
) -> Taxonomy:
    """The taxonomy of the shortlisted papers; every one of them is at least at one root.

    Papers that `previous` has keep their places: only the others are sorted, placed, and grown where they fill a node. A
    dimension whose model fails stays as it was grown until then, and a notice says so; a refused key and a reached
    limit end the stage, and so does a model that failed in every dimension.
    """
    papers = {p.paper_id: p for p in library.papers([s.paper_id for s in candidates.shortlist])}
    sources = {
        s.paper_id: source_of(papers[s.paper_id], words=_WORDS) for s in candidates.shortlist if s.paper_id in papers
    }
    if not sources:
        raise NothingFound("There is no paper to organize.", "Add papers on the topic to the library.")
    if gone := len(candidates.shortlist) - len(sources):
        what = "One paper of the shortlist is" if gone == 1 else f"{gone} papers of the shortlist are"
        report(Notice(text=f"{what} not in the library any more and left out.", level="warning"))
    steps = Steps(models, report)
    earlier = restricted(previous, list(sources)) if previous else None
    known = {p for n in earlier.nodes for p in n.papers} if earlier else set()
    if len(known) < KNOWN * len(sources):
        earlier, known = None, set()
    new = {i: s for i, s in sources.items() if i not in known}
    dimensions = await _classify(new, steps, batch)
    vectors = await index.vectors(list(sources))
    there = dags_of(earlier) if earlier else {}
    growing = [
        Growing(there.get(d) or Dag(d, ()), request.parameters, sources, vectors, index, steps, batch)
        for d in Dimension
    ]
    failures = await all_of(
        _reported(g.take_in([i for i in new if g.dag.dimension in dimensions[i]]), g, report) for g in growing
    )
    failed = {g.dag.dimension: f for g, f in zip(growing, failures, strict=True) if f}
    await _grow([g for g in growing if g.dag.dimension not in failed], failed, most_calls(len(sources), batch), steps)
    tried = [g.dag.dimension for g in growing if g.asked]
    if tried and all(d in failed for d in tried):
        raise failed[tried[0]]
    return taxonomy_of(g.dag for g in growing)


async def _grow(growing: list[Growing], failed: dict[Dimension, ModelError], most: int, steps: Steps) -> None:
    """Grows the dimensions round by round, all at the same time, as long as the calls last; failures go into `failed`.

    The built-in writer's answers cost nothing and are not counted.
    """
    free = steps.models.is_built_in("generator")
    while due := [(g, need) for g in growing if g.dag.dimension not in failed and (need := g.need())]:
        left = 10**6 if free else most - steps.begun
        granted = list(zip((g for g, _ in due), shared(left, [need for _, need in due]), strict=True))
        rounds = [(g, spare) for g, spare in granted if spare is not None]
        if stopped := [g for g, spare in granted if spare is None]:
            names = ", ".join(g.dag.dimension.value for g in stopped)
            steps.report(Notice(text=f"Not divided further, to stay within the calls of this stage: {names}."))
        errors = await all_of(_reported(g.round(spare), g, steps.report) for g, spare in rounds)
        failed |= {g.dag.dimension: e for (g, _), e in zip(rounds, errors, strict=True) if e}
        growing = [g for g, _ in rounds]


async def _reported(work: Coroutine[Any, Any, None], growing: Growing, report: Report) -> ModelError | None:
    """Does a part of the work on one dimension; what a model error leaves of it stays, and the error is given back."""
    try:
        await work
    except KeyRefused:
        raise
    except ModelError as error:
        name = growing.dag.dimension.value
        done = "is not divided" if len(growing.dag.nodes) == 1 else "is divided only in part"
        report(Notice(text=f"The dimension {name} {done}: {error.message}", level="warning"))
        return error
    return None


async def _classify(sources: dict[PaperId, Source], steps: Steps, batch: int) -> dict[PaperId, frozenset[Dimension]]:
    """The dimensions of each paper; those left out are asked for once more, and then count as Task."""

    async def ask(ids: Sequence[PaperId]) -> list[DimensionChoice]:
        tasks = [ClassifyDimensions(papers=tuple(sources[i] for i in part)) for part in batches(ids, batch)]
        replies = await all_of(steps.run(task, "sorting papers into dimensions") for task in tasks)
        return [choice for reply in replies for choice in reply.papers if choice.dimensions]

    ids = list(sources)
    choices = match_ids(await ask(ids), ids)
    found = choices.found
    if choices.missing:
        found = found | match_ids(await ask(choices.missing), choices.missing).found
    if unsorted := [i for i in ids if i not in found]:
        number = "one paper" if len(unsorted) == 1 else f"{len(unsorted)} papers"
        steps.report(Notice(text=f"The model put {number} into no dimension; counted under Task."))
    return {i: frozenset(found[i].dimensions if i in found else (Dimension.TASK,)) for i in ids}
