"""Claims in a conversation: why, questions to the ledger, the user's decisions, and checking a text that the user wrote."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from marwg.conversation import claims, own_text, views
from marwg.conversation.looking import Looking
from marwg.conversation.own_text import Brought
from marwg.conversation.views import Answer
from marwg.errors import InputError
from marwg.events import Event, Notice, Report
from marwg.pipeline import Pipeline
from marwg.reporting import reported
from marwg.tasks import TurnReply
from marwg.types import Focal, Run

Told = Event | Answer


class Verifying(Looking):
    """The side of an assistant that works on claims."""

    async def _why(self, run: Run, claim: int) -> AsyncGenerator[Told]:
        yield Answer(claims.why(run, claim, self._library, self._runs))

    async def _ledger_answer(self, run: Run, reply: TurnReply) -> AsyncGenerator[Told]:
        yield Answer(await claims.answered(run, reply, self._library, self._services.index, self._runs))

    # ------------------------------------------------------------ decisions

    async def _decide(self, run: Run, payload: dict[str, Any]) -> AsyncGenerator[Told]:
        """Accept, reject, edit or move a claim; the last two make a new version, in which it is checked."""
        action = claims.read(payload)
        entry = claims.entry_for(run, action.claim)
        claim_id, number = entry.claim.claim_id, action.claim
        match action.decision:
            case "accept" | "reject":
                self._runs.decide(run.run_id, claim_id, action.decision)
                yield Answer(f"Claim {number}: {action.decision}ed by you.")
            case "edit" | "move":
                change = claims.edited if action.decision == "edit" else claims.moved
                before, after = change(run, action)
                self._runs.decide(run.run_id, claim_id, action.decision, before, after)
                reason = f"you {'edited' if action.decision == 'edit' else 'moved'} claim {number}"
                pipeline = Pipeline(self._services, run.usage)
                async with aclosing(pipeline.put_sentence(run, before, after, reason)) as events:
                    async for event in events:
                        yield event
            case _:
                raise InputError("This decision cannot be recorded.", "Reload the page and try again.")

    async def _recheck(self, run: Run, payload: dict[str, Any]) -> AsyncGenerator[Told]:
        """Asks the judges anew about one claim, or another model in the verifier's place; no kept answer counts."""
        number, model = claims.read(payload).claim, str(payload.get("model") or "")[:100]
        entry = claims.entry_for(run, number)
        assert run.ledger is not None
        pipeline = Pipeline(self._services, run.usage, judge=model)
        self._runs.decide(run.run_id, entry.claim.claim_id, "recheck", after=model)
        others = tuple(e for e in run.ledger.entries if e.claim.number != number)
        run = run.model_copy(update={"ledger": run.ledger.model_copy(update={"entries": others})})
        async with aclosing(pipeline.verify(run, fresh=True)) as events:
            async for event in events:
                yield event

    # ------------------------------------------------------------ check what I wrote

    async def _check(self, thread_id: str, brought: Brought) -> AsyncGenerator[Told]:
        """Checks a text that the user wrote; it becomes the draft of a run of this conversation, and is not changed."""
        earlier = self.run(thread_id)
        focal = earlier.request.focal if earlier and earlier.review is None else None
        started: list[Run] = []
        async with aclosing(reported(lambda report: self._begun(thread_id, brought, focal, report, started))) as events:
            async for event in events:
                yield event
        (run,) = started
        async with aclosing(Pipeline(self._services, run.usage).check(run)) as events:
            async for event in events:
                run = getattr(event, "run", run)
                yield event
        papers = await asyncio.to_thread(self._library.papers)
        yield Answer(own_text.told(run, papers))

    async def _begun(
        self, thread_id: str, brought: Brought, focal: Focal | None, report: Report, started: list[Run]
    ) -> None:
        parameters = self.parameters(thread_id)
        run, work = await own_text.begin(self._services, thread_id, brought, parameters, focal, report)
        if work.imported.read or work.imported.refused:
            level = "warning" if work.imported.refused else "info"
            report(Notice.model_validate({"text": views.import_text(work.imported), "level": level}))
        started.append(run)

    def _check_wished(self, run: Run | None) -> AsyncGenerator[Told]:
        """The wish without a text: the draft at hand is checked again, and without one the user is told how."""
        if run is None or run.draft is None:
            return _say(own_text.HOW)
        pipeline = Pipeline(self._services, run.usage)
        return pipeline.check(run) if run.review is not None else _again(pipeline, run)

    @staticmethod
    def _refuse_own(run: Run) -> None:
        """What is written here may be rewritten here; a text of the user is not."""
        if run.review is not None:
            raise InputError(own_text.OWN)


async def _say(text: str) -> AsyncGenerator[Told]:
    yield Answer(text)


async def _again(pipeline: Pipeline, run: Run) -> AsyncGenerator[Told]:
    async with aclosing(pipeline.verify(run)) as events:
        async for event in events:
            yield event
    yield Answer(f"To have a text of yours checked instead: {own_text.HOW[0].lower()}{own_text.HOW[1:]}")
