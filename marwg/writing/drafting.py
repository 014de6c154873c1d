"""What the sections of a draft are written from: their papers, facts and lengths; and which papers went uncited, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from marwg.tasks import Facts, SectionPlan, Source
from marwg.text.markup import unique
from marwg.text.references import cited_in
from marwg.text.sources import source_of
from marwg.types import (
    ABSTRACT_PAGE,
    CARD_FIELDS,
    POSITION,
    CandidateSet,
    Card,
    Draft,
    LeftOut,
    Outline,
    Page,
    Paper,
    PaperId,
    Request,
    Section,
)
from marwg.verification.claims import FOCAL
from marwg.writing.guards import Ground

POSITION_TITLE = "Position of this work"
NEAREST = 5
"""Papers that the closing section is written from."""

_POSITION_SHARE = 0.2


class Papers(Protocol):
    """Where papers and their pages are looked up."""

    def papers(self, ids: Sequence[PaperId] | None = None) -> list[Paper]: ...

    def pages(self, paper_id: PaperId) -> list[Page]: ...


@dataclass(frozen=True)
class Material:
    """Everything that a draft may rest on, by paper id."""

    request: Request
    papers: Mapping[PaperId, Paper]
    cards: Mapping[PaperId, Card]
    focal_card: Card
    pages: Mapping[PaperId, tuple[tuple[int, str], ...]]

    @classmethod
    def of(
        cls, request: Request, candidates: CandidateSet, cards: Sequence[Card], focal_card: Card, library: Papers
    ) -> "Material":
        """The shortlisted papers with their cards, abstracts and pages."""
        ids = [s.paper_id for s in candidates.shortlist]
        papers = {p.paper_id: p for p in library.papers(ids)}
        pages = {
            i: ((ABSTRACT_PAGE, p.abstract), *((page.number, page.text) for page in library.pages(i)))
            for i, p in papers.items()
        }
        pages[FOCAL] = ((ABSTRACT_PAGE, request.focal.abstract),)
        return cls(request, papers, {c.paper_id: c for c in cards}, focal_card, pages)

    def source(self, paper_id: PaperId) -> Source:
        """A paper as a writer sees it: its abstract and the passages that its card quotes."""
        card = self.cards.get(paper_id)
        quotes = [q for q in card.quotes if q.page != ABSTRACT_PAGE] if card else []
        return source_of(self.papers[paper_id], quotes)

    def text(self, paper_id: PaperId) -> str:
        """Every word of a paper that is at hand, with its year; sections are held against it.

        The text of its card is not among them: a model wrote it, and a wrong number would license itself.
        """
        paper = self.papers[paper_id]
        return f"{paper.title}. {paper.year or ''}. {' '.join(t for _, t in self.pages[paper_id])}"


def facts_of(ids: Sequence[PaperId], material: Material) -> tuple[Facts, ...]:
    """The cards of some papers as a writer sees them."""
    return tuple(_facts(i, material.cards[i]) for i in ids if i in material.cards)


def focal_facts(material: Material) -> Facts:
    """The focal paper's own card as a writer sees it."""
    return _facts(FOCAL, material.focal_card)


def _facts(paper_id: PaperId, card: Card) -> Facts:
    cells = {name: getattr(card, name).text for name in CARD_FIELDS}
    return Facts(id=paper_id, relation=card.relation, relation_reason=card.relation_reason, **cells)


@dataclass(frozen=True)
class Plan:
    """One section to be: its place, its papers (the allow-list) and the papers of others that it may name."""

    view: SectionPlan
    papers: tuple[PaperId, ...]
    secondary: tuple[PaperId, ...]
    sources: tuple[Source, ...] = ()
    mentioned: tuple[Source, ...] = field(default=())

    @property
    def topic_id(self) -> str:
        return self.view.topic_id

    @property
    def title(self) -> str:
        return self.view.title

    @property
    def words(self) -> int:
        return self.view.words

    def ground(self, material: Material) -> Ground:
        """What the section is held against."""
        allowed = (*self.papers, *self.secondary)
        focal = material.request.focal
        texts = {i: material.text(i) for i in allowed}
        # Where the user set a limit the lengths of the plan add up to less than it, and each section keeps to its share.
        most = round(self.words * 1.15) + 5 if material.request.parameters.style.word_limit else None
        return Ground(allowed, texts, f"{focal.title}. {focal.abstract}", self.title, self.words, most)

    def also(self, cited: Sequence[PaperId], material: Material) -> "Plan":
        """The plan with the papers that the section cites already, as far as they are still in the shortlist."""
        more = tuple(i for i in cited if i in material.papers and i not in (*self.papers, *self.secondary))
        sources = (*self.mentioned, *(material.source(i) for i in more))
        return replace(self, secondary=(*self.secondary, *more), mentioned=sources)

    @classmethod
    def for_section(cls, section: Section, sections: Sequence[Section], material: Material) -> "Plan":
        """The plan of a section that the outline does not have: it keeps to the papers that it cites."""
        ids = tuple(i for i in cited_in([section]) if i in material.papers)
        titles = tuple(s.title for s in sections)
        words = max(80, sum(len(s.text.split()) for s in section.sentences))
        place = [s.topic_id for s in sections].index(section.topic_id)
        view = SectionPlan(topic_id=section.topic_id, title=section.title, index=place, titles=titles, words=words)
        return cls(view, ids, (), tuple(material.source(i) for i in ids))


def plans(request: Request, outline: Outline, candidates: CandidateSet, material: Material) -> list[Plan]:
    """The sections in order, the closing one last, with the words shared out by their papers."""
    topics = [t for t in outline.topics if any(p in material.papers for p in (*t.papers, *t.secondary))]
    closing = (POSITION_TITLE,) if request.parameters.style.closing else ()
    titles = (*(t.title for t in topics), *closing)
    total = aimed_words(request)
    shared = total * (1 - _POSITION_SHARE) if closing else total
    weights = [2 + len(t.papers) for t in topics]
    planned = []
    for index, topic in enumerate(topics):
        own = unique(p for p in topic.papers if p in material.papers)
        others = unique(p for p in topic.secondary if p in material.papers and p not in own)
        if not own:  # a topic whose papers all have another home is written from those
            own, others = others, ()
        words = max(60, round(shared * weights[index] / sum(weights)))
        view = SectionPlan(topic_id=topic.topic_id, title=topic.title, index=index, titles=titles, words=words)
        planned.append(Plan(view, own, others, _sources(own, material), _sources(others, material)))
    if not closing:
        return planned
    nearest = nearest_papers(candidates, material)
    words = max(60, round(total * _POSITION_SHARE))
    view = SectionPlan(topic_id=POSITION, title=POSITION_TITLE, index=len(topics), titles=titles, words=words)
    return [*planned, Plan(view, nearest, (), _sources(nearest, material))]


def aimed_words(request: Request) -> int:
    """The length that is aimed at: that of the settings, and well below the user's limit where there is one."""
    limit = request.parameters.style.word_limit
    return request.parameters.words if limit is None else min(request.parameters.words, round(limit * 0.9))


def _sources(ids: Sequence[PaperId], material: Material) -> tuple[Source, ...]:
    return tuple(material.source(i) for i in ids)


def nearest_papers(candidates: CandidateSet, material: Material) -> tuple[PaperId, ...]:
    """The shortlisted papers nearest to the focal one: competitors and what it builds on first, then by score."""
    near = {"competes", "extends", "contrasts"}

    def order(paper_id: PaperId) -> tuple[bool, float]:
        card = material.cards.get(paper_id)
        return (card is None or card.relation not in near, -scores[paper_id])

    scores = {s.paper_id: s.score for s in candidates.shortlist if s.paper_id in material.papers}
    return tuple(sorted(scores, key=order)[:NEAREST])


def uncited(
    sections: Sequence[Section],
    candidates: CandidateSet,
    planned: Sequence[Plan],
    notes: Mapping[str, str],
    earlier: Sequence[LeftOut] = (),
    before: Draft | None = None,
) -> tuple[LeftOut, ...]:
    """The shortlisted papers that the sections do not cite, each with the reason that is known."""
    cited = set(cited_in(sections))
    home = {i: p for p in planned if p.topic_id != POSITION for i in p.papers}
    known = {e.paper_id: e.reason for e in earlier}
    had = set(cited_in(before.sections)) if before else set()
    left = []
    for item in candidates.shortlist:
        if item.paper_id in cited:
            continue
        plan = home.get(item.paper_id)
        note = notes.get(plan.topic_id, "") if plan else ""
        if item.paper_id in note:
            reason = note
        elif item.paper_id in known:
            reason = known[item.paper_id]
        elif item.paper_id in had:
            reason = "left out by the revision that was asked for"
        elif plan:
            reason = f"the section “{plan.title}” found no place for it"
        else:
            reason = "no topic of the outline has it"
        left.append(LeftOut(paper_id=item.paper_id, reason=reason))
    return tuple(left)
