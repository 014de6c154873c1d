"""Changes of the outline by wishes, questions about it, and taking a change back."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from marwg.conversation import changes
from marwg.conversation.looking import Looking
from marwg.conversation.outline_wishes import Wished, wished
from marwg.conversation.views import Answer
from marwg.errors import InputError
from marwg.events import Event, OutlineReady
from marwg.organizing.outline_questions import Seen, answer
from marwg.organizing.outline_shaping import Known
from marwg.pipeline import Pipeline
from marwg.tasks import TurnReply
from marwg.types import Outline, Paper, PaperId, Run, Taxonomy

Told = Event | Answer


class Outlining(Looking):
    """The side of an assistant that works on outlines."""

    async def _edit_outline(self, run: Run, reply: TurnReply, text: str) -> AsyncGenerator[Told]:
        if reply.ask:  # a question beside the wishes
            yield self._outline_answer(run, reply)
        changed = wished(self._outline_of(run), reply.edits, Known(self._taxonomy_of(run), self._shortlist(run)), text)
        async with aclosing(self._changed(run, changed)) as told:
            async for each in told:
                yield each

    async def _changed(self, run: Run, changed: Wished) -> AsyncGenerator[Told]:
        """Takes over a changed outline and tells the difference before it is shown for approval."""
        before, shortlist = self._outline_of(run), self._shortlist(run).values()
        if changed == Wished(before):
            yield Answer(changes.outline_difference(before, before, shortlist))
            return
        events = self._pipeline(run).change_outline(run, changed.outline, changed.wish, changed.divided)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, OutlineReady) and event.run.outline:
                    yield Answer(changes.outline_difference(before, event.run.outline, shortlist))
                yield event

    def _outline_answer(self, run: Run, reply: TurnReply) -> Answer:
        seen = Seen(self._outline_of(run), self._taxonomy_of(run), self._shortlist(run), run.draft)
        return Answer(answer(reply, seen))

    def _earlier_outline(self, run: Run) -> Iterator[Told]:
        """Takes the last change of the outline back and tells what that changes."""
        before, earlier = self._outline_of(run), self._runs.take_back_outline(run.run_id)
        if earlier is None:
            raise InputError("This is the first outline.", "There is nothing to undo.")
        run = run.model_copy(update={"outline": earlier, "outline_approved": False})
        self._runs.save(run)
        yield Answer(changes.outline_difference(before, earlier, self._shortlist(run).values()))
        yield OutlineReady(run=run)

    # ------------------------------------------------------------ what it works on

    def _pipeline(self, run: Run) -> Pipeline:
        return Pipeline(self._services, run.usage)

    @staticmethod
    def _outline_of(run: Run) -> Outline:
        if run.outline is None:
            raise InputError("There is no outline yet.", "Continue the run first.")
        return run.outline

    @staticmethod
    def _taxonomy_of(run: Run) -> Taxonomy:
        if run.taxonomy is None:
            raise InputError("There is no taxonomy yet.", "Continue the run first.")
        return run.taxonomy

    def _shortlist(self, run: Run | None) -> dict[PaperId, Paper]:
        return self._papers([s.paper_id for s in run.candidates.shortlist]) if run and run.candidates else {}
