"""The outline changed by its edits, and made from what a model proposes or from the taxonomy alone."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.errors import InputError
from marwg.organizing.outline import add, apply, drop, merge, move_papers, rename, reorder, replace
from marwg.organizing.outline_making import densest, homes_of, outline_from, problems, with_secondary, without_thin
from marwg.organizing.outline_telling import difference, remarks
from marwg.organizing.taxonomy import Dag, taxonomy_of
from marwg.tasks import OutlineEditReply, TopicReply
from marwg.types import Dimension, LeftOut, Outline, Topic

OUTLINE = Outline(
    topics=(
        Topic(topic_id="ta", title="Retrieval", papers=("p1", "p2", "p3"), nodes=("n1",)),
        Topic(topic_id="tb", title="Citation", papers=("p4", "p5"), secondary=("p1", "p2"), nodes=("n2",)),
        Topic(topic_id="tc", title="Human studies", papers=("p6", "p7"), secondary=("p4",)),
    ),
    uncovered=(LeftOut(paper_id="p8", reason="it fits no topic"),),
)
ALL = {f"p{i}" for i in range(1, 9)}


def papers_of(outline: Outline) -> list[str]:
    return [p for t in outline.topics for p in t.papers] + [u.paper_id for u in outline.uncovered]


def check(outline: Outline) -> None:
    """No paper is lost or at home twice, ids and titles are unique, pinned papers are where they were put."""
    assert sorted(papers_of(outline)) == sorted(ALL)
    assert len({t.topic_id for t in outline.topics}) == len({t.title for t in outline.topics}) == len(outline.topics)
    for topic in outline.topics:
        assert set(topic.pinned) <= set(topic.papers)
        assert not set(topic.secondary) & set(topic.papers)
    assert all(u.reason for u in outline.uncovered)


edits = st.lists(
    st.builds(
        OutlineEditReply,
        kind=st.sampled_from(["rename", "merge", "drop", "add", "move_papers", "reorder", "regenerate"]),
        topics=st.lists(st.integers(-1, 5), max_size=4).map(tuple),
        title=st.sampled_from(["", "New", "retrievals", "Another one", "?", "x" * 300]),
        papers=st.lists(st.sampled_from([*sorted(ALL), "p99"]), max_size=3).map(tuple),
    ),
    max_size=8,
)


def _shown(outline: Outline) -> tuple:
    """What a difference speaks of: titles, order, papers."""
    return tuple((t.topic_id, t.title, frozenset(t.papers)) for t in outline.topics), {
        u.paper_id for u in outline.uncovered
    }


@settings(max_examples=200, deadline=None)
@given(edits)
def test_any_sequence_of_edits(edits):
    outline = OUTLINE
    for edit in edits:
        before = outline
        with suppress(InputError):
            outline = apply(outline, edit)
        check(outline)
        assert (difference(before, outline) == ()) == (_shown(before) == _shown(outline))
        remarks(outline)


def test_rename_keeps_the_id_and_is_fixed():
    outline = rename(OUTLINE, "tb", "  Citation \n quality ")
    assert outline.topics[1].title == "Citation quality"
    assert outline.topics[1].topic_id == "tb"
    assert [t.fixed_by_user for t in outline.topics] == [False, True, False]
    assert difference(OUTLINE, outline) == ("Renamed: “Citation” → “Citation quality”",)


def test_merge_takes_the_first_place_and_id():
    outline = merge(OUTLINE, ["tc", "ta"], "Search and people")
    assert [t.topic_id for t in outline.topics] == ["ta", "tb"]
    assert outline.topics[0].papers == ("p1", "p2", "p3", "p6", "p7")
    assert outline.topics[0].secondary == ("p4",)
    assert difference(OUTLINE, outline) == (
        "Merged: “Human studies” into “Search and people”",
        "Renamed: “Retrieval” → “Search and people”",
    )


def test_papers_of_a_dropped_topic_go_where_they_are_secondary():
    outline = drop(OUTLINE, "ta")
    assert outline.topics[0].papers == ("p4", "p5", "p1", "p2")
    assert outline.uncovered == (
        LeftOut(paper_id="p3", reason="its topic was dropped"),
        LeftOut(paper_id="p8", reason="it fits no topic"),
    )
    assert difference(OUTLINE, outline, {"p3": "A title"}) == (
        "Dropped: “Retrieval” (3 papers)",
        "Moved to “Citation”: p1; p2",
        "In no topic now: A title",
    )


def test_moved_papers_are_pinned_and_pinned_once():
    outline = move_papers(move_papers(OUTLINE, ["p1", "p8"], "tc"), ["p1"], "tb")
    assert [t.pinned for t in outline.topics] == [(), ("p1",), ("p8",)]
    assert outline.uncovered == ()
    assert remarks(drop(move_papers(OUTLINE, ["p4", "p5"], "ta"), "tc")) == (
        "Topic 2, “Citation”, has no paper: move papers there, or merge it.",
    )


def test_a_new_topic_gets_an_id_of_its_own():
    once = add(OUTLINE, "Evaluation")
    twice = add(rename(once, once.topics[-1].topic_id, "Metrics"), "Evaluation", position=1)
    assert twice.topics[0].title == "Evaluation"
    assert len({t.topic_id for t in twice.topics}) == 5
    assert add(OUTLINE, "Evaluation") == once


def test_users_may_go_beyond_the_rules_and_are_told():
    outline = rename(add(add(OUTLINE, "Four"), "Five"), "ta", "a b c d e f g h i j k")
    assert remarks(outline)[:2] == (
        "The outline has 5 topics; two to four read best.",
        "The title of topic 1 has 11 words; at most ten read best.",
    )


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda: rename(OUTLINE, "ta", "citations"), "There is a topic “citations” already"),
        (lambda: rename(OUTLINE, "ta", " - "), "needs a title"),
        (lambda: rename(OUTLINE, "tx", "Y"), "not in the outline"),
        (lambda: merge(OUTLINE, ["ta", "ta"]), "Two different topics"),
        (lambda: drop(drop(drop(OUTLINE, "ta"), "tb"), "tc"), "last topic"),
        (lambda: move_papers(OUTLINE, ["p99"], "ta"), "not in the outline: p99"),
        (lambda: move_papers(OUTLINE, [], "ta"), "No paper is named"),
        (lambda: reorder(OUTLINE, ["ta", "tb"]), "every topic once"),
        (lambda: add(OUTLINE, "X", position=9), "no place 9"),
        (lambda: apply(OUTLINE, OutlineEditReply(kind="drop", topics=(7,))), "no topic 7"),
        (lambda: apply(OUTLINE, OutlineEditReply(kind="drop")), "which topic"),
        (lambda: apply(OUTLINE, OutlineEditReply(kind="regenerate")), "needs more than the outline"),
        (lambda: replace(OUTLINE, [("ta", "A", ["p1", "p1"])]), "one topic"),
    ],
)
def test_what_cannot_be_done_says_why(edit, says):
    with pytest.raises(InputError, match=says):
        edit()


def test_editing_in_place_fixes_only_what_changed():
    wanted = [
        ("ta", "Retrieval", ["p1", "p2"]),
        ("tb", "Citations of text", ["p4", "p5", "p3"]),
        ("new1", "People", ["p6"]),
    ]
    outline = replace(OUTLINE, wanted)
    check(outline)
    assert [t.fixed_by_user for t in outline.topics] == [False, True, True]
    assert outline.topics[1].pinned == ("p3",)
    assert [u.paper_id for u in outline.uncovered] == ["p7", "p8"]
    same = [(t.topic_id, t.title, t.papers) for t in OUTLINE.topics]
    assert replace(OUTLINE, same) == OUTLINE


# ---------------------------------------------------------------- made


PAPERS = ("p1", "p2", "p3", "p4", "p5", "p6")


def topic(title: str, *papers: str, nodes: tuple[str, ...] = ()) -> TopicReply:
    return TopicReply(title=title, papers=papers, nodes=nodes)


@pytest.mark.parametrize(
    ("topics", "says"),
    [
        ([topic("One", "p1")], "There are 1 topics"),
        ([topic(t) for t in "abcde"], "There are 5 topics"),
        ([topic("A", "p1"), topic("a", "p2")], "Two topics are called"),
        ([topic("A"), topic(" ")], "no title"),
        ([topic("A"), topic("b c d e f g h i j k l")], "more than ten words"),
        ([topic("A", "p1"), topic("B", "[@p1]")], "The paper p1 is in two topics."),
        ([topic("A", "p77"), topic("B")], "There is no paper p77."),
        ([topic("A", nodes=("zz",)), topic("B")], "There is no node zz."),
    ],
)
def test_a_proposal_that_breaks_a_rule_is_told_which(topics, says):
    assert any(says in problem for problem in problems(topics, {"n1"}, PAPERS))


def test_a_good_proposal_has_no_problem():
    titles = [topic("b c d e f g h i j k", "p1", nodes=("n1",)), topic("B", "p2")]
    assert problems(titles, {"n1"}, PAPERS) == ()
    assert problems([topic("B")], {"n1"}, PAPERS[:3]) == (), "three papers may have one topic"


def test_what_the_user_fixed_stays_when_the_outline_is_made_again():
    kept = [
        Topic(topic_id="t1", title="Mine first", papers=("p1", "p2"), pinned=("p1",), fixed_by_user=True),
        Topic(topic_id="t2", title="Mine second", papers=("p3",), fixed_by_user=True),
    ]
    proposed = [topic("mine SECOND", "p1", "p4"), topic("Between", "p5"), topic("Mine first", "p6")]
    assert problems(proposed, set(), PAPERS, kept) == ()
    outline = outline_from(proposed, PAPERS, kept)
    assert [(t.topic_id, t.title, t.papers) for t in outline.topics if t.fixed_by_user] == [
        ("t1", "Mine first", ("p1", "p6")),
        ("t2", "Mine second", ("p4",)),
    ]
    assert outline.topics[1].title == "Between"
    assert any("must stay" in p for p in problems([topic("Between"), topic("X")], set(), PAPERS, kept))
    absent = outline_from([topic("Between", "p1", "p5"), topic("X", "p6")], PAPERS, kept)
    assert {t.title: t.papers for t in absent.topics} == {
        "Between": ("p5",), "X": ("p6",), "Mine first": ("p1",), "Mine second": (),
    }  # fmt: skip


def taxonomy(*groups: tuple[str, ...]):
    dag = Dag(Dimension.TASK, PAPERS)
    for number, papers in enumerate(groups):
        dag.add_child(dag.root, f"subtopic {'abc'[number]}", papers=papers)
    return taxonomy_of([dag])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sets(st.sampled_from(PAPERS), min_size=1), max_size=3), st.integers(1, 6))
def test_the_densest_nodes_always_make_an_outline_that_keeps_the_rules(groups, count):
    tree, papers = taxonomy(*(tuple(sorted(g)) for g in groups)), PAPERS[:count]
    topics = densest(tree, papers)
    assert problems(topics, {n.node_id for n in tree.nodes}, papers) == ()


def test_a_thin_topic_goes_to_the_one_it_shares_nodes_with():
    tree = taxonomy(("p1", "p2"), ("p3", "p4", "p5"))
    made = outline_from([topic("A", "p1", "p2"), topic("B", "p3", "p4"), topic("C", "p5")], PAPERS)
    merged, said = without_thin(made, homes_of(tree), 6)
    assert [(t.title, t.papers) for t in merged.topics] == [("A", ("p1", "p2")), ("B", ("p3", "p4", "p5"))]
    assert said == ("“C” had fewer than two papers and went into “B”.",)
    two = outline_from([topic("A", "p1", "p2"), topic("B", "p3")], PAPERS)
    assert without_thin(two, homes_of(tree), 6) == (two, ()), "two topics stay two"


def test_papers_at_the_nodes_of_a_topic_are_its_secondary_ones():
    tree = taxonomy(("p1", "p2", "p3"))
    made = outline_from([topic("A", "p1", nodes=("task-1",)), topic("B", "p2", "p4")], PAPERS)
    assert [t.secondary for t in with_secondary(made, tree).topics] == [("p2",), ()]
