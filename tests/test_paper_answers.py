"""Questions about papers are answered in their own words with the page, or with: the library does not say."""

import pytest

from marwg.extractive.version_asking import asked
from marwg.tasks import RouteTurn
from marwg.text.sources import source_of
from marwg.types import Card, Cell
from marwg.writing.paper_answers import of_papers, with_phrase
from tests.paper_world import PAGE, PAPERS

PAGES = {p.paper_id: [(0, p.abstract)] for p in PAPERS} | {"p1": [(0, PAPERS[0].abstract), (PAGE.number, PAGE.text)]}
CARDS = (
    Card(paper_id="p1", data=Cell(text="questions of NQ", quote="58,880 questions of NQ", page=4)),
    Card(paper_id="p2"),
)


def answer(paper: str, aspect: str, question: str = "") -> str:
    return of_papers([paper], aspect, question, CARDS, PAPERS, PAGES)  # type: ignore[arg-type]


def test_from_the_card_first():
    text = answer("p1", "data")
    assert text.startswith("**Karpukhin et al. (2020)**: questions of NQ")
    assert "> 58,880 questions of NQ (p. 4)" in text
    assert "Only its abstract" not in text


def test_then_from_the_pages_and_else_not_at_all():
    text = answer("p3", "evaluation", "how is citation quality evaluated?")
    assert "> We propose a benchmark for the evaluation of citations" in text
    assert "(abstract)" in text
    assert "Only its abstract is in the library." in text
    assert "the library does not say" in answer("p2", "limitation")
    assert answer("p9", "data") == "The library does not have that paper."


def test_which_papers_have_a_phrase():
    text = with_phrase("open-domain question answering", PAPERS, PAGES)
    assert text.startswith("2 of 3 papers have")
    assert "Gao" not in text
    assert "does not say" in with_phrase("protein folding", PAPERS, PAGES)
    assert "does not say" in with_phrase("NQs.*", PAPERS, PAGES)


TASK = RouteTurn(
    message="", stage="drafted", topics=("Retrieval", "B"), papers=tuple(source_of(p, words=0) for p in PAPERS)
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("what data did Karpukhin et al. use?", ("ask_papers", ("p1",), "data")),
        ("And on which datasets is the paper by Lewis evaluated?", ("ask_papers", ("p2",), "data")),
        ("what are the limitations of Gao and Yen?", ("ask_papers", ("p3",), "limitation")),
        ("how does Karpukhin 2020 work as a method?", ("ask_papers", ("p1",), "method")),
        ("which papers use Wikipedia?", ("ask_papers", (), None)),
        ("show me the comparison table", ("compare", (), None)),
        ("redo", ("redo", (), None)),
        ("soften claim 4", ("revise", (), None)),
        ("take the second paragraph from version 1", ("take", (), None)),
        ("British English please", ("revise", (), None)),
    ],
)
def test_what_is_asked(message: str, expected: tuple):
    reply = asked(message, TASK)
    assert reply is not None
    assert (reply.kind, reply.papers, reply.aspect) == expected


@pytest.mark.parametrize(
    "message",
    ["why was claim 4 flagged?", "which claims cite Lewis?", "is it true that Lewis et al. use Wikipedia?", "shorter", "remove the paper by Lewis", "show version 1",
     "go back to version 1", "undo", "why is Lewis in topic 2?", "which papers are in section 1?", "compare Lewis and Gao on data"],
)  # fmt: skip
def test_what_is_another_thing(message: str):
    reply = asked(message, TASK)
    assert reply is None or reply.kind not in ("ask_papers", "compare", "take", "redo")
