"""What the systems share: a plain search under the cut-off of the topic, texts as they need them, whole papers at a time
or one by one."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import numpy as np

from marwg.concurrency import all_of
from marwg.events import Report
from marwg.index import Index
from marwg.language_models import Models, Role
from marwg.library import Library
from marwg.tasks import (
    AssignChildren,
    AssignTopics,
    ClassifyDimensions,
    CorrectClaims,
    DraftSection,
    JudgeClaims,
    LabelPapers,
    Reply,
    SectionPlan,
    SectionReply,
    Source,
    Summarize,
    Task,
)
from marwg.text.sources import appeared, same_title, source_of
from marwg.types import (
    CARD_FIELDS,
    Candidate,
    CandidateSet,
    Card,
    Page,
    Paper,
    PaperId,
    Passage,
    Request,
    Section,
    Shortlisted,
)
from marwg.writing.sections import section_of

SEARCHED = 6
"""Papers that a search brings for each one of B; as many as C has."""


@dataclass(frozen=True)
class Setup:
    """What every system is given: the request and the same models, corpus and index."""

    request: Request
    models: Models
    library: Library
    index: Index
    report: Report

    @property
    def breadth(self) -> int:
        return self.request.parameters.breadth

    @property
    def query(self) -> str:
        return f"{self.request.focal.title}\n{self.request.focal.abstract}"

    def sources(self, ids: Iterable[PaperId]) -> tuple[Source, ...]:
        """The papers on their abstracts."""
        return tuple(source_of(p) for p in self.library.papers(list(ids)))


# ---------------------------------------------------------------- retrieval


async def searched(setup: Setup, query: str, limit: int) -> list[tuple[PaperId, float]]:
    """The nearest papers by cosine, under the same conditions as for everyone: not the focal paper, not later than it."""
    until, focal = setup.request.parameters.until, setup.request.focal
    hits = await setup.index.search(query, 2 * limit + 20, lexical=False)
    papers = {p.paper_id: p for p in setup.library.papers([h.paper_id for h in hits])}

    def allowed(paper: Paper) -> bool:
        since = appeared(paper)
        late = until is not None and (since is None or since > (until.year, until.month))
        return not late and not same_title(paper.title, focal.title)

    return [(h.paper_id, h.similarity) for h in hits if allowed(papers[h.paper_id])][:limit]


def as_candidates(ranked: Sequence[tuple[PaperId, float]], breadth: int) -> CandidateSet:
    """A ranking in the form that the agents take: its first B papers are the shortlist."""
    return CandidateSet(
        candidates=tuple(Candidate(paper_id=i, similarity=s, score=s) for i, s in ranked),
        longlist=tuple(i for i, _ in ranked[: 3 * breadth]),
        shortlist=tuple(Shortlisted(paper_id=i, score=s) for i, s in ranked[:breadth]),
    )


async def cosines(setup: Setup, ids: Sequence[PaperId], text: str) -> dict[PaperId, float]:
    """How near papers are to a text."""
    rows = await setup.index.vectors(ids)
    vector: np.ndarray = (await setup.index.embedder.aencode([text]))[0]
    return {i: float(row @ vector) for i, row in rows.items()}


# ---------------------------------------------------------------- writing


async def flat(setup: Setup, papers: Sequence[Source], task: Task[SectionReply]) -> tuple[Section, ...]:
    """One section without heading by a baseline's own task; the built-in writer, which does not know it, drafts one
    section from the same papers."""
    plan = SectionPlan(topic_id="all", title="", index=0, titles=("",), words=setup.request.parameters.words)
    return (await written(setup, plan, papers, task),)


async def written(setup: Setup, plan: SectionPlan, papers: Sequence[Source], task: Task[SectionReply]) -> Section:
    """A section by a baseline's own task, or by the built-in writer as one of a plan; with ids as they were given."""
    if setup.models.is_built_in():
        task = DraftSection(focal=setup.request.focal, plan=plan, papers=tuple(papers), facts=())
    reply = await setup.models.run(task)
    texts = {s.id: ((0, s.abstract),) for s in papers}
    return section_of(reply, plan.topic_id, plan.title, texts)


def summary_of(card: Card) -> str:
    """What a card says, as running text."""
    cells = [getattr(card, name).text.strip() for name in CARD_FIELDS]
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in dict.fromkeys(cells) if text)


# ---------------------------------------------------------------- summaries in place of papers


class SummaryLibrary:
    """The library with every paper's summary in place of its text: evidence as in the paper."""

    def __init__(self, library: Library, cards: Iterable[Card]) -> None:
        self._library = library
        self._texts: Mapping[PaperId, str] = {c.paper_id: summary_of(c) for c in cards}

    def papers(self, ids: Sequence[PaperId] | None = None) -> list[Paper]:
        found = self._library.papers(ids)
        return [p.model_copy(update={"abstract": self._texts.get(p.paper_id) or p.title}) for p in found]

    def pages(self, paper_id: PaperId) -> list[Page]:
        return []


class WithoutPassages:
    """The index, but for passages of pages: there are none."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.embedder = index.embedder

    async def vectors(self, paper_ids: Sequence[PaperId]) -> dict[PaperId, np.ndarray]:
        return await self._index.vectors(paper_ids)

    async def passages(self, paper_id: PaperId) -> list[tuple[Passage, np.ndarray]]:
        return []


# ---------------------------------------------------------------- one paper a call

_SPLIT: Mapping[type[Task[Any]], tuple[str, str]] = {
    Summarize: ("papers", "cards"),
    ClassifyDimensions: ("papers", "papers"),
    LabelPapers: ("papers", "papers"),
    AssignChildren: ("papers", "papers"),
    AssignTopics: ("papers", "papers"),
    JudgeClaims: ("claims", "verdicts"),
    CorrectClaims: ("claims", "claims"),
}
"""The batched tasks: the variable that holds the batch, and the field of the reply that holds the answers."""


class OneByOne:
    """Models that are asked about one paper, or one claim, in each call."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def __getattr__(self, name: str) -> Any:
        return getattr(self._models, name)

    async def run(self, task: Task[Any], role: Role = "generator") -> Reply:
        """The answers to the parts of a task as one reply."""
        if type(task) not in _SPLIT:
            return cast(Reply, await self._models.run(task, role))
        many, answers = _SPLIT[type(task)]
        parts = [task.model_copy(update={many: (item,)}) for item in getattr(task, many)]
        replies = await all_of(self._models.run(part, role) for part in parts)
        return task.reply.model_validate({answers: tuple(chain.from_iterable(getattr(r, answers) for r in replies))})

    async def stream(self, task: Task[Any], role: Role = "generator") -> AsyncIterator[Reply]:
        if type(task) in _SPLIT:
            yield await self.run(task, role)
        else:
            async for reply in self._models.stream(task, role):
                yield reply
