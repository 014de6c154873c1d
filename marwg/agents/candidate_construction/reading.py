"""The reading pass: a language model grades the candidates and asks for what is missing."""

from collections.abc import Sequence

from marwg.agents.candidate_construction.searching import Found, Search
from marwg.concurrency import all_of
from marwg.errors import KeyRefused, ModelError
from marwg.events import Notice, Progress, Report
from marwg.language_models import Models
from marwg.tasks import AskForMissing, CandidateGrade, ReadCandidates
from marwg.text.sources import match_ids, source_of
from marwg.types import Focal, Paper, PaperId, Stage

BATCH = 30
WORDS = 60
QUERIES = 10

Grades = dict[PaperId, CandidateGrade]


async def read(
    focal: Focal, found: Sequence[Found], search: Search, models: Models, report: Report
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
        kept = [source_of(f.paper, words=0) for f in found if grade_of(grades.get(f.paper.paper_id)) in (2, 3)]
        reply = await models.run(AskForMissing(focal=focal, kept=tuple(kept)))
        queries = tuple(dict.fromkeys(" ".join(q.split()) for q in reply.queries if q.strip()))[:QUERIES]
        more = await search.more(queries, found, report)
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


def grade_of(said: CandidateGrade | None) -> int | None:
    """The grade as one of 0 to 3; None where the model gave none."""
    return None if said is None else min(max(said.grade, 0), 3)
