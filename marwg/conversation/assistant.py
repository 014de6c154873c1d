"""The assistant behind a chat: one user turn in, events and answers out. Its state is in the store, by conversation."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from marwg.checking import text_of
from marwg.conversation import changes, own_text, reading, turns, views
from marwg.conversation.outline_wishes import Wished
from marwg.conversation.outlining import Outlining
from marwg.conversation.verifying import Verifying
from marwg.conversation.versioning import Versioning
from marwg.conversation.views import Answer
from marwg.errors import InputError, MarwgError, RunError
from marwg.events import Event, Notice, OutlineReady, Report, RunFinished
from marwg.library.importing import import_files
from marwg.reporting import reported
from marwg.services import Services, open_services
from marwg.settings import Settings
from marwg.tasks import TurnReply
from marwg.types import POSITION, Focal, Request, Run

Told = Event | Answer

BESIDE_FILES = "Nothing but the import was done; send what else you want as a message of its own."
NEW_PAPERS = (
    "The section in this conversation keeps its papers: send its title and abstract again to search the new ones too."
)

QUICKLY_EMBEDDED = 300
"""Papers that are embedded in the background without being asked for."""

_log = logging.getLogger(__name__)


class Assistant(Outlining, Verifying, Versioning):
    """Answers turns and buttons of any number of conversations; one turn at a time in each."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._busy: dict[str, asyncio.Lock] = {}
        self._offered: dict[str, Focal] = {}
        self._uploaded: dict[str, str] = {}

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
            run = None if files else self.run(thread_id)
            if run and (given := self._given_back(run, text)):
                async with aclosing(self._take_over(run, given)) as told:
                    async for each in told:
                        yield each
                return
            if brought := own_text.brought(text, files):
                async with aclosing(self._check(thread_id, brought)) as told:
                    async for each in told:
                        yield each
                return
            drafts = [f for f in files if f.suffix.lower() in reading.DRAFT_ENDINGS]
            others = [f for f in files if f not in drafts]
            if others:
                async with aclosing(self._import(others)) as told:
                    async for each in told:
                        yield each
            if drafts:
                yield self._offer(thread_id, drafts[0])
            elif others and text.strip() and not reading.focal_in_text(text):
                yield Answer(BESIDE_FILES if self.run(thread_id) is None else f"{BESIDE_FILES} {NEW_PAPERS}")
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
        if noted := self._noted_style(thread_id, run, text):
            return _one(noted)
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
            case "check":
                return self._check_wished(run)
            case "start" | "unclear":
                return _one(Answer(reply.question or _ask_back(run)))
        if run is None:
            raise InputError("There is nothing to work on yet.", "Send a title and an abstract first.")
        if reply.kind in ("revise", "edit_outline", "ask_outline", "take"):
            self._refuse_own(run)
        match reply.kind:
            case "approve":
                return self._approve(run)
            case "edit_outline":
                return self._edit_outline(run, reply, text)
            case "ask_outline":
                return _one(self._outline_answer(run, reply))
            case "revise":
                return self._revise(run, reply, text)
            case "why":
                return self._why(run, reply.claim)
            case "ask_ledger":
                return self._ledger_answer(run, reply)
            case "undo":
                return self._undo(run)
            case "redo":
                return self._redo(run)
            case "take":
                return self._take(run, reply)
            case "ask_papers":
                return self._ask_papers(run, reply)
            case "compare":
                return self._compare(run, reply)
            case "show_version":
                return self._show_version(run, reply.version)
            case "export":
                self._draft_of(run)
                return _one(Answer("Here are the files of this version.", files=True))

    def _pressed(self, thread_id: str, action: str, payload: dict[str, Any]) -> AsyncGenerator[Told]:
        run = self._run(thread_id)
        if action in ("approve", "edit_outline"):
            self._refuse_own(run)
        match action:
            case "approve" | "edit_outline":
                return self._outline_from_browser(run, payload, approved=action == "approve")
            case "continue":
                return self._pipeline(run).advance(run)
            case "why":
                return self._why(run, _number(payload))
            case "decide":
                return self._decide(run, payload)
            case "recheck":
                return self._recheck(run, payload)
        raise InputError("This button is not known.", "Reload the page.")

    # ------------------------------------------------------------ what is done

    def _start(self, thread_id: str, focal: Focal) -> AsyncGenerator[Told]:
        request = Request(focal=reading.checked(focal), parameters=self.parameters(thread_id))
        self._offered.pop(thread_id, None)
        run = self._runs.start(thread_id, request, paper=self._uploaded.pop(thread_id, ""))
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
            async with aclosing(self._changed(run, Wished(changed))) as told:
                async for each in told:
                    if not (approved and isinstance(each, OutlineReady)):
                        yield each
            run = self._runs.get(run.run_id)
        if approved:
            async with aclosing(self._approve(run)) as told:
                async for each in told:
                    yield each

    async def _revise(self, run: Run, reply: TurnReply, text: str) -> AsyncGenerator[Told]:
        before = draft = self._draft_of(run)
        topic_ids = tuple(draft.sections[n - 1].topic_id for n in reply.topics)
        run, wish = self._wished_style(run, text) if not reply.remove_papers else (run, None)
        if wish and (restyled := self._restyled(run, wish, text)):
            async with aclosing(self._put(run, restyled)) as told:
                async for each in told:
                    yield each
            return
        if self._closing_asked(run, wish):
            topic_ids = (POSITION,)
        text = self._with_claim(run, text)
        async with aclosing(self._pipeline(run).revise(run, text, topic_ids, reply.remove_papers)) as events:
            async for event in events:
                yield event
        after = self._runs.get(run.run_id).draft
        if after is not None:
            yield Answer(changes.draft_difference(before, after, self._library.papers()))

    async def _undo(self, run: Run) -> AsyncGenerator[Told]:
        if run.draft is None:
            for each in self._earlier_outline(run):
                yield each
            return
        versions = {d.version: (d, ledger) for d, ledger in self._runs.versions(run.run_id)}
        parent = run.draft.parent
        if parent is None or parent not in versions:
            raise InputError("This is the first version.", "There is nothing to undo.")
        draft, ledger = versions[parent]
        run = run.model_copy(update={"draft": draft, "ledger": ledger})
        self._runs.save(run)
        yield Answer(f"Back to version {draft.version}.")
        yield RunFinished(run=run)

    async def _show_version(self, run: Run, version: int) -> AsyncGenerator[Told]:
        draft = self._version(run, version)
        about = f"Version {version}, by {draft.author}{f': {draft.reason}' if draft.reason else ''}."
        yield Answer(f"{about}\n\n{views.draft_text(draft, self._library.papers())}")

    def _import(self, files: Sequence[Path]) -> AsyncGenerator[Told]:
        return reported(lambda report: self._imported(files, report))

    async def _imported(self, files: Sequence[Path], report: Report) -> None:
        result = await import_files(files, self._library, self._services.index, report, self._services.online)
        report(Notice(text=views.import_text(result), level="warning" if result.refused else "info"))
        self._services.index.start_topics()

    def _offer(self, thread_id: str, path: Path) -> Answer:
        focal = reading.checked(reading.focal_in_file(path))
        self._offered[thread_id] = focal
        self._uploaded[thread_id] = text_of(path) if path.suffix.lower() == ".tex" else ""
        return Answer(
            f"I read this from {path.name}:\n\n**{focal.title}**\n\n{focal.abstract}\n\n"
            'Say "yes" to start with it, or send the right title and abstract.'
        )

    # ------------------------------------------------------------ what it works on

    @staticmethod
    def _draft_of(run: Run) -> Any:
        if run.draft is None:
            raise InputError("There is no draft yet.", 'Approve the outline first: say "approve".')
        return run.draft


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
