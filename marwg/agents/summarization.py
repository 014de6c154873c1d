"""Agent 2, Summarization: a card for every shortlisted paper, s'_i = LLM_sum(a_i, b_i, its pages), every quote checked.

A card is what the model says of a paper with the words that it rests on. Words that are not in the source are dropped
and counted, and what was said on them is dropped too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from marwg.concurrency import all_of
from marwg.errors import InvalidReply, ModelError, ModelTimeout
from marwg.events import CardWritten, Notice, Progress, Report
from marwg.language_models import Models
from marwg.library import Library
from marwg.tasks import CardReply, CellReply, Source, Summarize
from marwg.text.quantities import backed, quantities
from marwg.text.sources import find_quote, match_ids, source_of
from marwg.types import (
    ABSTRACT_PAGE,
    CARD_FIELDS,
    CandidateSet,
    Card,
    Cell,
    Focal,
    PaperId,
    Passage,
    Request,
    Shortlisted,
    Stage,
)

FOCAL_ID = "focal"
_NO_RELATION = {"relation": "background", "relation_reason": ""}

BATCH = 8
BATCH_CHARACTERS = 48_000
"""About 12,000 tokens: eight papers on their abstracts, two or three with long pages."""
SECOND_BATCH = 2

MOST_QUOTES = 3
_EVIDENCE = ("method", "result", "limitation", "problem", "evaluation", "data")
"""The cells whose quotes are shown as evidence, the most telling first."""


async def summarize(
    request: Request, candidates: CandidateSet, models: Models, library: Library, report: Report
) -> tuple[tuple[Card, ...], Card]:
    """The cards in the order of the shortlist, and that of the focal paper itself."""
    reader = _Reader(request.focal, models, report, total=len(candidates.shortlist))
    papers = [_source(paper, library) for paper in candidates.shortlist]
    focal = Source(id=FOCAL_ID, title=request.focal.title, abstract=request.focal.abstract)
    await all_of(reader.read(batch) for batch in [*_batches(papers, BATCH), [focal]])
    missing = [s for s in (*papers, focal) if s.id not in reader.cards and _has_text(s)]
    await all_of(reader.read(batch) for batch in _batches(missing, SECOND_BATCH))
    if reader.error and not any(s.id in reader.cards for s in papers):
        raise reader.error
    reader.complete((*papers, focal))
    return tuple(reader.cards[s.id] for s in papers), reader.cards[FOCAL_ID]


def _source(shortlisted: Shortlisted, library: Library) -> Source:
    """A paper with its abstract and its chosen pages in reading order."""
    paper_id, chosen = shortlisted.paper_id, shortlisted.pages
    pages = sorted(library.pages(paper_id), key=lambda page: page.number) if chosen else []
    return source_of(library.get(paper_id), [page for page in pages if page.number in chosen])


def _has_text(source: Source) -> bool:
    return any(text.strip() for _, text in _texts(source))


def _texts(source: Source) -> list[tuple[int, str]]:
    return [(ABSTRACT_PAGE, source.abstract), *((p.page, p.text) for p in source.passages)]


def _batches(papers: Sequence[Source], size: int) -> Iterator[list[Source]]:
    """The papers that have a text, so many a batch, fewer where their pages are long."""
    batch: list[Source] = []
    length = 0
    for paper in filter(_has_text, papers):
        own = sum(len(text) for _, text in _texts(paper))
        if batch and (len(batch) == size or length + own > BATCH_CHARACTERS):
            yield batch
            batch, length = [], 0
        batch.append(paper)
        length += own
    if batch:
        yield batch


@dataclass
class _Reader:
    """Reads batches of papers and keeps their cards by id."""

    focal: Focal
    models: Models
    report: Report
    total: int
    cards: dict[PaperId, Card] = field(default_factory=dict)
    error: ModelError | None = None

    async def read(self, batch: Sequence[Source]) -> None:
        """Cards for the batch as they come; a batch without a usable reply leaves its papers without cards."""
        sources = {s.id: s for s in batch}
        checked: dict[PaperId, CardReply] = {}
        unknown: tuple[str, ...] = ()
        try:
            async for reply in self.models.stream(Summarize(focal=self.focal, papers=tuple(batch))):
                matched = match_ids(reply.cards, list(sources))
                unknown = matched.unknown
                for paper_id, said in matched.found.items():
                    if checked.get(paper_id) == said:
                        continue
                    checked[paper_id] = said
                    card = checked_card(said, sources[paper_id])
                    self._keep(card if paper_id != FOCAL_ID else card.model_copy(update=_NO_RELATION))
        except (InvalidReply, ModelTimeout) as error:
            self.error = error
        if unknown:
            text = f"Summaries of papers that were not asked about were ignored: {', '.join(unknown)}."
            self.report(Notice(text=text, level="warning"))

    def _keep(self, card: Card) -> None:
        self.cards[card.paper_id] = card
        if card.paper_id != FOCAL_ID:
            self.report(CardWritten(card=card))
            done = sum(i != FOCAL_ID for i in self.cards)
            self.report(Progress(stage=Stage.SUMMARIES, done=done, total=self.total, note="papers summarized"))

    def complete(self, papers: Sequence[Source]) -> None:
        """Gives an empty card to each paper that has none, and says for how many and why; tells dropped quotes."""
        without = [s for s in papers if s.id not in self.cards]
        for why, these in (
            ("the model gave none", [s for s in without if _has_text(s)]),
            ("neither abstract nor pages are in the library", [s for s in without if not _has_text(s)]),
        ):
            for source in these:
                self._keep(Card(paper_id=source.id))
            if these:
                titles = ", ".join(f"“{s.title}”" for s in these)
                self.report(Notice(text=f"No summary, because {why}: {titles}.", level="warning"))
        if count := sum(card.dropped_quotes for card in self.cards.values()):
            many = "quotes are" if count > 1 else "quote is"
            self.report(Notice(text=f"{count} {many} not in the source; what rested on them was left out."))


# ---------------------------------------------------------------- quotes


def checked_card(said: CardReply, source: Source) -> Card:
    """The card with what the source bears out: every quote in the source's own words and on the page where it is."""
    cells: dict[str, Cell] = {}
    places: dict[str, Passage] = {}
    dropped = 0
    for name in CARD_FIELDS:
        cell: CellReply = getattr(said, name)
        place = _place(cell, source)
        if place is not None:
            places[name] = place
            cells[name] = Cell(text=_worded(cell.text, place, source), quote=place.text, page=place.page)
        elif cell.quote.strip():
            dropped += 1
    evidence = dict.fromkeys(places[name] for name in _EVIDENCE if name in places)
    return Card(
        paper_id=source.id,
        **cells,
        relation=said.relation,
        relation_reason=" ".join(said.relation_reason.split()),
        quotes=tuple(evidence)[:MOST_QUOTES],
        dropped_quotes=dropped,
    )


def _worded(text: str, place: Passage, source: Source) -> str:
    """The model's wording where every number of it is in the source, else the source's own: later stages build on it."""
    shown = " ".join(each for _, each in _texts(source))
    stated = quantities(shown)
    if not text.strip() or not all(backed(number, stated, shown) for number in quantities(text)):
        text = place.text
    return " ".join(text.split())


def _place(cell: CellReply, source: Source) -> Passage | None:
    """Where the quote is: on the page that was named if it is there, else on any that was shown."""
    for page, text in sorted(_texts(source), key=lambda each: each[0] != cell.page):
        if span := find_quote(cell.quote, text):
            start, end = span
            return Passage(paper_id=source.id, page=page, start=start, end=end, text=text[start:end])
    return None
