"""The organization agent on papers with themes, on replies of any kind, and within its number of calls."""

import asyncio
from collections import Counter

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.agents import organization
from marwg.agents.organization.steps import most_calls, shared
from marwg.errors import InvalidReply, KeyRefused, LimitReached, ModelUnavailable, NothingFound
from marwg.events import Event, Notice, Progress
from marwg.organizing.outline import add, drop, leave_out, move_papers, rename
from marwg.organizing.outline_shaping import split_named
from marwg.organizing.taxonomy import as_text, dags_of, restricted
from marwg.tasks import (
    AssignTopics,
    ChildChoice,
    ChildChoices,
    ClassifyDimensions,
    LabelPapers,
    MakeOutline,
    NameClusters,
    OutlineReply,
    PairChoice,
    PairChoices,
    PaperLabel,
    PaperLabels,
    SameTopic,
    Task,
    TopicChoice,
    TopicChoices,
    TopicReply,
)
from marwg.types import CandidateSet, Dimension, Focal, Outline, Parameters, Request, Shortlisted, Stage, Taxonomy
from tests.fake_library import FakeIndex, FakeLibrary
from tests.fake_model import FakeModels
from tests.organizing_model import good, hostile, papers

FOCAL = Focal(title="Checking citations", abstract="We check citations.")


class Stagehand:
    """The stage with a library of so many papers and a model that answers by a function."""

    def __init__(self, count: int = 30, answer=good, replies=None, built_in: bool = False, **parameters) -> None:
        self.library = FakeLibrary(papers(count))
        self.models = FakeModels(replies or {}, default=answer, built_in=built_in)
        self.request = Request(focal=FOCAL, parameters=Parameters(**parameters))
        shortlist = tuple(Shortlisted(paper_id=p.paper_id, score=1.0) for p in self.library.held)
        self.candidates = CandidateSet(candidates=(), longlist=(), shortlist=shortlist)
        self.ids = [s.paper_id for s in shortlist]
        self.events: list[Event] = []

    async def organize(self, previous: Taxonomy | None = None) -> Taxonomy:
        index = FakeIndex(self.library)
        args = (self.request, self.candidates, self.models, self.library, index, self.events.append)
        return await organization.organize(*args, previous=previous)

    async def outline(self, taxonomy: Taxonomy | None = None, **more) -> Outline:
        taxonomy = taxonomy or await self.organize()
        args = (self.request, self.candidates, taxonomy, self.models, self.library, self.events.append)
        return await organization.outline(*args, **more)

    def asked(self, kind: type[Task]) -> list:
        return [task for task in self.models.asked if isinstance(task, kind)]

    @property
    def notices(self) -> list[str]:
        return [e.text for e in self.events if isinstance(e, Notice)]


def check(taxonomy: Taxonomy, ids: list[str], max_level: int = 3) -> None:
    """What must hold of every taxonomy."""
    graph = nx.DiGraph(taxonomy.edges)
    assert nx.is_directed_acyclic_graph(graph)
    nodes = {n.node_id: n for n in taxonomy.nodes}
    for parent, child in taxonomy.edges:
        assert set(nodes[child].papers) <= set(nodes[parent].papers)
        assert nodes[parent].dimension == nodes[child].dimension
    dags = dags_of(taxonomy)
    assert list(dags) == list(Dimension)
    assert {p for d in dags.values() for p in d.papers(d.root)} == set(ids), "no paper is lost"
    for dag in dags.values():
        for node in dag.nodes[1:]:
            assert 2 <= dag.level(node) <= max_level
            assert len(dag.papers(node)) > 1
            assert 0 < len(dag.label(node)) <= 60
            assert "\n" not in dag.label(node)


def check_outline(outline: Outline, ids: list[str]) -> None:
    placed = [p for t in outline.topics for p in t.papers] + [u.paper_id for u in outline.uncovered]
    assert sorted(placed) == sorted(ids), "every paper is in one topic or reported"
    assert all(u.reason for u in outline.uncovered)
    assert (2 if len(ids) > 3 else 1) <= len(outline.topics) <= 4
    assert all(0 < len(t.title.split()) <= 10 for t in outline.topics)
    assert len({t.topic_id for t in outline.topics}) == len({t.title for t in outline.topics}) == len(outline.topics)


# ---------------------------------------------------------------- the taxonomy


async def test_papers_with_themes_grow_into_these_themes():
    stage = Stagehand()
    taxonomy = await stage.organize()
    check(taxonomy, stage.ids)
    dag = dags_of(taxonomy)[Dimension.METHODOLOGY]
    assert {dag.label(c) for c in dag.children(dag.root)} == {
        "dense retrieval", "query rewriting", "reinforcement learning", "graph networks", "distillation",
    }  # fmt: skip
    assert dag.uncovered(dag.root) == ()
    assert max(map(dag.level, dag.nodes)) == 3
    child = dag.children(dag.root)[0]
    assert set(dag.phrases(child).values()) == {dag.label(child)}, "the words that put a paper there"
    assert any(isinstance(e, Progress) and e.stage is Stage.TAXONOMY for e in stage.events)
    assert stage.notices == []
    assert "Methodology · 30 papers" in as_text(taxonomy)


def wordy(task: Task):
    """A careful reader who words each label differently, so that clusters have to be named, and places multi-label."""
    reply = good(task)
    if isinstance(reply, PaperLabels):
        said = [i.model_copy(update={"label": f"{i.label} {i.id}"}) for i in reply.papers]
        return PaperLabels(papers=tuple(said))
    if isinstance(task, NameClusters):
        named = [c.model_copy(update={"label": c.label.rpartition(" ")[0]}) for c in reply.clusters]
        return reply.model_copy(update={"clusters": tuple(named)})
    return reply


@pytest.mark.parametrize(("answer", "names"), [(good, False), (wordy, True)])
async def test_the_whole_stage_stays_within_its_calls(answer, names):
    stage = Stagehand(30, answer)
    outline = await stage.outline()
    calls = Counter(type(task).__name__ for task in stage.models.asked)
    assert sum(calls.values()) <= 45, calls
    assert calls["ClassifyDimensions"] == 2
    assert all(len(t.papers) <= 15 for t in stage.asked(LabelPapers) + stage.asked(ClassifyDimensions))
    assert bool(stage.asked(NameClusters)) == names, "labels that agree need no naming"
    check_outline(outline, stage.ids)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3, 5]), st.integers(3, 6))
def test_no_reply_makes_the_stage_take_more_calls(seed, density, max_level):
    async def stage() -> None:
        stage = Stagehand(30, hostile(seed), density=density, max_level=max_level)
        await stage.outline()
        assert len(stage.models.asked) <= 45

    asyncio.run(asyncio.wait_for(stage(), 20))


async def test_where_the_calls_end_the_tree_is_whole_and_it_is_told():
    stage = Stagehand(30, density=2, max_level=6)
    outline = await stage.outline()
    assert 35 <= len(stage.models.asked) <= 45
    assert any("to stay within the calls" in text for text in stage.notices)
    check_outline(outline, stage.ids)
    check(await stage.organize(), stage.ids, 6)


def test_calls_are_shared_in_order_the_least_first():
    assert shared(10, [(2, 5), (4, 6), (3, 9)]) == [1, 0, 0]
    assert shared(8, [(2, 5), (8, 9), (3, 9)]) == [3, None, 0]
    assert [most_calls(n) for n in (10, 30, 60)] == [41, 40, 83]


# ---------------------------------------------------------------- papers that come and go


async def test_one_more_paper_is_placed_and_nothing_else_is_asked():
    before = Stagehand(29)
    taxonomy = await before.organize()
    after = Stagehand(30)
    grown = await after.organize(taxonomy)
    check(grown, after.ids)
    fresh = Stagehand(30)
    await fresh.organize()
    assert len(after.models.asked) <= len(fresh.models.asked) / 3
    assert after.asked(LabelPapers) == [], "no node reached the density by one paper"
    assert {p.id for t in after.models.asked for p in t.papers} == {"p29"}
    old = {n.node_id: n for n in taxonomy.nodes}
    new = {n.node_id: n for n in grown.nodes}
    assert set(old) <= set(new)
    assert all(set(old[n].papers) == set(new[n].papers) - {"p29"} and old[n].label == new[n].label for n in old)
    dag = dags_of(grown)[Dimension.METHODOLOGY]
    assert "p29" in {p for c in dag.children(dag.root) for p in dag.papers(c)}


async def test_a_node_that_new_papers_fill_is_expanded():
    before, after = Stagehand(22), Stagehand(30)
    taxonomy = await before.organize()
    grown = await after.organize(taxonomy)
    check(grown, after.ids)
    assert after.asked(LabelPapers), "some nodes are now dense enough"
    assert all(t.level > 1 for t in after.asked(LabelPapers)), "the roots are divided already"


async def test_papers_that_are_gone_cost_no_call():
    taxonomy = await Stagehand(30).organize()
    fewer = Stagehand(26)
    left = await fewer.organize(taxonomy)
    check(left, fewer.ids)
    assert fewer.models.asked == []
    assert restricted(taxonomy, fewer.ids) == left


async def test_with_too_few_known_papers_it_is_grown_anew():
    taxonomy = await Stagehand(12).organize()
    stage, fresh = Stagehand(30), Stagehand(30)
    assert await stage.organize(taxonomy) == await fresh.organize()


async def test_the_result_does_not_depend_on_which_answer_comes_first():
    class Uneven(FakeModels):
        async def run(self, task, role="generator"):
            reply = await super().run(task, role)
            for _ in range(hash(task.model_dump_json()) % 7):
                await asyncio.sleep(0)
            return reply

    first, second = Stagehand(24), Stagehand(24)
    second.models = Uneven(default=good)
    assert await first.organize() == await second.organize()


async def test_later_batches_know_the_labels_used_before():
    stage = Stagehand(30)
    await stage.organize()
    first, second = (t for t in stage.asked(LabelPapers) if t.dimension is Dimension.TASK and t.level == 1)
    assert first.used_labels == ()
    assert set(second.used_labels) == {_label(p) for p in first.papers}


def _label(source) -> str:
    return source.abstract.split(";")[0]


async def test_nodes_of_one_level_share_batches_and_the_built_in_writer_gets_each_alone():
    together, alone = Stagehand(30), Stagehand(30, built_in=True)
    await together.organize()
    await alone.organize()
    assert any(len(t.nodes) > 1 for t in together.asked(LabelPapers))
    assert all(t.nodes == () for t in alone.asked(LabelPapers))
    finer = [t for t in alone.asked(LabelPapers) if t.level == 2]
    assert finer
    assert all(len(t.path) == 2 for t in finer)


@pytest.mark.parametrize(("count", "divided"), [(4, False), (5, True)])
async def test_delta_is_respected_at_equality(count, divided):
    def label(task: LabelPapers) -> PaperLabels:
        names = ("dense retrieval", "speech voices")
        return PaperLabels(papers=tuple(PaperLabel(id=p.id, label=names[int(p.id[1:]) % 2]) for p in task.papers))

    def both(task) -> ChildChoices:
        said = [ChildChoice(id=p.id, children=(task.children[int(p.id[1:]) % 2].id,)) for p in task.papers]
        return ChildChoices(papers=tuple(said))

    stage = Stagehand(count, replies={"label_papers": label, "assign_children": both})
    taxonomy = await stage.organize()
    assert bool(stage.asked(LabelPapers)) == divided
    assert (len(taxonomy.nodes) > 4) == divided


async def test_papers_that_fit_no_child_make_new_children_once_more():
    """Width expansion: what stays at the node is labelled again and grows into further children."""
    late = {f"p{n:02}" for n in range(20, 30)}

    def label(task: LabelPapers) -> PaperLabels:
        names = {p.id: ("alpha one", "beta two", "gamma three")[int(p.id[1:]) % 3] for p in task.papers}
        if not task.used_labels and {p.id for p in task.papers} <= late:
            names = {p.id: ("delta four", "epsilon five", "zeta six")[int(p.id[1:]) % 3] for p in task.papers}
        return PaperLabels(papers=tuple(PaperLabel(id=i, label=n) for i, n in names.items()))

    def assign(task) -> ChildChoices:
        new = {c.id: c.path[-1] for c in task.children}
        said = []
        for p in task.papers:
            wanted = "delta epsilon zeta".split() if p.id in late else "alpha beta gamma".split()
            mine = [i for i, name in new.items() if name.split()[0] == wanted[int(p.id[1:]) % 3]]
            said.append(ChildChoice(id=p.id, children=tuple(mine)))
        return ChildChoices(papers=tuple(said))

    stage = Stagehand(30, replies={"label_papers": label, "assign_children": assign}, max_level=2)
    taxonomy = await stage.organize()
    check(taxonomy, stage.ids)
    dag = dags_of(taxonomy)[Dimension.TASK]
    assert [dag.label(c) for c in dag.children(dag.root)] == [
        "alpha one", "beta two", "gamma three", "zeta six", "delta four", "epsilon five",
    ]  # fmt: skip
    assert dag.uncovered(dag.root) == ()


async def test_a_node_in_two_branches_gets_both_parents_when_the_model_agrees():
    def assign(task) -> ChildChoices:
        return ChildChoices(papers=tuple(ChildChoice(id=p.id, children=_all(task, p)) for p in task.papers))

    def _all(task, paper) -> tuple[str, ...]:
        finer = [c.id for c in task.children if c.path[-1].split()[0] in paper.abstract.split()]
        return tuple(finer) if any(len(c.path) == 3 for c in task.children) else tuple(c.id for c in task.children[:2])

    def same(task: SameTopic) -> PairChoices:
        return PairChoices(pairs=tuple(PairChoice(id=p.id, same=True) for p in task.pairs))

    def label(task: LabelPapers) -> PaperLabels:
        reply = good(task)
        assert isinstance(reply, PaperLabels)
        if task.level == 1:
            return reply
        return PaperLabels(
            papers=tuple(i.model_copy(update={"label": f"{i.label.split()[0]} texts"}) for i in reply.papers)
        )

    def only_some(task) -> ChildChoices:
        reply = assign(task)
        if any(len(c.path) == 3 for c in task.children):
            return reply
        # one paper a branch alone, so that no branch holds all papers of the root
        said = [
            c.model_copy(update={"children": c.children[n % 2 : n % 2 + 1] if n < 2 else c.children})
            for n, c in enumerate(reply.papers)
        ]
        return ChildChoices(papers=tuple(said))

    stage = Stagehand(20, replies={"label_papers": label, "assign_children": only_some, "same_topic": same})
    taxonomy = await stage.organize()
    check(taxonomy, stage.ids)
    dag = dags_of(taxonomy)[Dimension.TASK]
    shared = [n for n in dag.nodes if len(dag.parents(n)) > 1]
    assert shared
    for node in shared:
        assert all(set(dag.papers(node)) <= set(dag.papers(p)) for p in dag.parents(node))
    assert stage.asked(SameTopic)


async def test_one_label_for_all_papers_divides_nothing():
    def label(task: LabelPapers) -> PaperLabels:
        return PaperLabels(papers=tuple(PaperLabel(id=p.id, label="Retrieval") for p in task.papers))

    stage = Stagehand(20, replies={"label_papers": label})
    assert len((await stage.organize()).nodes) == 4


async def test_phrases_that_the_paper_does_not_have_are_not_kept():
    def assign(task) -> ChildChoices:
        reply = good(task)
        assert isinstance(reply, ChildChoices)
        return ChildChoices(papers=tuple(c.model_copy(update={"phrase": "words from elsewhere"}) for c in reply.papers))

    taxonomy = await Stagehand(20, replies={"assign_children": assign}).organize()
    assert taxonomy.assignments == ()
    assert len(taxonomy.nodes) > 4


async def test_papers_that_get_no_dimension_are_asked_for_again_and_then_count_as_task():
    def classify(task: ClassifyDimensions):
        reply = good(task)
        return reply.model_copy(update={"papers": tuple(p for p in reply.papers if p.id != "p03")})

    stage = Stagehand(20, replies={"classify_dimensions": classify})
    taxonomy = await stage.organize()
    check(taxonomy, stage.ids)
    assert [len(t.papers) for t in stage.asked(ClassifyDimensions)] == [10, 10, 1]
    dags = dags_of(taxonomy)
    assert "p03" in dags[Dimension.TASK].papers("task")
    assert "p03" not in dags[Dimension.DATASET].papers("dataset")
    assert "one paper" in stage.notices[0]


async def test_papers_that_left_the_library_are_reported():
    stage = Stagehand(12)
    stage.library.held.pop()
    check(await stage.organize(), stage.ids[:-1])
    assert "not in the library any more" in stage.notices[0]
    stage.library.held.clear()
    with pytest.raises(NothingFound):
        await stage.organize()
    with pytest.raises(NothingFound):
        await stage.outline(Taxonomy(nodes=()))


# ---------------------------------------------------------------- a model that fails


def failing(dimension: Dimension | None, error: Exception, kind: type[Task] = LabelPapers):
    def answer(task: Task):
        if isinstance(task, kind) and dimension in (None, getattr(task, "dimension", None)):
            raise error
        return good(task)

    return answer


async def test_one_dimension_that_fails_leaves_the_others():
    stage = Stagehand(30, failing(Dimension.DATASET, InvalidReply("Nothing usable came back.")))
    taxonomy = await stage.organize()
    check(taxonomy, stage.ids)
    dags = dags_of(taxonomy)
    assert [len(d.nodes) > 1 for d in dags.values()] == [True, True, False, True]
    assert stage.notices == ["The dimension Dataset is not divided: Nothing usable came back."]


async def test_a_failure_later_keeps_what_was_grown():
    def answer(task: Task):
        if isinstance(task, LabelPapers) and task.level == 2 and task.dimension is Dimension.TASK:
            raise ModelUnavailable("The server is gone.")
        return good(task)

    stage = Stagehand(30, answer)
    dag = dags_of(await stage.organize())[Dimension.TASK]
    assert len(dag.children(dag.root)) == 5
    assert stage.notices == ["The dimension Task is divided only in part: The server is gone."]


@pytest.mark.parametrize("error", [KeyRefused("No."), LimitReached("Enough.")])
async def test_a_refused_key_and_a_reached_limit_end_the_stage(error):
    with pytest.raises(type(error)):
        await Stagehand(30, failing(Dimension.TASK, error)).organize()
    with pytest.raises(type(error)):
        await Stagehand(30, failing(None, error, MakeOutline)).outline()


async def test_a_model_that_fails_everywhere_ends_the_stage():
    with pytest.raises(ModelUnavailable, match="down"):
        await Stagehand(30, failing(None, ModelUnavailable("It is down."))).organize()


# ---------------------------------------------------------------- any reply


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 34), st.booleans(), st.sampled_from(["ward", "cut"]), st.integers(1, 5))
def test_any_replies_give_a_taxonomy_and_an_outline_that_keep_their_promises(seed, count, built_in, mode, max_level):
    async def both() -> None:
        stage = Stagehand(count, hostile(seed), built_in=built_in, clustering=mode, max_level=max_level)
        taxonomy = await stage.organize()
        check(taxonomy, stage.ids, max(max_level, 1))
        outline = await stage.outline(taxonomy)
        check_outline(outline, stage.ids)
        kept = move_papers(
            rename(outline, outline.topics[0].topic_id, "Mine"), [stage.ids[0]], outline.topics[-1].topic_id
        )
        again = await stage.outline(taxonomy, kept=kept)
        check_outline(again, stage.ids)
        more = Stagehand(count + 3, hostile(seed + 1), built_in=built_in, clustering=mode, max_level=max_level)
        check(await more.organize(taxonomy), more.ids, max(max_level, 1))
        fixed = [(t.topic_id, t.title) for t in kept.topics if t.fixed_by_user]
        assert [t for t in ((t.topic_id, t.title) for t in again.topics) if t in fixed] == fixed
        assert stage.ids[0] in next(t for t in again.topics if t.pinned).papers

    asyncio.run(asyncio.wait_for(both(), 20))


# ---------------------------------------------------------------- the outline


async def test_every_paper_gets_a_topic():
    stage = Stagehand(20)
    outline = await stage.outline()
    check_outline(outline, stage.ids)
    assert outline.uncovered == ()
    (asked,) = stage.asked(AssignTopics)
    assert [p.id for p in asked.papers] == ["p09", "p19"], "only those that the outline left out"


async def test_a_bad_outline_is_refused_twice_with_the_reason():
    bad = OutlineReply(topics=(TopicReply(title="Only one"),))
    fine = OutlineReply(
        topics=(TopicReply(title="A", papers=("p00", "p01")), TopicReply(title="B", papers=("p02", "p03")))
    )
    stage = Stagehand(12, replies={"make_outline": [bad, bad, fine]})
    outline = await stage.outline()
    assert [t.title for t in outline.topics] == ["A", "B"]
    assert [t.problem for t in stage.asked(MakeOutline)] == ["", *["There are 1 topics; there must be 2 to 4."] * 2]


@pytest.mark.parametrize("answer", [OutlineReply(topics=()), InvalidReply("Nothing usable came back.")])
async def test_then_the_densest_nodes_are_the_topics(answer):
    stage = Stagehand(20, replies={"make_outline": answer})
    outline = await stage.outline()
    check_outline(outline, stage.ids)
    assert any("densest" in text for text in stage.notices)
    assert all(t.nodes for t in outline.topics)


async def test_papers_go_by_the_taxonomy_when_the_model_cannot_place_them():
    stage = Stagehand(20, replies={"assign_topics": ModelUnavailable("The server is gone.")})
    outline = await stage.outline()
    assert outline.uncovered == ()
    assert "by the taxonomy alone: The server is gone." in stage.notices[-1]


async def test_papers_that_fit_nowhere_are_reported_with_the_reason():
    def nowhere(task: AssignTopics) -> TopicChoices:
        return TopicChoices(papers=tuple(TopicChoice(id=p.id) for p in task.papers))

    outline = await Stagehand(20, replies={"assign_topics": nowhere}).outline()
    assert [(u.paper_id, u.reason) for u in outline.uncovered] == [
        ("p09", "it fits no topic"),
        ("p19", "it fits no topic"),
    ]


async def test_the_wish_and_the_fixed_titles_reach_the_model():
    stage = Stagehand(12)
    taxonomy = await stage.organize()
    outline = await stage.outline(taxonomy)
    kept = rename(outline, outline.topics[1].topic_id, "Mine")
    await stage.outline(taxonomy, kept=kept, wish="three topics at most")
    task = stage.asked(MakeOutline)[1]
    assert (task.kept_titles, task.wish) == (("Mine",), "three topics at most")


async def test_what_the_user_fixed_survives_a_new_outline():
    stage = Stagehand(20)
    taxonomy = await stage.organize()
    outline = await stage.outline(taxonomy)
    kept = rename(outline, outline.topics[1].topic_id, "Mine")
    kept = move_papers(kept, ["p00", "p01"], kept.topics[1].topic_id)
    kept = leave_out(kept, ["p05"]).model_copy(update={"at_most": 2})
    again = await stage.outline(taxonomy, kept=kept, wish="group by method")
    mine = next(t for t in again.topics if t.title == "Mine")
    assert mine.topic_id == kept.topics[1].topic_id
    assert set(mine.pinned) == {"p00", "p01"} <= set(mine.papers)
    assert [u.paper_id for u in again.uncovered if u.by_user] == ["p05"]
    assert again.at_most == 2
    assert len(again.topics) == 2
    assert stage.asked(MakeOutline)[-1].wish == "group by method At most two topics."
    more = add(again, "Another")
    args = (stage.request, more, stage.candidates, stage.models, stage.library)
    assert "p05" not in {p for t in (await organization.assign_topics(*args)).topics for p in t.papers}


async def test_named_parts_are_divided_among_themselves_alone():
    stage = Stagehand(20)
    outline = await stage.outline()
    one, other = outline.topics[0], outline.topics[1]
    named = split_named(move_papers(outline, one.papers[:1], one.topic_id), one.topic_id, ("First part", "Second part"))
    stage.models.asked.clear()
    parts = [t.topic_id for t in named.topics if t.topic_id != other.topic_id]
    divided = await organization.divide(stage.request, named, parts, stage.candidates, stage.models, stage.library)
    assert {p.id for t in stage.asked(AssignTopics) for p in t.papers} == set(one.papers[1:]), "a pinned paper stays"
    assert [t for t in divided.topics if t.topic_id == other.topic_id] == [other]
    assert sorted(p for t in divided.topics if t.topic_id in parts for p in t.papers) == sorted(one.papers)
    assert all(t.papers for t in divided.topics)


async def test_after_an_edit_only_papers_without_a_topic_are_asked_about():
    stage = Stagehand(20)
    outline = drop(await stage.outline(), (await stage.outline()).topics[0].topic_id)
    stage.models.asked.clear()
    outline = await organization.assign_topics(
        stage.request, add(outline, "New one"), stage.candidates, stage.models, stage.library
    )
    assert {p.id for t in stage.asked(AssignTopics) for p in t.papers} == set(stage.ids), "a new topic may draw on all"
    placed = [p for t in outline.topics for p in t.papers]
    assert sorted(placed) == sorted(stage.ids)
    assert outline.topics[-1].papers
    stage.models.asked.clear()
    assert (
        await organization.assign_topics(stage.request, outline, stage.candidates, stage.models, stage.library)
        == outline
    )
    assert stage.models.asked == []
