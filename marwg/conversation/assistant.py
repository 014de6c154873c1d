"""The assistant behind a chat: one user turn in, events and answers out. Its state is in the store, by conversation."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from marwg.conversation import changes, reading, turns, views
from marwg.conversation.looking import Looking
from marwg.conversation.views import Answer
from marwg.errors import InputError, MarwgError, RunError
from marwg.events import Event, Notice, OutlineReady, Report
from marwg.ledger import entry_of, explain
from marwg.library.importing import import_files
from marwg.pipeline import Pipeline
from marwg.reporting import reported
from marwg.services import Services, open_services
from marwg.settings import Settings
from marwg.tasks import TurnReply
from marwg.types import Focal, Paper, PaperId, Request, Run

Told = Event | Answer

QUICKLY_EMBEDDED = 300
"""Papers that are embedded in the background without being asked for."""

_log = logging.getLogger(__name__)


class Assistant(Looking):
    """Answers turns and buttons of any number of conversations; one turn at a time in each."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._busy: dict[str, asyncio.Lock] = {}
        self._offered: dict[str, Focal] = {}

    @classmethod
    async def open(cls, settings: Settings) -> "Assistant":
        """An assistant with its library and store; models and vectors are loaded when first needed."""
        return cls(await open_services(settings))

    async def close(self) -> None:
        """Lets go of files and connections."""
        await self._services.close()

    async def warm_up(self) -> None:
        """Gets ready what the first answer needs: the embedding model, a small library's vectors, and its topics."""
        index = self._services.index
        try:
            if len(await index.pending()) <= QUICKLY_EMBEDDED:
                await index.start_topics()
            else:  # it takes long enough that its progress should be seen, at the first search
                await index.embedder.aencode(["warm up"])
        except MarwgError as error:  # it is met again, and told, when it counts
            _log.warning("warming up: %s", error)

    # ------------------------------------------------------------ turns and buttons

    async def handle(self, thread_id: str, text: str, files: Sequence[Path] = ()) -> AsyncGenerator[Told]:
        """One user turn: a message with any uploaded files, under the names that the user gave them."""
        async with self._turn(thread_id):
            drafts = [f for f in files if f.suffix.lower() in reading.DRAFT_ENDINGS]
            others = [f for f in files if f not in drafts]
            if others:
                async with aclosing(self._import(others)) as told:
                    async for each in told:
                        yield each
            if drafts:
                yield self._offer(thread_id, drafts[0])
            elif text.strip():
                async with aclosing(await self._said(thread_id, text.strip())) as told:
                    async for each in told:
                        yield each

    async def act(self, thread_id: str, action: str, payload: dict[str, Any]) -> AsyncGenerator[Told]:
        """A button: approve, edit_outline, continue, why, decide, recheck. The payload is data from a browser."""
        async with self._turn(thread_id), aclosing(self._pressed(thread_id, action, payload)) as told:
            async for each in told:
                yield each

    def _turn(self, thread_id: str) -> asyncio.Lock:
        lock = self._busy.setdefault(thread_id, asyncio.Lock())
        if lock.locked():
            raise RunError("This conversation is still working on the last request.", "Wait for it, or press stop.")
        return lock

    async def _said(self, thread_id: str, text: str) -> AsyncGenerator[Told]:
        """What answers a message."""
        run = self.run(thread_id)
        focal = reading.focal_in_text(text)
        if focal and (run is None or len(focal.abstract.split()) >= reading.SHORTEST_ABSTRACT):
            return self._start(thread_id, focal)
        offered = self._offered.get(thread_id)
        stage = "outline" if offered and run is None else views.stage_of(run)
        reply = await turns.route(text, stage, run, self._shortlist(run), self._services.models)
        if offered and reply.kind == "approve":
            return self._start(thread_id, offered)
        return self._meant(thread_id, run, reply, text)

    def _meant(self, thread_id: str, run: Run | None, reply: TurnReply, text: str) -> AsyncGenerator[Told]:
        match reply.kind:
            case "start" if reply.title and reply.abstract:
                return self._start(thread_id, Focal(title=reply.title, abstract=reply.abstract))
            case "help":
                return _one(Answer(views.HELP))
            case "start" | "unclear":
                return _one(Answer(reply.question or _ask_back(run)))
        if run is None:
            raise InputError("There is nothing to work on yet.", "Send a title and an abstract first.")
        match reply.kind:
            case "approve":
                return self._approve(run)
            case "edit_outline":
                return self._edit_outline(run, reply, text)
            case "revise":
                return self._revise(run, reply, text)
            case "why":
                return self._why(run, reply.claim)
            case "undo":
                return self._undo(run)
            case "show_version":
                return self._show_version(run, reply.version)
            case "export":
                self._draft_of(run)
                return _one(Answer("Here are the files: Markdown, LaTeX, the bibliography and the claim ledger."))

    def _pressed(self, thread_id: str, action: str, payload: dict[str, Any]) -> AsyncGenerator[Told]:
        run = self._run(thread_id)
        match action:
            case "approve" | "edit_outline":
                return self._outline_from_browser(run, payload, approved=action == "approve")
            case "continue":
                return self._pipeline(run).advance(run)
            case "why":
                return self._why(run, _number(payload))
            case "decide":
                return _one(self._decide(run, _number(payload), payload.get("decision")))
            case "recheck":
                return self._recheck(run, _number(payload))
        raise InputError("This button is not known.", "Reload the page.")

    # ------------------------------------------------------------ what is done

    def _start(self, thread_id: str, focal: Focal) -> AsyncGenerator[Told]:
        request = Request(focal=reading.checked(focal), parameters=self.parameters(thread_id))
        self._offered.pop(thread_id, None)
        run = self._runs.start(thread_id, request)
        return self._pipeline(run).advance(run)

    def _approve(self, run: Run) -> AsyncGenerator[Told]:
        if run.outline is None:
            raise InputError("There is no outline to approve yet.", "Continue the run first.")
        if run.draft is not None and run.outline_approved:
            return _one(
                Answer("The outline is approved already. Say what to change in the draft, or edit the outline.")
            )
        run = run.model_copy(update={"outline_approved": True})
        self._runs.save(run)
        return self._pipeline(run).advance(run)

    async def _outline_from_browser(self, run: Run, payload: dict[str, Any], approved: bool) -> AsyncGenerator[Told]:
        changed = changes.from_browser(run, payload)
        if changed != run.outline:
            async with aclosing(self._pipeline(run).change_outline(run, changed)) as events:
                async for event in events:
                    if not (approved and isinstance(event, OutlineReady)):
                        yield event
            run = self._runs.get(run.run_id)
        if approved:
            async with aclosing(self._approve(run)) as told:
                async for each in told:
                    yield each

    async def _edit_outline(self, run: Run, reply: TurnReply, text: str) -> AsyncGenerator[Told]:
        if run.outline is None:
            raise InputError("There is no outline yet.", "Continue the run first.")
        before = run.outline
        wish = text if any(edit.kind == "regenerate" for edit in reply.edits) else ""
        changed = changes.edited(before, reply.edits)
        async with aclosing(self._pipeline(run).change_outline(run, changed, wish)) as events:
            async for event in events:
                if isinstance(event, OutlineReady) and event.run.outline:
                    shortlist = self._shortlist(run).values()
                    yield Answer(changes.outline_difference(before, event.run.outline, shortlist))
                yield event

    async def _revise(self, run: Run, reply: TurnReply, text: str) -> AsyncGenerator[Told]:
        draft = self._draft_of(run)
        topic_ids = tuple(draft.sections[n - 1].topic_id for n in reply.topics)
        before = draft
        async with aclosing(self._pipeline(run).revise(run, text, topic_ids, reply.remove_papers)) as events:
            async for event in events:
                yield event
        after = self._runs.get(run.run_id).draft
        if after is not None:
            yield Answer(changes.draft_difference(before, after, self._library.papers()))

    async def _why(self, run: Run, claim: int) -> AsyncGenerator[Told]:
        entry = entry_of(run.ledger, claim) if run.ledger else None
        if entry is None:
            raise InputError(f"There is no claim {claim}.", "Look at the ledger for the numbers.")
        ids = {*entry.claim.citations, *(e.passage.paper_id for e in entry.evidence)}
        yield Answer(explain(entry, self._papers(sorted(ids))))

    async def _undo(self, run: Run) -> AsyncGenerator[Told]:
        if run.draft is None:
            earlier = self._runs.take_back_outline(run.run_id)
            if earlier is None:
                raise InputError("There is no earlier outline.")
            run = run.model_copy(update={"outline": earlier})
            self._runs.save(run)
            yield OutlineReady(run=run)
            return
        versions = {d.version: (d, ledger) for d, ledger in self._runs.versions(run.run_id)}
        parent = run.draft.parent
        if parent is None or parent not in versions:
            raise InputError("This is the first version.", "There is nothing to undo.")
        yield await self._restored(run, *versions[parent])

    async def _restored(self, run: Run, draft: Any, ledger: Any) -> Answer:
        self._runs.save(run.model_copy(update={"draft": draft, "ledger": ledger}))
        return Answer(f"Back to version {draft.version}.\n\n{views.draft_text(draft, self._library.papers())}")

    async def _show_version(self, run: Run, version: int) -> AsyncGenerator[Told]:
        versions = {d.version: d for d, _ in self._runs.versions(run.run_id)}
        if version not in versions:
            there = ", ".join(str(v) for v in versions) or "none yet"
            raise InputError(f"There is no version {version}.", f"Versions: {there}.")
        draft = versions[version]
        about = f"Version {version}, by {draft.author}{f': {draft.reason}' if draft.reason else ''}."
        yield Answer(f"{about}\n\n{views.draft_text(draft, self._library.papers())}")

    def _decide(self, run: Run, claim: int, decision: Any) -> Answer:
        entry = entry_of(run.ledger, claim) if run.ledger else None
        if entry is None or decision not in ("accept", "reject"):
            raise InputError("This decision cannot be recorded.", "Reload the page and try again.")
        self._runs.decide(run.run_id, entry.claim.claim_id, decision)
        return Answer(
            f"Claim {claim}: {decision}ed by you." if decision == "reject" else f"Claim {claim}: accepted by you."
        )

    def _recheck(self, run: Run, claim: int) -> AsyncGenerator[Told]:
        if run.ledger is None or entry_of(run.ledger, claim) is None:
            raise InputError(f"There is no claim {claim}.")
        others = tuple(e for e in run.ledger.entries if e.claim.number != claim)
        run = run.model_copy(update={"ledger": run.ledger.model_copy(update={"entries": others})})
        return self._pipeline(run).verify(run)

    def _import(self, files: Sequence[Path]) -> AsyncGenerator[Told]:
        return reported(lambda report: self._imported(files, report))

    async def _imported(self, files: Sequence[Path], report: Report) -> None:
        result = await import_files(files, self._library, self._services.index, report)
        report(Notice(text=views.import_text(result), level="warning" if result.refused else "info"))
        self._services.index.start_topics()

    def _offer(self, thread_id: str, path: Path) -> Answer:
        focal = reading.checked(reading.focal_in_file(path))
        self._offered[thread_id] = focal
        return Answer(
            f"I read this from {path.name}:\n\n**{focal.title}**\n\n{focal.abstract}\n\n"
            'Say "yes" to start with it, or send the right title and abstract.'
        )

    # ------------------------------------------------------------ what it works on

    def _pipeline(self, run: Run) -> Pipeline:
        return Pipeline(self._services, run.usage)

    @staticmethod
    def _draft_of(run: Run) -> Any:
        if run.draft is None:
            raise InputError("There is no draft yet.", 'Approve the outline first: say "approve".')
        return run.draft

    def _shortlist(self, run: Run | None) -> dict[PaperId, Paper]:
        return self._papers([s.paper_id for s in run.candidates.shortlist]) if run and run.candidates else {}


async def _one(told: Told) -> AsyncGenerator[Told]:
    yield told


def _ask_back(run: Run | None) -> str:
    if run is None:
        return (
            "Send the title of your paper on the first line and its abstract below it, or upload it as `.md` or `.tex`."
        )
    return 'I did not understand what to do. Say it in other words, or say "help".'


def _number(payload: dict[str, Any]) -> int:
    number = payload.get("claim")
    if not isinstance(number, int):
        raise InputError("Which claim is meant did not arrive.", "Reload the page and try again.")
    return number
