"""Chat turns routed by rules: many ways to say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.extractive.turns import route
from marwg.tasks import OutlineEditReply, RouteTurn, Source, TurnReply

TOPICS = ("Dense retrieval", "Fact verification", "Citation text generation", "Datasets")
PAPERS = (
    Source(id="p1", title="RAFTS: Retrieval-Augmented Fact Verification", authors="Yue et al.", year=2024),
    Source(
        id="p2",
        title="Dense Passage Retrieval for Open-Domain Question Answering",
        authors="Karpukhin et al.",
        year=2020,
    ),
    Source(id="p3", title="Citation Text Generation: a Survey", authors="Li and Ouyang", year=2024),
    Source(id="p4", title="Retrieval-Augmented Generation for Knowledge Tasks", authors="Lewis et al.", year=2020),
    Source(id="p5", title="A Benchmark of Claims", authors="Long", year=2022),
)
ABSTRACT = "We study how sentences of a related-work section can be checked against the papers that they cite. " * 3


def turn(message: str, stage: str = "drafted") -> TurnReply:
    return route(RouteTurn(message=message, stage=stage, topics=TOPICS, papers=PAPERS, claims=12))  # type: ignore[arg-type]


def edit(message: str) -> OutlineEditReply:
    reply = turn(message, "outline")
    assert reply.kind == "edit_outline", f"{message!r} gave {reply}"
    assert len(reply.edits) == 1, f"{message!r} gave {reply.edits}"
    return reply.edits[0]


@pytest.mark.parametrize(
    "message",
    [
        f"Checking Citations\n\n{ABSTRACT}",
        f"# Checking Citations\n\n{ABSTRACT}",
        f"Title: Checking Citations\nAbstract: {ABSTRACT}",
        f"title: Checking Citations\n\nABSTRACT\n{ABSTRACT}",
        f"\\title{{Checking Citations}}\n\\begin{{abstract}}{ABSTRACT}\\end{{abstract}}",
        f"Checking Citations\nAbstract. {ABSTRACT}",
        "Title: Checking Citations. Abstract: We check citations.",
    ],
)
@pytest.mark.parametrize("stage", ["empty", "outline", "drafted"])
def test_title_and_abstract_start_a_run(message: str, stage: str) -> None:
    reply = turn(message, stage)
    assert (reply.kind, reply.title) == ("start", "Checking Citations")
    assert reply.abstract.startswith("We ")


@pytest.mark.parametrize("message", ["help", "What can you do?", "hi", "Hello!", "how does this work?", "?", "/help"])
@pytest.mark.parametrize("stage", ["empty", "outline", "drafted"])
def test_help(message: str, stage: str) -> None:
    assert turn(message, stage).kind == "help"


def test_an_abstract_alone_is_asked_for_its_title() -> None:
    reply = turn(ABSTRACT, "empty")
    assert reply.kind == "unclear"
    assert "title" in reply.question


@pytest.mark.parametrize(
    "message", ["write me something", "merge the first two", "undo", "export", "why was claim 3 flagged?"]
)
def test_without_a_paper_it_is_asked_for(message: str) -> None:
    assert turn(message, "empty").kind == "unclear"


@pytest.mark.parametrize(
    "message",
    [
        "ok", "OK!", "yes", "Yes, please", "looks good", "Looks good to me", "That looks great, go ahead", "go ahead", "approve", "approved",
        "I approve", "continue", "proceed", "perfect", "lgtm", "sure, write it", "fine, start writing", "good, go on", "no changes", "all good",
        "great, thanks", "The outline is fine", "sounds good", "that works", "do it", "next", "write the section", "keep it as it is",
        "I like it", "okay then",
    ],
)  # fmt: skip
def test_approval(message: str) -> None:
    assert turn(message, "outline").kind == "approve"


@pytest.mark.parametrize(
    ("message", "topics"),
    [
        ("Merge the first two", (1, 2)),
        ("merge 1 and 2", (1, 2)),
        ("please combine topics 2 and 4", (2, 4)),
        ("Could you join the last two topics?", (3, 4)),
        ("merge topic 1 with topic 3", (1, 3)),
        ("merge fact verification and datasets", (2, 4)),
        ("merge the second and the third one", (2, 3)),
        ("put 1 and 4 together", (1, 4)),
        ("merge datasets into fact verification", (4, 2)),
        ("combine sections 1, 2 and 3", (1, 2, 3)),
    ],
)
def test_merge(message: str, topics: tuple[int, ...]) -> None:
    found = edit(message)
    assert (found.kind, found.topics) == ("merge", topics)


def test_merge_with_a_title() -> None:
    for message in (
        "merge the first two into Retrieval and checking",
        "Merge 1 and 2 and call it Retrieval and checking",
    ):
        found = edit(message)
        assert (found.kind, found.topics, found.title) == ("merge", (1, 2), "Retrieval and checking")


@pytest.mark.parametrize(
    ("message", "topic", "title"),
    [
        ("call the third one Evaluation of attribution", 3, "Evaluation of attribution"),
        ("Rename topic 2 to Claim checking", 2, "Claim checking"),
        ("rename the last one to 'Data'", 4, "Data"),
        ('Rename "Datasets" to "Data and benchmarks"', 4, "Data and benchmarks"),
        ("rename dense retrieval as Passage retrieval", 1, "Passage retrieval"),
        ("topic 2 should be called Verification", 2, "Verification"),
        ("change the title of the first topic to Retrieval", 1, "Retrieval"),
        ("change topic 4 to Benchmarks", 4, "Benchmarks"),
        ("title 3: Writing with citations", 3, "Writing with citations"),
        ("2 -> Verification of claims", 2, "Verification of claims"),
        ("I'd like to rename the second topic to Checking", 2, "Checking"),
        ("looks good but rename 2 to Checking", 2, "Checking"),
        ("name the first section Searching", 1, "Searching"),
    ],
)
def test_rename(message: str, topic: int, title: str) -> None:
    found = edit(message)
    assert (found.kind, found.topics, found.title) == ("rename", (topic,), title)


@pytest.mark.parametrize(
    ("message", "topics"),
    [
        ("drop datasets", (4,)), ("remove topic 2", (2,)), ("delete the last one", (4,)), ("get rid of the third topic", (3,)),
        ("Please leave out Fact Verification", (2,)), ("drop the last two", (3, 4)), ("skip topics 1 and 3", (1, 3)),
        ("I don't need the datasets topic", (4,)), ("cut the fourth", (4,)), ("datasets can go", (4,)),
    ],
)  # fmt: skip
def test_drop(message: str, topics: tuple[int, ...]) -> None:
    found = edit(message)
    assert (found.kind, found.topics) == ("drop", topics)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("add a topic on human studies", "Human studies"),
        ("Add another section about evaluation metrics", "Evaluation metrics"),
        ("create a new topic called Peer review", "Peer review"),
        ("include a section on multilingual data", "Multilingual data"),
        ("add 'Human studies'", "Human studies"),
        ("I want a topic on ethics", "Ethics"),
        ("there should be a section about cost", "Cost"),
        ("add human studies as a new topic", "Human studies"),
    ],
)
def test_add(message: str, title: str) -> None:
    found = edit(message)
    assert (found.kind, found.title) == ("add", title)


@pytest.mark.parametrize(
    ("message", "papers", "topic"),
    [
        ("move the paper by Lewis to topic 1", ("p4",), 1),
        ("Move RAFTS to the first topic", ("p1",), 1),
        ("put Karpukhin et al. in Fact verification", ("p2",), 2),
        ("move the two RAG papers to topic 1", ("p4",), 1),
        ("move Li and Ouyang and Long to datasets", ("p3", "p5"), 4),
        ("paper 5 belongs to topic 4", ("p5",), 4),
        ("shift papers about passage retrieval into the last topic", ("p2",), 4),
    ],
)
def test_move_papers(message: str, papers: tuple[str, ...], topic: int) -> None:
    found = edit(message)
    assert (found.kind, found.topics, found.papers) == ("move_papers", (topic,), papers)


@pytest.mark.parametrize(
    ("message", "order"),
    [
        ("swap 1 and 2", (2, 1, 3, 4)), ("reverse the order", (4, 3, 2, 1)), ("reorder: 3, 1, 2, 4", (3, 1, 2, 4)),
        ("put the third one first", (3, 1, 2, 4)), ("move the last topic to the beginning", (4, 1, 2, 3)),
        ("datasets should come before fact verification", (1, 4, 2, 3)), ("move topic 1 to the end", (2, 3, 4, 1)),
        ("start with datasets", (4, 1, 2, 3)), ("put topic 4 after topic 1", (1, 4, 2, 3)), ("move topic 3 up", (1, 3, 2, 4)),
        ("order 2 1 3 4", (2, 1, 3, 4)), ("switch the first and the last", (4, 2, 3, 1)),
    ],
)  # fmt: skip
def test_reorder(message: str, order: tuple[int, ...]) -> None:
    found = edit(message)
    assert (found.kind, found.topics) == ("reorder", order)


@pytest.mark.parametrize(
    "message",
    ["try again", "give me another outline", "make a new outline", "group the papers by method"],
)
def test_regenerate(message: str) -> None:
    assert edit(message).kind == "regenerate"


def test_several_edits_in_one_message() -> None:
    reply = turn(
        "Merge the first two, call the third one Evaluation of attribution, drop datasets and add a topic on human studies",
        "outline",
    )
    assert [(e.kind, e.topics) for e in reply.edits] == [
        ("merge", (1, 2)),
        ("rename", (3,)),
        ("drop", (4,)),
        ("add", ()),
    ]
    reply = turn("drop datasets, add a topic on human studies", "outline")
    assert [e.kind for e in reply.edits] == ["drop", "add"]


@pytest.mark.parametrize("message", ["not good", "hmm", "I am not sure about this", "what is the weather like?", "no"])
def test_an_unclear_outline_turn_is_asked_back(message: str) -> None:
    reply = turn(message, "outline")
    assert reply.kind == "unclear"
    assert reply.question


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("Why was claim 4 flagged?", 4), ("why is claim 11 disputed", 11), ("explain claim 3", 3), ("what is wrong with claim 5?", 5),
        ("claim 7?", 7), ("show me the evidence for claim 2", 2), ("why #6?", 6), ("Is claim 9 supported?", 9),
        ("why was the third claim marked unsupported?", 3), ("what's the problem with sentence 8", 8), ("why 4?", 4),
    ],
)  # fmt: skip
def test_why(message: str, claim: int) -> None:
    reply = turn(message)
    assert (reply.kind, reply.claim) == ("why", claim)


@pytest.mark.parametrize(
    "message",
    [
        "undo",
        "Undo that",
        "revert",
        "go back",
        "take that back",
        "restore the previous version",
        "undo the last change",
    ],
)
def test_undo(message: str) -> None:
    assert turn(message).kind == "undo"


@pytest.mark.parametrize(
    ("message", "version"),
    [
        ("show version 2", 2),
        ("version 3", 3),
        ("go back to version 1", 1),
        ("v2", 2),
        ("restore the first version", 1),
        ("let me see draft 4", 4),
    ],
)
def test_show_version(message: str, version: int) -> None:
    reply = turn(message)
    assert (reply.kind, reply.version) == ("show_version", version)


@pytest.mark.parametrize(
    "message",
    [
        "export",
        "download it",
        "give me the LaTeX",
        "save it as Word",
        "bibtex please",
        "Export as markdown",
        "I want the .bib",
    ],
)
def test_export(message: str) -> None:
    assert turn(message).kind == "export"


@pytest.mark.parametrize(
    ("message", "topics", "papers"),
    [
        ("shorter", (), ()), ("make section 2 shorter", (2,), ()), ("Shorten the second section by a third", (2,), ()),
        ("more critical about fact verification", (2,), ()), ("remove the paper by Li", (), ("p3",)), ("take out Lewis et al.", (), ("p4",)),
        ("drop RAFTS", (), ("p1",)), ("Don't cite Karpukhin", (), ("p2",)), ("remove the paper by Long from section 4", (4,), ("p5",)),
        ("compare the methods on data", (), ()), ("please write it in British English", (), ()), ("rewrite sections 1 and 3", (1, 3), ()),
        ("the last section is too long", (4,), ()), ("can you make it more concise?", (), ()), ("remove the last sentence", (), ()),
    ],
)  # fmt: skip
def test_revise(message: str, topics: tuple[int, ...], papers: tuple[str, ...]) -> None:
    reply = turn(message)
    assert (reply.kind, reply.topics, reply.remove_papers) == ("revise", topics, papers)


@pytest.mark.parametrize(
    "message", ["what do you think?", "banana", "remove the paper by Nobody et al.", "who wrote the third paper?"]
)
def test_an_unclear_draft_turn_is_asked_back(message: str) -> None:
    reply = turn(message)
    assert reply.kind == "unclear"
    assert reply.question


def test_the_outline_can_be_changed_after_drafting() -> None:
    reply = turn("rename section 2 to Claim checking")
    assert reply.kind == "edit_outline"
    assert reply.edits[0].title == "Claim checking"


@given(st.text(max_size=200), st.sampled_from(["empty", "outline", "drafted"]))
def test_any_message_gets_a_valid_action(message: str, stage: str) -> None:
    reply = turn(message, stage)
    ids = {paper.id for paper in PAPERS}
    assert set(reply.remove_papers) <= ids
    assert all(set(e.papers) <= ids for e in reply.edits)
    assert reply.kind != "unclear" or reply.question
