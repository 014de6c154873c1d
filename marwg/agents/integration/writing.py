"""A whole draft: its first version, and new versions after a user's wish."""

from collections.abc import Mapping

from marwg.agents.integration.desk import Desk, as_text, merged
from marwg.concurrency import all_of
from marwg.errors import InvalidReply, NothingFound
from marwg.events import Notice, Report
from marwg.language_models import Models
from marwg.library import Library
from marwg.text.markup import citations_of
from marwg.text.references import cited_in
from marwg.text.style import shaped
from marwg.types import CandidateSet, Card, Draft, Feedback, Outline, Request
from marwg.writing.drafting import Material, Plan, plans, uncited
from marwg.writing.fitting import fitted
from marwg.writing.scope import scope_of
from marwg.writing.sections import polish


async def write(
    request: Request,
    outline: Outline,
    candidates: CandidateSet,
    cards: tuple[Card, ...],
    focal_card: Card,
    models: Models,
    library: Library,
    report: Report,
) -> Draft:
    """The first version of a draft; every shortlisted paper is cited in it or listed with the reason why not."""
    material = Material.of(request, candidates, cards, focal_card, library)
    if not material.papers:
        raise NothingFound("There is no paper to write from.", "Add papers to the library or widen the search.")
    planned = plans(request, outline, candidates, material)
    desk = Desk(request, models, report, material, len(planned))
    written = await all_of(desk.draft(plan) for plan in planned)
    sections = tuple(w.section for w in written if w.section.sentences)
    if not sections:
        raise InvalidReply(
            "No section kept to its sources, so nothing was written.", "Try again, or use another model."
        )
    notes = {w.section.topic_id: w.note for w in written}
    given: tuple[Feedback, ...] = ()
    for _ in range(request.parameters.feedback_rounds):
        feedback = await desk.feedback(sections)
        if not feedback:
            break
        given += feedback
        asked = {f.topic_id: as_text(f) for f in feedback}
        revised = await all_of(desk.refine(plan, sections, asked) for plan in planned if plan.topic_id in asked)
        sections, notes = merged(sections, notes, revised)
    sections, notes = await desk.without_overlaps(planned, sections, notes)
    draft = Draft(author=models.name("generator"), reason="first draft", sections=polish(sections), feedback=given)
    draft, notes = _shaped(draft, request, notes, report)
    return draft.model_copy(update={"uncited": uncited(draft.sections, candidates, planned, notes)})


async def revise(
    request: Request,
    draft: Draft,
    outline: Outline,
    candidates: CandidateSet,
    cards: tuple[Card, ...],
    focal_card: Card,
    models: Models,
    library: Library,
    report: Report,
    instruction: str,
    topic_ids: tuple[str, ...] = (),
) -> tuple[Draft, str]:
    """A new version with the named sections (all if none) written again as the user wishes, the others byte for byte;
    and a note what could not be done."""
    material = Material.of(request, candidates, cards, focal_card, library)
    planned = {p.topic_id: p for p in plans(request, outline, candidates, material)}
    scope = scope_of(instruction, draft, topic_ids)
    topic_ids = (scope.topic_id,) if scope else topic_ids
    meant = [s for s in draft.sections if not topic_ids or s.topic_id in topic_ids]
    desk = Desk(request, models, report, material, len(meant))
    chosen = [planned.get(s.topic_id) or Plan.for_section(s, draft.sections, material) for s in meant]
    revised = await all_of(desk.refine(plan, draft.sections, {}, instruction, scope) for plan in chosen)
    sections, notes = merged(draft.sections, {}, revised)
    there = {s.topic_id for s in draft.sections}
    new = await all_of(desk.draft(planned[t]) for t in topic_ids if t not in there and t in planned)
    sections = tuple(s for s in (*sections, *(w.section for w in new)) if s.sentences)
    unknown = [t for t in topic_ids if t not in there and t not in planned]
    remarks = [w.note for w in revised if w.note] + [f"There is no section {t}." for t in unknown]
    version = Draft(
        version=draft.version + 1,
        parent=draft.version,
        author=models.name("generator"),
        reason=instruction,
        sections=sections,
    )
    version, notes = _shaped(version, request, notes, report)
    left = uncited(version.sections, candidates, list(planned.values()), notes, draft.uncited, draft)
    return version.model_copy(update={"uncited": left}), " ".join(dict.fromkeys(remarks))


def _shaped(draft: Draft, request: Request, notes: Mapping[str, str], report: Report) -> tuple[Draft, dict[str, str]]:
    """The draft in the style that is set and within the word limit; papers that the limit left no room for are noted."""
    style, noted = request.parameters.style, dict(notes)
    draft = shaped(draft, style)
    if style.word_limit is None:
        return draft, noted
    sections, gone = fitted(draft.sections, style.word_limit, style.headings)
    if not gone:
        return draft, noted
    home = {s.text: section.topic_id for section in draft.sections for s in section.sentences}
    still = set(cited_in(sections))
    for sentence in gone:
        lost = [i for i in citations_of(sentence.text) if i not in still]
        if lost:
            ids = ", ".join(f"[@{i}]" for i in lost)
            topic_id = home[sentence.text]
            noted[topic_id] = (
                f"{noted.get(topic_id, '')} The limit of {style.word_limit} words left no room for {ids}.".strip()
            )
    count = f"{len(gone)} sentence{'s were' if len(gone) > 1 else ' was'}"
    report(Notice(text=f"{count} taken out to keep to the limit of {style.word_limit} words."))
    return draft.model_copy(update={"sections": sections}), noted


def notice(text: str) -> Notice:
    """What a revision could not do, as an event."""
    return Notice(text=text)
