"""Summarization: cards by id, quotes that are in the source, and replies that are not as asked."""

from collections.abc import AsyncIterator

import pytest

from marwg.agents.summarization import checked_card, summarize
from marwg.errors import InvalidReply, KeyRefused, ModelTimeout, ModelUnavailable
from marwg.events import CardWritten, Event, Notice, Progress
from marwg.prompts import render
from marwg.tasks import CardReply, Cards, CellReply, Source, SourceText, Summarize
from marwg.types import CARD_FIELDS, CandidateSet, Card, Cell, Focal, Page, Paper, Request, Shortlisted
from tests.fake_library import FakeLibrary
from tests.fake_model import FakeModels

FOCAL = Focal(title="Checking citations", abstract="We check each citation against its source.")


@pytest.fixture
def library() -> FakeLibrary:
    papers = [
        Paper(
            paper_id=f"p{n}", key=f"k{n}", title=f"Title {n}", abstract=f"We propose method{n} for claims. It is slow."
        )
        for n in range(20)
    ]
    return FakeLibrary(
        papers,
        {"p3": [Page(paper_id="p3", number=n, text=f"Page {n} text: gain{n} of 4.2 points.") for n in (1, 2, 7)]},
    )


def shortlist(*ids: str, pages: tuple[int, ...] = ()) -> CandidateSet:
    listed = tuple(Shortlisted(paper_id=i, score=0.5, pages=pages) for i in ids)
    return CandidateSet(candidates=(), longlist=ids, shortlist=listed)


def card(source: Source, **cells: CellReply) -> CardReply:
    own = {"method": CellReply(text=f"Method of {source.id}.", quote=source.abstract.split(". ")[0])} | cells
    return CardReply(id=source.id, relation="competes", relation_reason=f"as  {source.id}", **own)


def all_cards(task: Summarize) -> Cards:
    return Cards(cards=tuple(card(p) for p in task.papers))


async def run(answer, library: FakeLibrary, candidates: CandidateSet, events: list[Event] | None = None, models=None):
    models = models or FakeModels({"summarize": answer})
    report = ([] if events is None else events).append
    cards, focal = await summarize(Request(focal=FOCAL), candidates, models, library, report)
    assert [c.paper_id for c in cards] == [s.paper_id for s in candidates.shortlist]
    return cards, focal, models


def notices(events: list[Event]) -> str:
    return " | ".join(e.text for e in events if isinstance(e, Notice))


async def test_cards_come_in_the_order_of_the_shortlist(library):
    events: list[Event] = []
    ids = [f"p{n}" for n in (7, 3, 19, 0, *range(8, 18))]
    backwards = lambda task: Cards(cards=all_cards(task).cards[::-1])  # noqa: E731
    cards, focal, models = await run(backwards, library, shortlist(*ids), events)
    assert cards[0].method == Cell(text="Method of p7.", quote="We propose method7 for claims", page=0)
    assert (cards[0].relation, cards[0].relation_reason, cards[0].dropped_quotes) == ("competes", "as p7", 0)
    assert [len(t.papers) for t in models.asked] == [8, 6, 1]
    assert sorted(e.card.paper_id for e in events if isinstance(e, CardWritten)) == sorted(ids)
    assert [(e.done, e.total) for e in events if isinstance(e, Progress)][-1] == (14, 14)
    assert (focal.paper_id, focal.relation, focal.relation_reason) == ("focal", "background", "")
    assert focal.method.quote == "We check each citation against its source."
    assert notices(events) == ""


async def test_the_chosen_pages_are_read_in_their_order(library):
    cell = CellReply(text="Gains 4.2 points.", quote="gain7 of 4.2 points", page=2)  # it is on page 7
    cards, _, models = await run(
        lambda t: Cards(cards=tuple(card(p, result=cell) for p in t.papers)), library, shortlist("p3", pages=(7, 2))
    )
    assert [p.page for p in models.asked[0].papers[0].passages] == [2, 7]
    assert cards[0].result == Cell(text="Gains 4.2 points.", quote="gain7 of 4.2 points", page=7)
    (page,) = [p for p in library.pages("p3") if p.number == 7]
    method, result = cards[0].quotes
    assert result.text == page.text[result.start : result.end] == "gain7 of 4.2 points"
    assert (method.page, result.page) == (0, 7)


async def test_what_is_not_in_the_source_is_dropped_and_counted(library):
    events: list[Event] = []
    cells = {
        "result": CellReply(text="It wins by 9 points.", quote="improves over the baseline by 9 points"),
        "data": CellReply(text="Uses ImageNet.", quote=""),
        "limitation": CellReply(text="", quote="it is slow"),
    }
    cards, _, _ = await run(
        lambda t: Cards(cards=tuple(card(p, **cells) for p in t.papers[:1])), library, shortlist("p1"), events
    )
    assert cards[0].result == cards[0].data == Cell()
    assert cards[0].limitation == Cell(text="It is slow", quote="It is slow", page=0)
    assert cards[0].dropped_quotes == 1
    assert "3 quotes are not in the source" in notices(events)  # two more on the focal card


async def test_a_paper_does_not_speak_for_another(library):
    """The quote is that of the neighbour: ids in a reply are not enough."""

    def swapped(task: Summarize) -> Cards:
        cells = [card(p).method for p in task.papers]
        return Cards(cards=tuple(CardReply(id=p.id, method=c) for p, c in zip(task.papers, cells[::-1], strict=True)))

    cards, _, _ = await run(swapped, library, shortlist("p1", "p2"))
    assert [c.method for c in cards] == [Cell(), Cell()]
    assert [c.dropped_quotes for c in cards] == [1, 1]


async def test_long_pages_make_small_batches(library):
    library.pages_of = {f"p{n}": [Page(paper_id=f"p{n}", number=1, text="word " * 4000)] for n in range(5)}
    _, _, models = await run(all_cards, library, shortlist(*(f"p{n}" for n in range(5)), pages=(1,)))
    assert [len(t.papers) for t in models.asked] == [2, 2, 1, 1]


async def test_missing_cards_are_asked_for_once_more(library):
    events: list[Event] = []
    odd = CardReply(id="p99")

    def careless(task: Summarize) -> Cards:
        if len(task.papers) > 2:
            return Cards(cards=(*all_cards(task).cards[2:], odd))
        return Cards(cards=tuple(c for c in all_cards(task).cards if c.id != "p1"))

    cards, _, models = await run(careless, library, shortlist("p0", "p1", "p2", "p3"), events)
    assert [[p.id for p in t.papers] for t in models.asked][-1] == ["p0", "p1"]
    assert cards[0].method.text == "Method of p0."
    assert cards[1] == Card(paper_id="p1")
    assert "not asked about were ignored: p99" in notices(events)
    assert "No summary, because the model gave none: “Title 1”." in notices(events)


async def test_a_paper_without_text_is_not_asked_about(library):
    events: list[Event] = []
    library.held[0] = library.held[0].model_copy(update={"abstract": " "})
    cards, _, models = await run(all_cards, library, shortlist("p0", "p1"), events)
    assert [[p.id for p in t.papers] for t in models.asked] == [["p1"], ["focal"]]
    assert cards[0] == Card(paper_id="p0")
    assert "neither abstract nor pages are in the library: “Title 0”" in notices(events)


@pytest.mark.parametrize("error", [InvalidReply("No usable answer."), ModelTimeout("No answer in time.")])
async def test_a_failed_batch_is_asked_for_in_smaller_ones(library, error):
    def only_small(task: Summarize) -> Cards:
        if len(task.papers) > 2:
            raise error
        return all_cards(task)

    cards, _, models = await run(only_small, library, shortlist("p0", "p1", "p2"))
    assert [len(t.papers) for t in models.asked] == [3, 1, 2, 1]
    assert all(c.method.text for c in cards)
    with pytest.raises(type(error)):
        await run(error, library, shortlist("p0", "p1"))


@pytest.mark.parametrize("error", [KeyRefused("Refused."), ModelUnavailable("Down.")])
async def test_a_model_that_cannot_be_used_stops_the_stage(library, error):
    with pytest.raises(type(error)):
        await run(error, library, shortlist("p0", "p1"))


class Growing(FakeModels):
    """Streams a reply card by card."""

    async def stream(self, task, role: str = "generator") -> AsyncIterator[Cards]:
        whole = await self.run(task, role)
        for n in range(len(whole.cards) + 1):
            yield Cards(cards=whole.cards[:n])


async def test_each_card_is_reported_once_as_it_comes(library):
    events: list[Event] = []
    await run(None, library, shortlist("p0", "p1", "p2"), events, Growing({"summarize": all_cards}))
    assert [e.card.paper_id for e in events if isinstance(e, CardWritten)] == ["p0", "p1", "p2"]
    assert [e.done for e in events if isinstance(e, Progress)] == [1, 2, 3]


def test_the_prompt():
    shown = Source(
        id="p1", title="T", authors="Li", year=2020, abstract="A.", passages=(SourceText(page=4, text="P."),)
    )
    prompt = render(Summarize(focal=FOCAL, papers=(shown,)))
    assert prompt.user == (
        "The focal paper:\n"
        '<data name="focal paper">\nTitle: Checking citations\nAbstract: We check each citation against its source.\n</data>\n\n'
        "The papers to read, 1 in all; texts are labelled as abstract or by page:\n"
        '<source id="p1" authors="Li" year="2020">\nTitle: T\nAbstract: A.\nPage 4: P.\n</source>'
    )
    assert all(f"- {name}: " in prompt.system for name in CARD_FIELDS)
    for words in (
        "copied letter by letter",
        "leave the text and the quote of that cell empty",
        "exactly one card for each id",
    ):
        assert words in prompt.system


def test_a_number_that_the_source_does_not_have_is_not_taken_into_a_card():
    source = Source(id="p1", title="T", abstract="It gains 31.87 points over a baseline with 80 papers.")
    said = CardReply(
        id="p1", result=CellReply(text="It gains about 33 points.", quote="It gains 31.87 points over a baseline")
    )
    card = checked_card(said, source)
    assert card.result.text == "It gains 31.87 points over a baseline"
