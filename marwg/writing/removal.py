"""A run without papers that the user took out: of its shortlist, cards, taxonomy and outline."""

from collections.abc import Collection

from marwg.organizing.taxonomy import restricted
from marwg.text.markup import citations_of
from marwg.types import LeftOut, PaperId, Run, Section


def cites(section: Section, papers: Collection[PaperId]) -> bool:
    """Whether a section cites one of these papers."""
    return any(p in papers for sentence in section.sentences for p in citations_of(sentence.text))


def without_papers(run: Run, papers: tuple[PaperId, ...]) -> Run:
    """The run with these papers taken out of its shortlist, cards and outline, recorded as removed by the user."""
    assert run.candidates and run.outline and run.cards is not None
    gone = set(papers)
    removed = tuple(LeftOut(paper_id=p, reason="removed by the user") for p in papers)
    shortlist = tuple(s for s in run.candidates.shortlist if s.paper_id not in gone)
    there = {s.paper_id for s in shortlist}
    topics = tuple(
        t.model_copy(
            update={
                "papers": tuple(p for p in t.papers if p not in gone),
                "secondary": tuple(p for p in t.secondary if p not in gone),
                "pinned": tuple(p for p in t.pinned if p not in gone),
            }
        )
        for t in run.outline.topics
    )
    uncovered = tuple(u for u in run.outline.uncovered if u.paper_id not in gone)
    return run.model_copy(
        update={
            "candidates": run.candidates.model_copy(
                update={"shortlist": shortlist, "left_out": run.candidates.left_out + removed}
            ),
            "outline": run.outline.model_copy(update={"topics": topics, "uncovered": uncovered}),
            "taxonomy": restricted(run.taxonomy, there) if run.taxonomy else None,
            "cards": tuple(c for c in run.cards if c.paper_id not in gone),
        }
    )
