"""What people would write, and what it has to lead to: by the built-in rules, and the checks on any model's reply."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.conversation import turns
from marwg.errors import InputError
from marwg.extractive.turns import route
from marwg.tasks import OutlineEditReply, RouteTurn, Source, TurnReply
from marwg.types import (
    CandidateSet,
    Focal,
    Ledger,
    Outline,
    Paper,
    Request,
    Run,
    Shortlisted,
    Topic,
)
from tests.fake_model import FakeModels

TOPICS = ("Dense retrieval", "Fact verification", "Citation text generation", "Datasets and benchmarks")
PAPERS = (
    Source(id="p1", title="RAFTS: Retrieval-Augmented Fact Verification", authors="Yue et al.", year=2024),
    Source(id="p2", title="Dense Passage Retrieval for Open-Domain Question Answering", authors="Karpukhin et al.", year=2020),
    Source(id="p3", title="Citation Text Generation: a Survey", authors="Li and Ouyang", year=2024),
    Source(id="p4", title="Retrieval-Augmented Generation for Knowledge Tasks", authors="Lewis et al.", year=2020),
    Source(id="p5", title="A Benchmark of Claims", authors="Long", year=2022),
    Source(id="p6", title="Explaining Relationships Between Documents", authors="Li et al.", year=2021),
)  # fmt: skip


def turn(message: str, stage: str = "outline") -> TurnReply:
    return route(RouteTurn(message=message, stage=stage, topics=TOPICS, papers=PAPERS, claims=12))  # type: ignore[arg-type]


def told(edit: OutlineEditReply) -> tuple:
    """What an edit says, without its empty fields."""
    said = edit.model_dump(exclude_defaults=True)
    kind = said.pop("kind")
    if kind == "regenerate":
        said.pop("title", None)
    return (kind, *said.values())


# One wish: the message, and the edit as (kind, …fields in the order of the type).
WISHES: list[tuple[str, tuple]] = [
    # merge
    ("Merge 1 and 2", ("merge", (1, 2))),
    ("can you merge the first two?", ("merge", (1, 2))),
    ("please put the last two together", ("merge", (3, 4))),
    ("Topics 1 and 3 are the same, merge them", ("merge", (1, 3))),
    ("combine dense retrieval with fact verification", ("merge", (1, 2))),
    ("I'd merge 2 and 3 into Verification and generation", ("merge", (2, 3), "Verification and generation")),
    ("join topics 1, 2 and 3", ("merge", (1, 2, 3))),
    # rename
    ("rename the third topic to Writing citations", ("rename", (3,), "Writing citations")),
    ("call the last one Data", ("rename", (4,), "Data")),
    ("2 should be called Checking claims", ("rename", (2,), "Checking claims")),
    ("Change the title of topic 1 to Finding passages", ("rename", (1,), "Finding passages")),
    ("looks good, but call the second one Claim checking", ("rename", (2,), "Claim checking")),
    ('rename "Dense retrieval" to "Passage retrieval"', ("rename", (1,), "Passage retrieval")),
    # drop
    ("drop datasets and benchmarks", ("drop", (4,))),
    ("delete topic 3", ("drop", (3,))),
    ("I don't need the last topic", ("drop", (4,))),
    ("get rid of fact verification please", ("drop", (2,))),
    ("remove the first and the last topic", ("drop", (1, 4))),
    # add
    ("add a topic on human evaluation", ("add", "Human evaluation")),
    ("I want a section about long documents", ("add", "Long documents")),
    ("could you add a group called Ethics", ("add", "Ethics")),
    ("there should be a topic on multilingual work", ("add", "Multilingual work")),
    # split
    ("split the third by dataset", ("split", (3,), "dataset")),
    ("split topic 2 by method", ("split", (2,), "method")),
    ("divide the first topic according to the task", ("split", (1,), "task")),
    ("please split up the second one", ("split", (2,))),
    ("break topic 4 into two", ("split", (4,))),
    ("split 1 by year", ("split", (1,), "year")),
    ("Split fact verification into claim detection and evidence retrieval", ("split", (2,), ("Claim detection", "Evidence retrieval"))),
    ("split 4 into 'Data sets' and 'Benchmarks'", ("split", (4,), ("Data sets", "Benchmarks"))),
    ("can you split the last one by evaluation?", ("split", (4,), "evaluation")),
    # order
    ("order by time", ("sort", "oldest")),
    ("sort the topics by year", ("sort", "oldest")),
    ("put them in chronological order", ("sort", "oldest")),
    ("order them chronologically please", ("sort", "oldest")),
    ("newest first", ("sort", "newest")),
    ("could you order the topics by date, newest first?", ("sort", "newest")),
    ("oldest papers first", ("sort", "oldest")),
    ("largest topic first", ("sort", "largest")),
    ("sort by number of papers", ("sort", "largest")),
    ("order by importance", ("sort", "importance")),
    ("swap 1 and 2", ("reorder", (2, 1, 3, 4))),
    ("put the last one first", ("reorder", (4, 1, 2, 3))),
    ("order: 3, 1, 4, 2", ("reorder", (3, 1, 4, 2))),
    ("move fact verification to the end", ("reorder", (1, 3, 4, 2))),
    ("start with datasets and benchmarks", ("reorder", (4, 1, 2, 3))),
    # how many
    ("three topics at most", ("resize", 3, True)),
    ("at most 3 topics please", ("resize", 3, True)),
    ("no more than two sections", ("resize", 2, True)),
    ("limit it to three topics", ("resize", 3, True)),
    ("two topics are enough", ("resize", 2, True)),
    ("only two topics", ("resize", 2)),
    ("make it five topics", ("resize", 5)),
    ("I want three topics", ("resize", 3)),
    ("reduce it to two topics", ("resize", 2)),
    ("fewer topics please", ("resize", 3)),
    ("that's too many topics", ("resize", 3)),
    ("I'd like more topics", ("resize", 5)),
    # papers
    ("move the paper by Lewis to topic 1", ("move_papers", (1,), ("p4",))),
    ("move RAFTS to the first topic", ("move_papers", (1,), ("p1",))),
    ("put Karpukhin et al. 2020 under fact verification", ("move_papers", (2,), ("p2",))),
    ("Li 2021 belongs to the second topic", ("move_papers", (2,), ("p6",))),
    ("move paper 5 to topic 2", ("move_papers", (2,), ("p5",))),
    ("move all diffusion papers to topic 2", ("move_papers", (2,), "all diffusion papers")),
    ("move all papers on retrieval to the first one", ("move_papers", (1,), "all papers on retrieval")),
    ("put every survey into topic 3", ("move_papers", (3,), "every survey")),
    ("move the papers from 2020 to topic 4", ("move_papers", (4,), "the papers from 2020")),
    ("move everything before 2021 to 1", ("move_papers", (1,), "everything before 2021")),
    ("move everything from topic 4 to topic 2", ("move_papers", (2,), "everything from topic 4")),
    ("put the rest into the last topic", ("move_papers", (4,), "the rest")),
    ("the uncovered papers should go to topic 1", ("move_papers", (1,), "the uncovered papers")),
    ("move FooNet to topic 2", ("move_papers", (2,), "FooNet")),
    ("leave out the paper by Long", ("leave_out", ("p5",))),
    ("drop the paper by Lewis", ("leave_out", ("p4",))),
    ("exclude all papers before 2021", ("leave_out", "all papers before 2021")),
    ("take Karpukhin out", ("leave_out", ("p2",))),
    # anew
    ("give me another outline", ("regenerate",)),
    ("try again", ("regenerate",)),
    ("group the papers by method instead", ("regenerate",)),
    ("start over and forget my changes", ("regenerate", True)),
    ("make a new outline from scratch", ("regenerate", True)),
]  # fmt: skip


@pytest.mark.parametrize(("message", "wish"), [w for w in WISHES if w[1]], ids=[w[0] for w in WISHES if w[1]])
def test_one_wish(message: str, wish: tuple) -> None:
    reply = turn(message)
    assert reply.kind == "edit_outline", reply
    assert [told(e) for e in reply.edits] == [wish]


SEVERAL = [
    ("merge 1 and 2, drop the last one", ["merge", "drop"]),
    ("Call the first one Search, split the third by dataset and order by time", ["rename", "split", "sort"]),
    ("drop datasets and benchmarks. Then add a topic on human studies.", ["drop", "add"]),
    ("move Lewis to 2 and Karpukhin to 1", ["move_papers", "move_papers"]),
    ("rename 2 to Checking; move all surveys to topic 3; three topics at most", ["rename", "move_papers", "resize"]),
    ("split 1 by method and then sort the topics by year", ["split", "sort"]),
    ("1. merge 1 and 2\n2. rename 3 to Writing", ["merge", "rename"]),
    ("call the first one Mine, and two topics at most", ["rename", "resize"]),
    ("merge 2 and 3, newest first", ["merge", "sort"]),
    ("swap 1 and 2 and leave out the paper by Long", ["reorder", "leave_out"]),
]


@pytest.mark.parametrize(("message", "kinds"), SEVERAL, ids=[m for m, _ in SEVERAL])
def test_several_wishes(message: str, kinds: list[str]) -> None:
    reply = turn(message)
    assert reply.kind == "edit_outline", reply
    assert [e.kind for e in reply.edits] == kinds


QUESTIONS: list[tuple[str, dict]] = [
    ("Why is Li 2021 in topic 2?", {"ask": "why", "papers": ("p6",), "topics": (2,)}),
    ("why is the paper by Lewis there?", {"ask": "why", "papers": ("p4",)}),
    ("what is the reason that RAFTS is in the first topic?", {"ask": "why", "papers": ("p1",), "topics": (1,)}),
    ("Why did you put Karpukhin in Fact verification?", {"ask": "why", "papers": ("p2",), "topics": (2,)}),
    ("explain why Long is in 4", {"ask": "why", "papers": ("p5",), "topics": (4,)}),
    ("how come paper 5 is in topic 3?", {"ask": "why", "papers": ("p5",), "topics": (3,)}),
    ("what is not covered?", {"ask": "uncovered"}),
    ("Which papers are left out?", {"ask": "uncovered"}),
    ("are all papers covered?", {"ask": "uncovered"}),
    ("which papers have no topic?", {"ask": "uncovered"}),
    ("is anything missing?", {"ask": "uncovered"}),
    ("what did you leave out", {"ask": "uncovered"}),
    ("which papers are behind the node dense retrieval?", {"ask": "behind", "node": "dense retrieval"}),
    ("show me the papers under the subtopic human ratings", {"ask": "behind", "node": "human ratings"}),
    ("what is behind 'graph networks'?", {"ask": "behind", "node": "graph networks"}),
    ("which papers are in topic 2?", {"ask": "behind", "topics": (2,)}),
    ("What is in the third topic?", {"ask": "behind", "topics": (3,)}),
    ("list the papers of topic 4", {"ask": "behind", "topics": (4,)}),
    ("which papers are about entailment?", {"ask": "behind", "node": "entailment"}),
    ("what is topic 1 based on?", {"ask": "behind", "topics": (1,)}),
    ("how many papers are in the last topic?", {"ask": "behind", "topics": (4,)}),
    ("why is topic 1 there?", {"ask": "behind", "topics": (1,)}),
    ("where is Lewis?", {"ask": "where", "papers": ("p4",)}),
    ("which topic is RAFTS in?", {"ask": "where", "papers": ("p1",)}),
    ("in which topic is the paper by Long?", {"ask": "where", "papers": ("p5",)}),
    ("show me the outline again", {"ask": "overview"}),
    ("what topics are there?", {"ask": "overview"}),
    ("show the taxonomy", {"ask": "overview"}),
    ("how many topics do we have?", {"ask": "overview"}),
]  # fmt: skip


@pytest.mark.parametrize("stage", ["outline", "drafted"])
@pytest.mark.parametrize(("message", "asks"), QUESTIONS, ids=[m for m, _ in QUESTIONS])
def test_a_question_changes_nothing(message: str, asks: dict, stage: str) -> None:
    if stage == "drafted" and asks["ask"] == "uncovered":
        pytest.skip("a draft has a ledger, which may answer this")
    reply = turn(message, stage)
    assert reply.kind == "ask_outline", reply
    assert {k: getattr(reply, k) for k in ("ask", "papers", "topics", "node")} == {
        "papers": (), "topics": (), "node": "", **asks,
    }  # fmt: skip
    assert reply.edits == ()


def test_a_question_beside_a_wish_is_answered_and_the_wish_made() -> None:
    reply = turn("Why is RAFTS in topic 2? Move it to topic 1.")
    assert (reply.kind, reply.ask, reply.papers) == ("edit_outline", "why", ("p1",))
    assert [told(e) for e in reply.edits] == [("move_papers", (1,), ("p1",))]


APPROVALS = [
    "ok", "yes", "yes please", "looks good", "perfect, go ahead", "approve", "I approve it", "fine, write it", "go on", "let's go", "LGTM",
    "sounds good to me", "great, thanks", "no changes needed", "start writing", "next step", "good to go", "that works for me",
]  # fmt: skip
DOUBTFUL = [
    "hmm", "not good", "no", "I am not sure", "merge them", "merge 1", "rename topic 2", "rename it", "split it", "split", "move it to topic 2",
    "move Li", "drop it", "drop that one", "move 3 to 1", "change the second one", "should we merge 1 and 2?", "what if we dropped datasets?",
    "is this outline good?", "what do you think?", "don't merge 1 and 2", "do not drop datasets and benchmarks", "I don't want you to drop topic 4",
    "ok but", "good, but not quite", "move the paper by Li to topic 1", "add a topic", "sort it", "the third one", "why is it there?",
    "which topic is the paper by Nobody in?", "what is the weather like?", "isn't topic 3 too small?", "how about a topic on ethics?",
]  # fmt: skip


@pytest.mark.parametrize("message", APPROVALS)
def test_approval(message: str) -> None:
    assert turn(message).kind == "approve"


@pytest.mark.parametrize("message", DOUBTFUL)
def test_a_doubtful_message_is_asked_back(message: str) -> None:
    reply = turn(message)
    assert reply.kind == "unclear", reply
    assert reply.question


OTHERS = [
    ("undo", "outline", "undo"), ("take that back", "outline", "undo"), ("undo the last change", "outline", "undo"), ("help", "outline", "help"),
    ("what can you do?", "outline", "help"), ("shorter", "drafted", "revise"), ("make section 2 more critical", "drafted", "revise"),
    ("remove the paper by Lewis", "drafted", "revise"), ("split the second sentence of section 1", "drafted", "revise"),
    ("why was claim 4 flagged?", "drafted", "why"), ("export", "drafted", "export"), ("show version 2", "drafted", "show_version"),
    ("rename section 2 to Claim checking", "drafted", "edit_outline"), ("split section 2 by dataset", "drafted", "edit_outline"),
    ("order the sections by time", "drafted", "edit_outline"), ("at most two sections", "drafted", "edit_outline"),
    ("merge sections 1 and 2", "drafted", "edit_outline"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "stage", "kind"), OTHERS, ids=[f"{s}: {m}" for m, s, _ in OTHERS])
def test_other_turns(message: str, stage: str, kind: str) -> None:
    assert turn(message, stage).kind == kind


def test_an_abstract_starts_and_cannot_be_mistaken_for_a_wish() -> None:
    abstract = "We merge topics and split sections of related work by dataset, and we order papers by time. " * 3
    assert turn(f"Merging Topics in Related Work\n\n{abstract}").kind == "start"


def test_there_are_enough_phrasings() -> None:
    said = [m for m, w in WISHES if w] + [m for m, _ in SEVERAL] + [m for m, _ in QUESTIONS] + APPROVALS + DOUBTFUL
    said += [m for m, _, _ in OTHERS]
    assert len(set(said)) >= 120


# ---------------------------------------------------------------- the same checks on any model's reply


def _paper(source: Source) -> Paper:
    authors = tuple(source.authors.removesuffix(" et al.").split(" and ")) + (
        ("others",) if "et al" in source.authors else ()
    )
    return Paper(paper_id=source.id, key=source.id, title=source.title, authors=authors, year=source.year)


RUN = Run(
    run_id="r",
    request=Request(focal=Focal(title="T", abstract="A")),
    candidates=CandidateSet(
        candidates=(), longlist=(), shortlist=tuple(Shortlisted(paper_id=p.id, score=1.0) for p in PAPERS)
    ),
    outline=Outline(topics=tuple(Topic(topic_id=f"t{n}", title=t) for n, t in enumerate(TOPICS))),
    ledger=Ledger(version=1, entries=(), judges=("a", "b")),
)


async def checked(reply: TurnReply, message: str = "a message", stage: str = "outline") -> TurnReply:
    models = FakeModels({"route_turn": reply})
    return await turns.route(message, stage, RUN, {p.id: _paper(p) for p in PAPERS}, models)


@pytest.mark.parametrize(("message", "wish"), [w for w in WISHES if w[1]], ids=[w[0] for w in WISHES if w[1]])
async def test_what_the_rules_understand_passes_the_checks(message: str, wish: tuple) -> None:
    reply = turn(message)
    assert await checked(reply, message) == reply


def edits(**fields: object) -> TurnReply:
    return TurnReply(kind="edit_outline", edits=(OutlineEditReply(**fields),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (edits(kind="drop", topics=(9,)), "no topic 9"),
        (edits(kind="split", topics=(0,)), "no topic 0"),
        (edits(kind="move_papers", topics=(1,), papers=("p77",)), "not in the shortlist"),
        (edits(kind="leave_out", papers=("p77",)), "not in the shortlist"),
        (TurnReply(kind="ask_outline", ask="why", papers=("p77",)), "not in the shortlist"),
        (TurnReply(kind="ask_outline", ask="behind", topics=(5,)), "no topic 5"),
        (TurnReply(kind="why", claim=3), "no claim 3"),
    ],
)
async def test_what_is_not_there_is_refused_by_name(reply: TurnReply, says: str) -> None:
    with pytest.raises(InputError, match=says):
        await checked(reply)


@pytest.mark.parametrize(
    ("reply", "asks"),
    [
        (TurnReply(kind="edit_outline"), "Which topic should change"),
        (edits(kind="merge", topics=(1,)), "merged"),
        (edits(kind="rename", topics=(1,)), "called"),
        (edits(kind="rename", title="X"), "called"),
        (edits(kind="split"), "split"),
        (edits(kind="split", topics=(1, 2)), "split"),
        (edits(kind="move_papers", papers=("p1",)), "to which topic"),
        (edits(kind="move_papers", topics=(1,)), "Which papers"),
        (edits(kind="leave_out"), "left out"),
        (edits(kind="add"), "new topic"),
        (edits(kind="drop"), "left out"),
        (edits(kind="resize"), "How many"),
        (edits(kind="sort"), "order"),
        (edits(kind="reorder"), "order"),
        (TurnReply(kind="ask_outline"), "paper, topic or subtopic"),
        (TurnReply(kind="ask_outline", ask="why"), "paper, topic or subtopic"),
        (TurnReply(kind="unclear"), "other words"),
    ],
)
async def test_half_a_reply_is_asked_back(reply: TurnReply, asks: str) -> None:
    answer = await checked(reply)
    assert answer.kind == "unclear"
    assert asks.lower() in answer.question.lower()


async def test_one_paper_that_could_be_two_is_asked_back_whoever_read_the_message() -> None:
    both = edits(kind="move_papers", topics=(1,), papers=("p3", "p6"))
    answer = await checked(both, "move the paper by Li to topic 1")
    assert answer.kind == "unclear"
    assert "Li and Ouyang 2024" in answer.question
    assert "Li et al. 2021" in answer.question
    assert await checked(both, "move the papers by Li to topic 1") == both


async def test_approval_needs_an_outline_and_a_draft_what_works_on_it() -> None:
    for kind in ("revise", "export", "show_version"):
        assert (await checked(TurnReply(kind=kind), stage="outline")).kind == "unclear"  # type: ignore[arg-type]
    assert (await checked(TurnReply(kind="approve"), stage="outline")).kind == "approve"
    assert (await checked(TurnReply(kind="ask_outline", ask="uncovered"), stage="empty")).kind == "unclear"


replies = st.builds(
    TurnReply,
    kind=st.sampled_from(["edit_outline", "ask_outline", "approve", "undo", "unclear", "revise", "why"]),
    topics=st.lists(st.integers(-1, 6), max_size=3).map(tuple),
    papers=st.lists(st.sampled_from([*(p.id for p in PAPERS), "p99"]), max_size=3).map(tuple),
    ask=st.sampled_from([None, "why", "where", "uncovered", "behind", "overview"]),
    edits=st.lists(
        st.builds(
            OutlineEditReply,
            kind=st.sampled_from(OutlineEditReply.model_fields["kind"].annotation.__args__),  # type: ignore[union-attr]
            topics=st.lists(st.integers(-1, 6), max_size=3).map(tuple),
            papers=st.lists(st.sampled_from(["p1", "p99"]), max_size=2).map(tuple),
            count=st.integers(-3, 200),
        ),
        max_size=3,
    ).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(replies, st.sampled_from(["empty", "outline", "drafted"]))
async def test_any_reply_is_refused_asked_back_or_safe(reply: TurnReply, stage: str) -> None:
    try:
        answer = await checked(reply, stage=stage)
    except InputError:
        return
    assert answer.kind != "unclear" or answer.question or stage == "empty"
    for number in (*answer.topics, *(n for e in answer.edits for n in e.topics)):
        assert 1 <= number <= len(TOPICS)
    assert {*answer.papers, *(p for e in answer.edits for p in e.papers)} <= {p.id for p in PAPERS}
