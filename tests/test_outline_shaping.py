"""Splitting, sorting and numbering topics; papers by description; questions; and wishes that are made whole or not at all."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.conversation.outline_wishes import wished
from marwg.errors import InputError
from marwg.organizing.outline import add, leave_out, merge
from marwg.organizing.outline_questions import Seen, answer
from marwg.organizing.outline_shaping import Known, resize, sort, split, split_named
from marwg.organizing.outline_telling import difference, remarks
from marwg.organizing.paper_descriptions import described
from marwg.organizing.taxonomy import Dag, taxonomy_of
from marwg.tasks import OutlineEditReply, TurnReply
from marwg.types import Dimension, LeftOut, Outline, Paper, Taxonomy, Topic


def paper(number: int, title: str, abstract: str, author: str, year: int | None) -> Paper:
    return Paper(
        paper_id=f"p{number}", key=f"k{number}", title=title, abstract=abstract, authors=(author, "Roe, Ann"), year=year
    )


PAPERS = {
    p.paper_id: p
    for p in (
        paper(1, "Diffusion models for text", "We train on news stories. Diffusion works.", "Li, Wei", 2020),
        paper(2, "A survey of retrieval", "Dense passage retrieval is reviewed on medical records.", "Li, Ana", 2018),
        paper(3, "Citing sources", "Citations are checked with human ratings on news stories.", "Wu, Bo", 2021),
        paper(4, "Retrieval-Augmented Generation", "Passages help generation on medical records.", "Lewis, P", 2020),
        paper(5, "Speech voices", "We denoise by diffusion.", "Long, Kim", None),
        paper(6, "Court rulings", "Rulings are summarised.", "Cho, Kai", 2023),
    )
}


def _taxonomy() -> Taxonomy:
    data, method = Dag(Dimension.DATASET, PAPERS), Dag(Dimension.METHODOLOGY, PAPERS)
    news = data.add_child("dataset", "news stories")
    data.add_papers(news, ["p1", "p3"], {"p1": "news stories", "p3": "on news stories"})
    data.add_child("dataset", "medical records", papers=["p2", "p4"])
    method.add_child("methodology", "diffusion models", papers=["p1", "p5"])
    return taxonomy_of([data, method])


TAXONOMY = _taxonomy()
KNOWN = Known(TAXONOMY, PAPERS)
OUTLINE = Outline(
    topics=(
        Topic(topic_id="ta", title="Generation", papers=("p1", "p2", "p3", "p4"), nodes=("dataset-1",), pinned=("p4",)),
        Topic(topic_id="tb", title="Voices", papers=("p5",), secondary=("p1",)),
    ),
    uncovered=(LeftOut(paper_id="p6", reason="it fits no topic"),),
)
TITLES = {i: p.title for i, p in PAPERS.items()}


def shown(outline: Outline) -> list[tuple[str, tuple[str, ...]]]:
    return [(t.title, t.papers) for t in outline.topics]


# ---------------------------------------------------------------- splitting


def test_a_topic_is_split_by_a_dimension_in_its_place_and_told_as_a_difference():
    outline = split(OUTLINE, "ta", "by dataset", KNOWN)
    assert shown(outline)[:2] == [("News stories", ("p1", "p3")), ("Medical records", ("p2", "p4"))]
    assert outline.topics[0].topic_id == "ta", "one part keeps the id"
    assert outline.topics[1].pinned == ("p4",)
    assert all(t.fixed_by_user for t in outline.topics[:2])
    assert difference(OUTLINE, outline, TITLES) == (
        "Renamed: “Generation” → “News stories”",
        "Added: “Medical records”, with 2 papers of “Generation”",
    )


def test_what_no_part_takes_stays_under_the_old_title():
    one = OUTLINE.model_copy(
        update={"topics": (OUTLINE.topics[0].model_copy(update={"papers": ("p1", "p3", "p5", "p6")}),)}
    )
    assert shown(split(one, "ta", "data", KNOWN)) == [("News stories", ("p1", "p3")), ("Generation", ("p5", "p6"))]


def test_by_time_and_by_nothing_in_particular():
    assert shown(split(OUTLINE, "ta", "year", KNOWN))[:2] == [
        ("Generation, until 2018", ("p2",)),
        ("Generation, since 2020", ("p1", "p3", "p4")),
    ]
    assert split(OUTLINE, "ta", "", KNOWN) == split(OUTLINE, "ta", "dataset", KNOWN), "what divides most evenly"


def test_into_parts_that_the_user_names():
    outline = split_named(OUTLINE, "ta", ("Writing", "Searching"))
    assert shown(outline) == [("Writing", ("p1", "p2", "p3", "p4")), ("Searching", ()), ("Voices", ("p5",))]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda: split(OUTLINE, "ta", "task", KNOWN),
            "cannot be divided by task: none is at a subtopic there. It can be split by",
        ),
        (lambda: split(OUTLINE, "ta", "colour", KNOWN), "cannot be split by “colour”"),
        (lambda: split(OUTLINE, "tb", "dataset", KNOWN), "too few papers"),
        (lambda: split_named(OUTLINE, "ta", ("Same", "same")), "two parts at least"),
        (lambda: sort(OUTLINE, "importance", KNOWN), "cannot be ordered by “importance”"),
        (lambda: resize(OUTLINE, 0, False, KNOWN), "cannot have 0 topics"),
        (lambda: resize(OUTLINE, 9, False, KNOWN), "no 9 topics for these papers"),
        (lambda: leave_out(OUTLINE, ["p77"]), "not in the outline: p77"),
    ],
)
def test_what_cannot_be_done_says_why_and_what_can(change, says):
    with pytest.raises(InputError) as refused:
        change()
    assert says in str(refused.value)


# ---------------------------------------------------------------- order and number


def test_topics_and_their_papers_in_the_order_of_time():
    outline = sort(OUTLINE, "oldest", KNOWN)
    assert shown(outline) == [("Generation", ("p2", "p1", "p4", "p3")), ("Voices", ("p5",))], (
        "what has no year comes last"
    )
    recent = add(OUTLINE, "Law")
    recent = recent.model_copy(
        update={"topics": (*recent.topics[:2], recent.topics[2].model_copy(update={"papers": ("p6",)}))}
    )
    assert [t for t, _ in shown(sort(recent, "newest", KNOWN))] == ["Law", "Generation", "Voices"]
    assert [t for t, _ in shown(sort(recent, "largest", KNOWN))] == ["Generation", "Voices", "Law"]


def test_a_number_of_topics_is_reached_and_kept_in_mind():
    fewer = resize(OUTLINE, 1, True, KNOWN)
    assert shown(fewer) == [("Generation", ("p1", "p2", "p3", "p4", "p5"))]
    assert not fewer.topics[0].fixed_by_user, "the number is fixed, not the title"
    assert fewer.at_most == 1
    three = resize(OUTLINE, 3, False, KNOWN)
    assert len(three.topics) == 3
    kept = resize(OUTLINE, 3, True, KNOWN)
    assert kept.topics == OUTLINE.topics
    assert difference(OUTLINE, kept) == ("Kept in mind: at most 3 topics",)


def test_users_may_exceed_the_rules_and_are_told():
    many = OUTLINE
    for n in range(4):
        many = add(many, f"A title of many words that goes on and on number {n}")
    assert "The outline has 6 topics; two to four read best." in remarks(many)
    assert any("has 12 words; at most ten read best" in r for r in remarks(many))


def test_papers_that_the_user_took_out_stay_out_until_the_user_puts_them_back():
    outline = leave_out(OUTLINE, ["p1", "p4"])
    assert [(u.paper_id, u.by_user) for u in outline.uncovered] == [("p1", True), ("p4", True), ("p6", False)]
    assert outline.topics[0].pinned == outline.topics[1].secondary == ()
    assert [u.by_user for u in merge(outline, ["ta", "tb"]).uncovered] == [True, True, False]


# ---------------------------------------------------------------- papers by description


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("all diffusion papers", ("p1", "p5")),
        ("every survey", ("p2",)),
        ("the papers about dense retrieval", ("p2",)),
        ("RAG papers", ("p4",)),
        ("papers from 2020", ("p1", "p4")),
        ("everything before 2020", ("p2",)),
        ("the ones since 2021", ("p3", "p6")),
        ("papers between 2018 and 2020", ("p1", "p2", "p4")),
        ("all papers by Li", ("p1", "p2")),
        ("all papers by Li from 2018", ("p2",)),
        ("diffusion papers from 2020", ("p1",)),
        ("everything from topic 2", ("p5",)),
        ("all diffusion papers in the first topic", ("p1",)),
        ("the uncovered papers", ("p6",)),
        ("the rest", ("p6",)),
        ("all papers that use medical records", ("p2", "p4")),
        ("everything", ("p1", "p2", "p3", "p4", "p5", "p6")),
        ("the papers", ()),
        ("papers on quantum chemistry", ()),
    ],
)
def test_papers_that_a_description_means(words, found):
    assert described(words, list(PAPERS.values()), TAXONOMY, OUTLINE) == found


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_description_gives_papers_that_are_there(words):
    assert set(described(words, list(PAPERS.values()), TAXONOMY, OUTLINE)) <= set(PAPERS)


# ---------------------------------------------------------------- questions


def asked(**fields) -> str:
    return answer(TurnReply(kind="ask_outline", **fields), Seen(OUTLINE, TAXONOMY, PAPERS))


def test_why_a_paper_is_there_is_answered_with_the_quoted_phrase():
    said = asked(ask="why", papers=("p1",), topics=(1,))
    assert "Li and Roe (2020), “Diffusion models for text” is in topic 1, “Generation”." in said
    assert "Dataset › news stories: it says “news stories”" in said
    assert "Methodology › diffusion models: nearest to it are these words of it: “Diffusion models for text”" in said
    assert said.index("news stories") < said.index("diffusion models:"), "the node that the topic draws on comes first"
    assert "not in topic 2" in asked(ask="why", papers=("p3",), topics=(2,))
    assert "You put it there." in asked(ask="why", papers=("p4",))
    assert "is in no topic: it fits no topic" in asked(ask="where", papers=("p6",))


def test_what_is_behind_a_topic_and_a_subtopic():
    said = asked(ask="behind", topics=(1,))
    assert "It draws on Dataset › news stories." in said
    assert "“Retrieval-Augmented Generation” (put there by you)" in said
    assert "**Dataset › news stories**, 2 papers:" in asked(ask="behind", node="News story")
    assert "topic 1: “on news stories”" in asked(ask="behind", node="news")
    with pytest.raises(InputError, match=r"no subtopic “chess”.*news stories"):
        asked(ask="behind", node="chess")


def test_what_is_not_covered_and_the_whole():
    assert "“Court rulings”: it fits no topic" in asked(ask="uncovered")
    said = asked(ask="overview")
    assert "1. **Generation** (4 papers)" in said
    assert "- Dataset · 6 papers" in said


# ---------------------------------------------------------------- wishes


def wish(*edits: OutlineEditReply, message: str = "words") -> Outline:
    return wished(OUTLINE, edits, KNOWN, message).outline


def test_numbers_of_several_wishes_count_the_outline_as_it_was_seen():
    outline = wish(
        OutlineEditReply(kind="split", topics=(1,), by="dataset"),
        OutlineEditReply(kind="rename", topics=(2,), title="Sounds"),
        OutlineEditReply(kind="move_papers", topics=(2,), description="all diffusion papers"),
    )
    assert shown(outline) == [("News stories", ("p3",)), ("Medical records", ("p2", "p4")), ("Sounds", ("p5", "p1"))]
    assert outline.topics[2].pinned == ("p1", "p5")


def test_one_wish_that_cannot_be_made_stops_all():
    with pytest.raises(InputError, match=r"no topic 9\..*Nothing was changed"):
        wish(OutlineEditReply(kind="drop", topics=(2,)), OutlineEditReply(kind="drop", topics=(9,)))
    with pytest.raises(InputError, match="No paper of the outline fits “all chess papers”"):
        wish(OutlineEditReply(kind="move_papers", topics=(1,), description="all chess papers"))
    with pytest.raises(InputError, match="no paper in the outline"):
        wish(OutlineEditReply(kind="leave_out", description="everything"))


def test_parts_that_are_named_are_still_to_be_divided():
    made = wished(OUTLINE, [OutlineEditReply(kind="split", topics=(1,), titles=("Writing", "Searching"))], KNOWN, "")
    assert made.divided == ((made.outline.topics[0].topic_id, made.outline.topics[1].topic_id),)


def test_a_new_outline_keeps_what_is_fixed_unless_the_user_gives_it_up():
    fixed = OUTLINE.model_copy(
        update={"topics": tuple(t.model_copy(update={"fixed_by_user": True}) for t in OUTLINE.topics), "at_most": 2}
    )
    with pytest.raises(InputError, match="would be the same"):
        wished(fixed, [OutlineEditReply(kind="regenerate")], KNOWN, "again")
    fresh = wished(fixed, [OutlineEditReply(kind="regenerate", fresh=True)], KNOWN, "start over")
    assert fresh.wish == "start over"
    assert not any(t.fixed_by_user or t.pinned for t in fresh.outline.topics)
    assert wished(OUTLINE, [OutlineEditReply(kind="regenerate")], KNOWN, "again").outline == OUTLINE


edits = st.lists(
    st.builds(
        OutlineEditReply,
        kind=st.sampled_from(
            ["split", "sort", "resize", "leave_out", "move_papers", "merge", "drop", "rename", "add", "reorder"]
        ),
        topics=st.lists(st.integers(1, 3), max_size=2).map(tuple),
        title=st.sampled_from(["", "New", "Voices", "Other"]),
        papers=st.lists(st.sampled_from([*PAPERS, "p99"]), max_size=2).map(tuple),
        description=st.sampled_from(["", "", "all diffusion papers", "everything", "from topic 1", "the rest"]),
        by=st.sampled_from(["", "dataset", "time", "method", "oldest", "largest", "luck"]),
        titles=st.sampled_from([(), (), ("A", "B"), ("A", "a")]),
        count=st.integers(-1, 6),
        at_most=st.booleans(),
    ),
    max_size=6,
)


@settings(max_examples=250, deadline=None)
@given(edits)
def test_any_sequence_of_wishes_loses_no_paper(sequence):
    outline = OUTLINE
    for edit in sequence:
        with suppress(InputError):
            outline = wished(outline, [edit], KNOWN, "words").outline
        placed = [p for t in outline.topics for p in t.papers] + [u.paper_id for u in outline.uncovered]
        assert sorted(placed) == sorted(PAPERS)
        titles = [t.title for t in outline.topics]
        assert len({t.topic_id for t in outline.topics}) == len(set(titles)) == len(titles) > 0
        assert all(set(t.pinned) <= set(t.papers) and not set(t.secondary) & set(t.papers) for t in outline.topics)
