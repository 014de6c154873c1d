"""The desk at which the sections of one draft are written: drafted, repaired, read over, written again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from marwg.errors import KeyRefused, ModelError
from marwg.events import Notice, Progress, Report, SectionWritten
from marwg.language_models import Models
from marwg.tasks import DraftPosition, DraftSection, GiveFeedback, ReviseSection, SectionReply, SectionText, Task
from marwg.text.markup import body
from marwg.text.references import cited_in
from marwg.text.style import instructions
from marwg.types import POSITION, Feedback, Request, Section, Stage
from marwg.writing.drafting import Material, Plan, facts_of, focal_facts
from marwg.writing.guards import Ground, Problem, as_request, mend, problems
from marwg.writing.redundancy import as_request as said_twice
from marwg.writing.redundancy import overlaps
from marwg.writing.scope import Scope, kept_to
from marwg.writing.sections import body_text, section_of

REPAIRS = 2
"""How often a section is asked for again because of what the guards found."""


@dataclass(frozen=True)
class Written:
    """A section and what its writer had to say about it."""

    section: Section
    note: str = ""


def merged(
    sections: tuple[Section, ...], notes: Mapping[str, str], revised: list[Written]
) -> tuple[tuple[Section, ...], dict[str, str]]:
    """The sections with those that were written again in their places, and the notes of both."""
    new = {w.section.topic_id: w for w in revised}
    merged = tuple(new[s.topic_id].section if s.topic_id in new else s for s in sections)
    return merged, {**notes, **{i: f"{notes.get(i, '')} {w.note}".strip() for i, w in new.items()}}


def as_text(feedback: Feedback) -> str:
    """What a reader asks of a section, one line a dimension; empty where nothing is asked."""
    said = feedback.model_dump(exclude={"topic_id"})
    return "\n".join(
        f"{name.replace('_', ' ').capitalize()}: {text.strip()}" for name, text in said.items() if text.strip()
    )


class Desk:
    """What the sections of one draft are written with."""

    def __init__(self, request: Request, models: Models, report: Report, material: Material, total: int) -> None:
        self._request = request
        self._models = models
        self._report = report
        self._material = material
        self._style = instructions(request.parameters.style)
        self._total = total
        self._done = 0

    # ------------------------------------------------------------ first draft

    async def draft(self, plan: Plan) -> Written:
        """One section from its papers, streamed, repaired, and mended where the repair did not help."""
        if not plan.papers:
            return Written(Section(topic_id=plan.topic_id, title=plan.title))
        reply = await self._streamed(plan, self._first_task(plan))
        section, note = self._section(plan, reply), reply.note
        ground = plan.ground(self._material)
        found = problems(section, ground)
        for _ in range(REPAIRS):
            if not found:
                break
            again = await self._repair(plan, section, found)
            if again is None:
                break
            repaired = self._section(plan, again)
            remaining = problems(repaired, ground)
            if repaired.sentences and _weight(remaining) <= _weight(found):
                section, note, found = repaired, f"{note} {again.note}".strip(), remaining
        section, reasons = mend(section, found)
        for reason in reasons:
            self._report(Notice(text=f"Taken out of “{plan.title}”: {reason}", level="warning"))
        if not section.sentences:
            self._report(Notice(text=f"“{plan.title}” is left out: no sentence of it could stand.", level="warning"))
        self._finished(section)
        return Written(section, f"{note} {' '.join(reasons)}".strip())

    def _first_task(self, plan: Plan) -> Task[SectionReply]:
        focal, facts = self._request.focal, facts_of(plan.papers, self._material)
        if plan.topic_id == POSITION:
            titles = plan.view.titles[:-1]
            facts = (*facts, focal_facts(self._material))
            given = {"focal": focal, "titles": titles, "words": plan.words, "papers": plan.sources, "facts": facts}
            return DraftPosition(**given, style=self._style)
        given = {"focal": focal, "plan": plan.view, "papers": plan.sources, "facts": facts, "mentioned": plan.mentioned}
        return DraftSection(**given, style=self._style)

    async def _streamed(self, plan: Plan, task: Task[SectionReply]) -> SectionReply:
        last: SectionReply | None = None
        shown = ""
        async for reply in self._models.stream(task):
            last = reply
            text = body_text(reply)
            if text != shown:
                shown = text
                self._report(SectionWritten(topic_id=plan.topic_id, title=plan.title, text=text))
        return last if last is not None else SectionReply(paragraphs=())

    async def _repair(self, plan: Plan, section: Section, found: tuple[Problem, ...]) -> SectionReply | None:
        try:
            return await self._models.run(self._revision(plan, section, problem=as_request(found)))
        except KeyRefused:
            raise
        except ModelError as error:
            self._report(Notice(text=f"“{plan.title}” could not be repaired. {error}", level="warning"))
            return None

    def _section(self, plan: Plan, reply: SectionReply) -> Section:
        return section_of(reply, plan.topic_id, plan.title, self._material.pages)

    def _finished(self, section: Section) -> None:
        self._done += 1
        event = SectionWritten(topic_id=section.topic_id, title=section.title, text=body(section), done=True)
        self._report(event)
        done = min(self._done, self._total)
        self._report(Progress(stage=Stage.DRAFT, done=done, total=self._total, note=section.title))

    # ------------------------------------------------------------ feedback and refinement

    async def feedback(self, sections: tuple[Section, ...]) -> tuple[Feedback, ...]:
        """What a reader asks of the sections; those of which nothing is asked are not among them."""
        views = tuple(SectionText(topic_id=s.topic_id, title=s.title, text=body(s)) for s in sections)
        if not views:
            return ()
        try:
            reply = await self._models.run(GiveFeedback(focal=self._request.focal, sections=views))
        except KeyRefused:
            raise
        except ModelError as error:
            self._report(
                Notice(
                    text=f"There was no feedback on the draft, so it stays as first written. {error}", level="warning"
                )
            )
            return ()
        said: dict[str, Feedback] = {}
        for item in reply.sections:
            feedback = Feedback.model_validate(item.model_dump())
            if as_text(feedback):
                said.setdefault(feedback.topic_id, feedback)
        return tuple(said[s.topic_id] for s in sections if s.topic_id in said)

    async def without_overlaps(
        self, planned: Sequence[Plan], sections: tuple[Section, ...], notes: Mapping[str, str]
    ) -> tuple[tuple[Section, ...], dict[str, str]]:
        """The sections with those written again that repeat an earlier one; a revision that repeats as much is not taken."""
        found = overlaps(sections)
        asked = {t: said_twice([o for o in found if o.topic_id == t]) for t in dict.fromkeys(o.topic_id for o in found)}
        noted = dict(notes)
        for plan in planned:
            if plan.topic_id not in asked:
                continue
            written = await self.refine(plan, sections, asked)
            changed, changed_notes = merged(sections, noted, [written])
            if len(overlaps(changed)) < len(overlaps(sections)):
                sections, noted = changed, changed_notes
        return sections, noted

    async def refine(
        self,
        plan: Plan,
        sections: tuple[Section, ...],
        asked: Mapping[str, str],
        wish: str = "",
        scope: Scope | None = None,
    ) -> Written:
        """A section written again; where every attempt breaks the guards it stays as it was, and that is said."""
        before = next((s for s in sections if s.topic_id == plan.topic_id), None)
        if before is None:
            return Written(Section(topic_id=plan.topic_id, title=plan.title))
        feedback = wish or asked.get(plan.topic_id, "")
        plan = plan.also(cited_in([before]), self._material)
        ground = plan.ground(self._material)
        accepted: Written | None = None
        problem = ""
        for _ in range(1 + REPAIRS):
            task = self._revision(plan, before, feedback=feedback, problem=problem, by_user=bool(wish))
            try:
                reply = await self._models.run(task)
            except KeyRefused:
                raise
            except ModelError as error:
                return accepted or self._unchanged(plan, before, ground, str(error))
            section = self._section(plan, reply)
            section = kept_to(scope, before, section) if scope else section
            found = problems(section, ground, before, reply.note, user_led=bool(wish))
            stands = not any(p.refused for p in found)
            if stands:
                accepted = Written(section, reply.note)
            # What is merely worth a repair is asked for once; what may not stand is asked for as often as allowed.
            if stands and (problem or not found):
                break
            problem = as_request(found)
        if accepted is None:
            return self._unchanged(plan, before, ground, problem.removeprefix("- ").split("\n")[0])
        self._finished(accepted.section)
        return accepted

    def _unchanged(self, plan: Plan, before: Section, ground: Ground, reason: str) -> Written:
        """The text as it was, but for papers that may no longer be cited: their words go, whatever the writer did."""
        gone = [p for p in problems(before, ground, before, user_led=True) if p.rule == "citation"]
        standing, _ = mend(before, gone)
        note = f"“{plan.title}” stays as it was: {reason}"
        if gone:
            papers = ", ".join(dict.fromkeys(p.words for p in gone))
            note = f"“{plan.title}” was not written anew: {reason} What rested on {papers} was taken out."
        self._report(Notice(text=note, level="warning"))
        return Written(standing, note)

    def _revision(
        self, plan: Plan, section: Section, feedback: str = "", problem: str = "", by_user: bool = False
    ) -> ReviseSection:
        return ReviseSection(
            focal=self._request.focal,
            plan=plan.view,
            section=SectionText(topic_id=section.topic_id, title=section.title, text=body(section)),
            feedback=feedback,
            problem=problem,
            by_user=by_user,
            papers=(*plan.sources, *plan.mentioned),
            facts=facts_of((*plan.papers, *plan.secondary), self._material),
            style=self._style,
        )


def _weight(found: tuple[Problem, ...]) -> tuple[int, int]:
    return (sum(p.refused for p in found), len(found))
