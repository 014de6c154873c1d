"""From the taxonomy to the outline: two to four topics, and each shortlisted paper in one of them."""

from collections.abc import Sequence

from marwg.agents.organization.steps import ATTEMPTS, BATCH, Steps
from marwg.concurrency import all_of
from marwg.errors import KeyRefused, ModelError, NothingFound
from marwg.events import Notice, Report
from marwg.language_models import Models
from marwg.library import Library
from marwg.organizing.expansion import batches
from marwg.organizing.outline import MOST, in_no_topic
from marwg.organizing.outline_making import (
    densest,
    homes_of,
    nearest_topic,
    outline_from,
    problems,
    with_choices,
    with_secondary,
    with_uncovered,
    without_thin,
)
from marwg.organizing.taxonomy import dags_of
from marwg.tasks import AssignTopics, MakeOutline, NodeView, Source, TopicChoice, TopicView
from marwg.text.sources import match_ids, source_of
from marwg.types import CandidateSet, Outline, PaperId, Request, Taxonomy

_WORDS = 120
_WORD = {1: "one", 2: "two", 3: "three", 4: "four"}


async def outline(
    request: Request,
    candidates: CandidateSet,
    taxonomy: Taxonomy,
    models: Models,
    library: Library,
    report: Report,
    kept: Outline | None = None,
    wish: str = "",
) -> Outline:
    """The outline of the section; what the user fixed in `kept` stays as it is, `wish` is in the user's words.

    Fixed are titles, their order, pinned papers, papers taken out and the number of topics. A model that cannot keep to
    the rules is told so twice; then the densest nodes of the taxonomy become the topics.
    """
    all_sources = _sources(candidates, library)
    taken_out = _taken_out(kept) if kept else frozenset()
    sources = {i: s for i, s in all_sources.items() if i not in taken_out} or all_sources
    steps = Steps(models, report)
    made = await _propose(request, taxonomy, sources, kept or Outline(topics=()), wish, steps)
    papers, homes = list(sources), homes_of(taxonomy)
    why: dict[PaperId, str] = {}
    if missing := in_no_topic(made, papers):
        try:
            made, why = with_choices(made, await _choices(request, made, missing, sources, steps), missing)
        except KeyRefused:
            raise
        except ModelError as error:
            report(Notice(text=f"Papers were put into topics by the taxonomy alone: {error.message}", level="warning"))
        made = _by_nodes(made, [p for p in missing if why.get(p) != "it fits no topic"], homes)
    made, merged = without_thin(with_secondary(made, taxonomy), homes, len(papers))
    for sentence in merged:
        report(Notice(text=sentence))
    if kept:
        made = made.model_copy(update={"at_most": kept.at_most, "uncovered": kept.uncovered})
    return with_uncovered(made, list(all_sources), why)


async def assign_topics(
    request: Request, outline: Outline, candidates: CandidateSet, models: Models, library: Library
) -> Outline:
    """The outline with a topic for each paper that has none, and with papers for each topic that has none.

    Papers that are at home move only into a topic that was empty, and pinned ones never.
    """
    sources = _sources(candidates, library)
    steps = Steps(models, lambda event: None)
    papers = list(sources)
    taken_out = _taken_out(outline)
    missing = tuple(p for p in in_no_topic(outline, papers) if p not in taken_out)
    empty = {t.topic_id for t in outline.topics if not t.papers}
    pinned = {p for t in outline.topics for p in t.pinned}
    asked = [p for p in papers if p not in pinned and p not in taken_out] if empty else list(missing)
    if not asked:
        return with_uncovered(outline, papers, {})
    choices = await _choices(request, outline, asked, sources, steps)
    wanted = {p: c for p, c in choices.items() if p in missing or c.primary.strip() in empty}
    made, why = with_choices(outline, wanted, [p for p in asked if p in missing or p in wanted])
    return with_uncovered(made, papers, why)


async def divide(
    request: Request,
    outline: Outline,
    topic_ids: Sequence[str],
    candidates: CandidateSet,
    models: Models,
    library: Library,
) -> Outline:
    """The outline with the papers of these topics divided among them anew; no other topic and no pinned paper moves."""
    sources = _sources(candidates, library)
    parts = [t for t in outline.topics if t.topic_id in topic_ids]
    papers = [p for t in parts for p in t.papers if p in sources and p not in t.pinned]
    if not papers:
        return outline
    among = Outline(topics=tuple(t.model_copy(update={"papers": t.pinned}) for t in parts))
    choices = await _choices(request, among, papers, sources, Steps(models, lambda event: None))
    ids = {t.topic_id for t in parts}
    placed = {p: c for p, c in choices.items() if c.primary.strip() in ids}
    return with_choices(outline, placed, [p for p in papers if p in placed])[0]


def _taken_out(outline: Outline) -> frozenset[PaperId]:
    """The papers that the user took out: nothing puts them back but the user."""
    return frozenset(u.paper_id for u in outline.uncovered if u.by_user)


def _sources(candidates: CandidateSet, library: Library) -> dict[PaperId, Source]:
    ids = [s.paper_id for s in candidates.shortlist]
    papers = {p.paper_id: p for p in library.papers(ids)}
    if not papers:
        raise NothingFound("There is no paper to make an outline from.", "Add papers on the topic to the library.")
    return {i: source_of(papers[i], words=_WORDS) for i in ids if i in papers}


# ---------------------------------------------------------------- topics


async def _propose(
    request: Request,
    taxonomy: Taxonomy,
    sources: dict[PaperId, Source],
    kept: Outline,
    wish: str,
    steps: Steps,
) -> Outline:
    """The first proposal that keeps the rules, else the densest nodes."""
    fixed = tuple(t for t in kept.topics if t.fixed_by_user)
    if kept.at_most:
        wish = f"{wish} At most {_WORD.get(kept.at_most, str(kept.at_most))} topics.".strip()
    nodes, papers = _views(taxonomy), list(sources)
    known = {n.node_id for n in taxonomy.nodes}
    problem = ""
    try:
        for _ in range(ATTEMPTS):
            task = MakeOutline(
                focal=request.focal,
                nodes=nodes,
                papers=tuple(sources.values()),
                kept_titles=tuple(t.title for t in fixed),
                wish=wish,
                problem=problem,
            )
            reply = await steps.run(task, "making the outline")
            if not (found := problems(reply.topics, known, papers, fixed, kept.at_most)):
                return outline_from(reply.topics, papers, fixed)
            problem = " ".join(found[:8])
    except KeyRefused:
        raise
    except ModelError as error:
        problem = error.message
    steps.report(
        Notice(text=f"The outline was made from the densest topics of the taxonomy: {problem}", level="warning")
    )
    pinned = {p for t in fixed for p in t.pinned}
    return outline_from(densest(taxonomy, papers, fixed, pinned, kept.at_most or MOST), papers, fixed)


def _views(taxonomy: Taxonomy) -> tuple[NodeView, ...]:
    """All nodes that say something: those below the roots, and roots that were not divided."""
    return tuple(
        NodeView(id=n, path=dag.path(n), gloss=dag.gloss(n), papers=dag.papers(n))
        for dag in dags_of(taxonomy).values()
        for n in dag.nodes
        if n != dag.root or (len(dag.nodes) == 1 and dag.papers(n))
    )


# ---------------------------------------------------------------- papers


async def _choices(
    request: Request, outline: Outline, papers: Sequence[PaperId], sources: dict[PaperId, Source], steps: Steps
) -> dict[PaperId, TopicChoice]:
    topics = tuple(TopicView(id=t.topic_id, title=t.title, papers=t.papers) for t in outline.topics)
    tasks = [
        AssignTopics(focal=request.focal, topics=topics, papers=tuple(sources[p] for p in part))
        for part in batches(papers, BATCH)
    ]
    replies = await all_of(steps.run(task, "putting papers into topics") for task in tasks)
    said: list[TopicChoice] = [choice for reply in replies for choice in reply.papers]
    return match_ids(said, papers).found


def _by_nodes(outline: Outline, papers: Sequence[PaperId], homes: dict[PaperId, frozenset[str]]) -> Outline:
    """The outline with those of these papers that still have no topic in the one that shares most nodes with them."""
    choices = {}
    for paper in in_no_topic(outline, papers):
        if topic := nearest_topic([paper], outline.topics, homes):
            choices[paper] = TopicChoice(id=paper, primary=topic.topic_id)
    return with_choices(outline, choices, list(choices))[0]
