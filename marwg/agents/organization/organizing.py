"""From the shortlist to the taxonomy: papers are sorted into dimensions, and the dimensions grow at the same time."""

from collections.abc import Sequence

from marwg.agents.organization.growing import Growing
from marwg.agents.organization.steps import BATCH, Steps
from marwg.concurrency import all_of
from marwg.errors import KeyRefused, ModelError, NothingFound
from marwg.events import Notice, Report
from marwg.expansion import batches
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.sources import match_ids, source_of
from marwg.tasks import ClassifyDimensions, DimensionChoice, Source
from marwg.taxonomy import Dag, taxonomy_of
from marwg.types import CandidateSet, Dimension, PaperId, Request, Taxonomy

_WORDS = 300
"""Of an abstract, at most so many words are shown."""


async def organize(
    request: Request,
    candidates: CandidateSet,
    models: Models,
    library: Library,
    index: Index,
    report: Report,
    batch: int = BATCH,
) -> Taxonomy:
    """The taxonomy of the shortlisted papers; every one of them is at least at one root.

    A dimension whose model fails stays as it was grown until then, and a notice says so; a refused key and a reached
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
    dimensions = await _classify(sources, steps, batch)
    vectors = await index.vectors(list(sources))
    growing = [
        Growing(
            Dag(d, [i for i in sources if d in dimensions[i]]),
            request.parameters,
            sources,
            vectors,
            index,
            steps,
            batch,
        )
        for d in Dimension
    ]
    failures = await all_of(_grow(dimension, report) for dimension in growing)
    tried = [f for g, f in zip(growing, failures, strict=True) if g.asked]
    if tried and all(tried):
        raise next(f for f in tried if f)
    return taxonomy_of(g.dag for g in growing)


async def _grow(growing: Growing, report: Report) -> ModelError | None:
    """Grows one dimension; what a model error leaves of it stays, and the error is reported and given back."""
    try:
        await growing.grow()
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
