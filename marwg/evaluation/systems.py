"""The systems that are compared: each a small composition of the existing parts, all on the same corpus, index and B.

docs/evaluation.md says of each what it is after, what is simplified against the original, and what stands in for a
language model offline.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from marwg.agents import candidate_construction, fact_checking, integration, organization, summarization
from marwg.concurrency import all_of
from marwg.evaluation.parts import (
    SEARCHED,
    OneByOne,
    Setup,
    SummaryLibrary,
    WithoutPassages,
    as_candidates,
    cosines,
    flat,
    searched,
    summary_of,
    written,
)
from marwg.evaluation.tasks import KeywordQueries, PlanSentences, WriteAtOnce, WriteByPlan, WriteWithMemory
from marwg.extractive.focal import terms
from marwg.tasks import DraftSection, ReadCandidates, SectionPlan, Source, Task
from marwg.text.markup import body, unique
from marwg.text.sources import match_ids, source_of
from marwg.types import CandidateSet, Card, Draft, Ledger, Outline, PaperId, Parameters, Section, Taxonomy
from marwg.writing.sections import polish, section_of

_READ_AT_ONCE = 30
_READ_WORDS = 60
_QUERIES = 5


@dataclass(frozen=True)
class Made:
    """What a system gives: the text, the ranking that it drew on, the papers that it wrote from, a ledger if it has one."""

    sections: tuple[Section, ...]
    ranked: tuple[PaperId, ...]
    shortlist: tuple[PaperId, ...]
    ledger: Ledger | None = None


@dataclass(frozen=True)
class System:
    """A system under its name; `always_built_in` where no language model ever writes it."""

    name: str
    title: str
    run: Callable[[Setup], Awaitable[Made]]
    always_built_in: bool = False


# ---------------------------------------------------------------- ours and its ablations


@dataclass(frozen=True)
class Without:
    """What an ablation leaves out."""

    summaries: bool = False
    taxonomy: bool = False
    feedback: bool = False
    checking: bool = False


def _ours(without: Without) -> Callable[[Setup], Awaitable[Made]]:
    async def run(setup: Setup) -> Made:
        candidates = await candidate_construction.construct(
            setup.request, setup.models, setup.library, setup.index, setup.report
        )
        return await _method(setup, candidates, without)

    return run


async def _method(setup: Setup, candidates: CandidateSet, without: Without) -> Made:
    """The stages after candidate construction, as the pipeline runs them."""
    request = _with_parameters(setup, feedback_rounds=0).request if without.feedback else setup.request
    models, library, index, report = setup.models, setup.library, setup.index, setup.report

    async def cards() -> tuple[tuple[Card, ...], Card]:
        if without.summaries:
            return tuple(Card(paper_id=s.paper_id) for s in candidates.shortlist), Card(paper_id="focal")
        return await summarization.summarize(request, candidates, models, library, report)

    async def outline() -> Outline:
        taxonomy = Taxonomy(nodes=())
        if not without.taxonomy:
            taxonomy = await organization.organize(request, candidates, models, library, index, report)
        return await organization.outline(request, candidates, taxonomy, models, library, report)

    made: list[Any] = await all_of((cards(), outline()))
    (summaries, focal_card), topics = made
    draft = await integration.write(request, topics, candidates, summaries, focal_card, models, library, report)
    ledger = None
    if not without.checking:
        draft, ledger = await fact_checking.verify(
            request, draft, candidates, summaries, models, library, index, report
        )
    return _made(draft, candidates, ledger)


def _made(draft: Draft, candidates: CandidateSet, ledger: Ledger | None = None) -> Made:
    shortlist = tuple(s.paper_id for s in candidates.shortlist)
    # The order in which papers would be taken: S_t, then L, then C.
    ranked = unique((*shortlist, *candidates.longlist, *(c.paper_id for c in candidates.candidates)))
    return Made(draft.sections, ranked, shortlist, ledger)


def _with_parameters(setup: Setup, **changed: Any) -> Setup:
    parameters = Parameters.model_validate(setup.request.parameters.model_dump() | changed)
    request = setup.request.model_copy(update={"parameters": parameters})
    return Setup(request, setup.models, setup.library, setup.index, setup.report)


async def _as_in_the_paper(setup: Setup) -> Made:
    """MA-RWG with similarity alone, the paper's diversity rule, a fixed clustering cut, summaries as evidence, and one
    call for each paper and each claim."""
    setup = _with_parameters(setup, selection="similarity", diversity_rule="paper", clustering="cut")
    models = cast(Any, OneByOne(setup.models))
    setup = Setup(setup.request, models, setup.library, setup.index, setup.report)
    request, report = setup.request, setup.report
    candidates = await candidate_construction.construct(request, models, setup.library, setup.index, report)
    cards, focal_card = await summarization.summarize(request, candidates, models, setup.library, report)
    taxonomy = await organization.organize(request, candidates, models, setup.library, setup.index, report)
    outline = await organization.outline(request, candidates, taxonomy, models, setup.library, report)
    draft = await integration.write(request, outline, candidates, cards, focal_card, models, setup.library, report)
    library, index = cast(Any, SummaryLibrary(setup.library, cards)), cast(Any, WithoutPassages(setup.index))
    draft, ledger = await fact_checking.verify(request, draft, candidates, cards, models, library, index, report)
    return _made(draft, candidates, ledger)


# ---------------------------------------------------------------- baselines


async def _naive_rag(setup: Setup) -> Made:
    """Retrieve B papers, write at once from their abstracts."""
    ranked = [i for i, _ in await searched(setup, setup.query, SEARCHED * setup.breadth)]
    papers = setup.sources(ranked[: setup.breadth])
    sections = await flat(setup, papers, _at_once(setup, papers))
    return Made(sections, tuple(ranked), tuple(ranked[: setup.breadth]))


def _at_once(setup: Setup, papers: Sequence[Source]) -> WriteAtOnce:
    return WriteAtOnce(focal=setup.request.focal, words=setup.request.parameters.words, papers=tuple(papers))


async def _citegeist(setup: Setup) -> Made:
    """Longlist, pages, summaries, then one prompt that sees the summaries alone; everything keyed by paper id."""
    setup = _with_parameters(setup, selection="similarity", diversity_rule="paper")
    request, report = setup.request, setup.report
    candidates = await candidate_construction.construct(request, setup.models, setup.library, setup.index, report)
    cards, _ = await summarization.summarize(request, candidates, setup.models, setup.library, report)
    papers = {p.paper_id: p for p in setup.library.papers([c.paper_id for c in cards])}
    summaries = [source_of(papers[c.paper_id].model_copy(update={"abstract": summary_of(c)})) for c in cards]
    sections = await flat(setup, summaries, _at_once(setup, summaries))
    return _made(Draft(author=setup.models.name(), sections=sections), candidates)


async def _litllm(setup: Setup) -> Made:
    """Keyword queries, their hits reranked with reasons, a sentence plan, generation along the plan."""
    focal, words = setup.request.focal, setup.request.parameters.words
    if setup.models.is_built_in():
        phrases = [form for _, form in terms(focal)][: 2 * _QUERIES]
        queries = [" ".join(pair) for pair in list(pairwise(phrases))[::2]] or [focal.title]
    else:
        queries = list((await setup.models.run(KeywordQueries(focal=focal))).queries)[:_QUERIES] or [focal.title]
    found = await all_of(searched(setup, query, 3 * setup.breadth) for query in queries)
    best: dict[PaperId, float] = {}
    for hits in found:
        for paper_id, similarity in hits:
            best[paper_id] = max(similarity, best.get(paper_id, -1.0))
    pool = sorted(best, key=lambda i: (-best[i], i))[: SEARCHED * setup.breadth]
    ranked = await _reranked(setup, pool)
    papers = setup.sources(ranked[: setup.breadth])
    plan: tuple[str, ...] = ("",)
    if not setup.models.is_built_in():
        planned = await setup.models.run(PlanSentences(focal=focal, words=words, papers=papers))
        plan = tuple(f"{s.says} {' '.join(f'[@{i}]' for i in s.cite)}".strip() for s in planned.sentences)
    sections = await flat(setup, papers, WriteByPlan(focal=focal, words=words, papers=papers, plan=plan))
    return Made(sections, tuple(ranked), tuple(ranked[: setup.breadth]))


async def _reranked(setup: Setup, pool: Sequence[PaperId]) -> list[PaperId]:
    """The pool by the grades that the model gives with its reasons, then by nearness to the focal paper."""
    near = await cosines(setup, pool, setup.query)
    papers = [source_of(p, words=_READ_WORDS) for p in setup.library.papers(sorted(near, key=lambda i: (-near[i], i)))]
    batches = [papers[i : i + _READ_AT_ONCE] for i in range(0, len(papers), _READ_AT_ONCE)]
    tasks = [ReadCandidates(focal=setup.request.focal, papers=tuple(batch)) for batch in batches]
    grades: dict[PaperId, int] = {}
    for batch, reply in zip(batches, await all_of(setup.models.run(task) for task in tasks), strict=True):
        grades |= {i: g.grade for i, g in match_ids(reply.papers, [p.id for p in batch]).found.items()}
    return sorted(near, key=lambda i: (-grades.get(i, 0), -near[i], i))


async def _surveyforge(setup: Setup) -> Made:
    """An outline learnt from what was retrieved, then each section with a retrieval of its own, balanced over two-year
    windows, and with the sections before it as memory."""
    focal, words = setup.request.focal, setup.request.parameters.words
    ranked = await searched(setup, setup.query, SEARCHED * setup.breadth)
    candidates = as_candidates(ranked, setup.breadth)
    outline = await organization.outline(
        setup.request, candidates, Taxonomy(nodes=()), setup.models, setup.library, setup.report
    )
    titles = tuple(t.title for t in outline.topics)
    share = -(-setup.breadth // max(1, len(titles)))
    sections: list[Section] = []
    used: list[PaperId] = []
    for number, topic in enumerate(outline.topics):
        room = min(share, setup.breadth - len(used))
        chosen = await _for_section(setup, f"{topic.title}. {focal.title}", room, used)
        used += chosen
        plan = SectionPlan(
            topic_id=topic.topic_id, title=topic.title, index=number, titles=titles, words=words // len(titles)
        )
        papers = setup.sources(chosen)
        memory = "\n\n".join(body(s) for s in sections)
        task: Task[Any] = WriteWithMemory(focal=focal, plan=plan, papers=papers, written=memory)
        if papers:
            sections.append(await written(setup, plan, papers, task))
    ids = unique((*used, *(i for i, _ in ranked)))
    return Made(polish(sections), ids, tuple(used))


async def _for_section(setup: Setup, query: str, room: int, used: Sequence[PaperId]) -> list[PaperId]:
    """The best papers for one section that no other has, each two-year window in proportion to its share of the hits."""
    hits = [(i, s) for i, s in await searched(setup, query, 3 * setup.breadth) if i not in used][: 3 * room]
    years = {p.paper_id: p.year or 0 for p in setup.library.papers([i for i, _ in hits])}
    windows: dict[int, list[PaperId]] = {}
    for paper_id, _ in hits:
        windows.setdefault(years[paper_id] // 2, []).append(paper_id)
    taken = [i for members in windows.values() for i in members[: max(1, round(room * len(members) / len(hits)))]]
    rest = [i for i, _ in hits if i not in taken]
    order = {i: n for n, (i, _) in enumerate(hits)}
    return sorted([*taken, *rest][:room], key=order.__getitem__)


async def _rewos(setup: Setup) -> Made:
    """Extraction by topic, without any language model: the nearest papers in themes, a sentence of its own for each."""
    ranked = await searched(setup, setup.query, SEARCHED * setup.breadth)
    candidates = as_candidates(ranked, setup.breadth)
    outline = await organization.outline(
        setup.request, candidates, Taxonomy(nodes=()), setup.models, setup.library, setup.report
    )
    titles = tuple(t.title for t in outline.topics)
    words = setup.request.parameters.words // max(1, len(titles))
    sections = []
    for number, topic in enumerate(outline.topics):
        plan = SectionPlan(topic_id=topic.topic_id, title=topic.title, index=number, titles=titles, words=words)
        papers = setup.sources(topic.papers)
        task = DraftSection(focal=setup.request.focal, plan=plan, papers=papers, facts=())
        reply = await setup.models.run(task)
        sections.append(section_of(reply, topic.topic_id, topic.title, {s.id: ((0, s.abstract),) for s in papers}))
    ids = tuple(i for i, _ in ranked)
    return Made(tuple(sections), ids, ids[: setup.breadth])


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("naive", "Naive RAG", _naive_rag),
        System("citegeist", "CiteGeist", _citegeist),
        System("litllm", "LitLLM", _litllm),
        System("surveyforge", "SurveyForge", _surveyforge),
        System("rewos", "ReWoS-style extraction", _rewos, always_built_in=True),
        System("paper", "MA-RWG as in the paper", _as_in_the_paper),
        System("ours", "ours", _ours(Without())),
        System("no-summaries", "ours − summarization", _ours(Without(summaries=True))),
        System("no-dag", "ours − DAG", _ours(Without(taxonomy=True))),
        System("no-feedback", "ours − feedback", _ours(Without(feedback=True))),
        System("no-checking", "ours − fact-checking", _ours(Without(checking=True))),
    )
}
"""Every system by name, in the order of the tables."""

ABLATIONS = ("ours", "no-summaries", "no-dag", "no-feedback", "no-checking")
