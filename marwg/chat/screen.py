"""Events of a turn as steps, messages and elements of one conversation's page."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

import chainlit as cl
from chainlit.session import WebsocketSession
from chainlit.utils import utc_now

from marwg.chat import props, texts
from marwg.chat.cards import Cards
from marwg.chat.progress import Progress as ProgressPanel
from marwg.chat.telling import tell
from marwg.conversation.views import Answer, PaperView
from marwg.errors import LibraryError, MarwgError
from marwg.events import (
    CardWritten,
    Event,
    Notice,
    OutlineReady,
    Progress,
    RunFinished,
    SectionWritten,
    Spent,
    StageFinished,
    StageStarted,
)
from marwg.types import Draft, PaperId, Run, Stage
from marwg.verification.claims import FOCAL

if TYPE_CHECKING:
    from marwg.conversation.assistant import Assistant

ICONS = {
    Stage.CANDIDATES: "search",
    Stage.SUMMARIES: "book-open-text",
    Stage.TAXONOMY: "network",
    Stage.DRAFT: "pen-line",
    Stage.VERIFICATION: "badge-check",
}

TEXT_PACE, STEP_PACE = 0.1, 1.0
"""Seconds between two updates of a growing text, and of the name of a step; the page cannot follow faster ones."""


def page_session() -> WebsocketSession:
    """The session of the browser tab that is drawn on."""
    session = cl.context.session
    assert isinstance(session, WebsocketSession)
    return session


class Screen:
    """Draws one turn. What it drew can be drawn again on another session of the same conversation."""

    def __init__(self, assistant: "Assistant", thread_id: str, cards: Cards) -> None:
        self._assistant = assistant
        self._thread_id = thread_id
        self._cards = cards
        self._panel = ProgressPanel(assistant.run(thread_id))
        self._steps: dict[Stage, cl.Step] = {}
        self._sections: dict[str, cl.Step] = {}
        self._drawn: list[cl.Step | cl.Message] = []
        self._last: dict[str, float] = {}
        self._note = ""
        self._lists = ""  # summaries that wait to be streamed
        self._finished = False
        self._socket = page_session().socket_id
        self._parent = cl.context.current_step.id if cl.context.current_step else None
        self._busy = asyncio.Lock()

    async def show(self, event: Event | Answer) -> None:
        """Draws one event; after a connection that broke, first what went into the void."""
        if page_session().socket_id != self._socket:
            await self.redraw()
            await cl.context.emitter.task_start()
        async with self._busy:
            await self._show(event)

    async def _show(self, event: Event | Answer) -> None:
        match event:
            case StageStarted():
                await self._stage_started(event.stage)
            case Progress():
                await self._progress(event)
            case CardWritten():
                await self._card_written(event)
            case SectionWritten():
                await self._section_written(event)
            case Notice():
                await self._say(self._named(event.text), warning=event.level == "warning")
            case Spent():
                await self._panel.spent(event.usage)
            case StageFinished():
                await self._stage_finished(event)
            case OutlineReady():
                await self._outline_ready(event.run)
            case RunFinished():
                await self._run_finished(event.run)
            case Answer():
                run = self._assistant.run(self._thread_id) if event.files else None
                files = await self._files(run.draft) if run and run.draft else None
                await self._say(self._named(event.text), warning=event.warning, elements=files)
            case _:
                raise TypeError(f"no way to draw {event!r}")

    async def redraw(self) -> None:
        """Draws on the current session what this turn has drawn so far; what is there already stays as it is."""
        async with self._busy:
            self._socket = page_session().socket_id
            for item in self._drawn:
                await cl.context.emitter.send_step(item.to_dict())
                for element in item.elements or ():
                    await cl.context.emitter.send_element(element.to_dict())
            await self._panel.send()

    # ------------------------------------------------------------ how a turn ends

    async def ended(self) -> None:
        """The turn is over; a ledger whose claims were decided or checked again is brought up to date."""
        run = self._assistant.run(self._thread_id)
        if run and run.ledger and texts.is_finished(run) and not self._finished:
            table = self._ledger(run)
            if not await self._cards.refresh("ClaimLedger", table, same=("version",)):
                await self._ledger_card(table, f"**Verification** of version {run.ledger.version}.")
        await self._panel.finish(run)

    async def stopped(self) -> None:
        """The user stopped the turn."""
        await self._close_steps("stopped")
        await self._panel.halt("Stopped")
        await self._offer_to_continue("What was done is kept.")

    async def failed(self, error: MarwgError) -> None:
        """The turn ended with an error; says what happened and what to do."""
        await self._close_steps("failed")
        await self._panel.halt("Failed")
        await tell(error)
        await self._offer_to_continue("What was done is kept.")

    async def resumed(self) -> None:
        """The conversation was opened again and nothing is going on; a run that a crash ended can be continued."""
        await self._panel.send()
        run = self._assistant.run(self._thread_id)
        unfinished = run is not None and not texts.is_finished(run) and not texts.waits_for_approval(run)
        if unfinished and not await self._cards.open("ContinueCard"):
            await self._offer_to_continue("This run was interrupted. What was done is kept.")

    async def _close_steps(self, how: str) -> None:
        for stage, step in self._steps.items():
            if step.end is None:
                step.name, step.end, step.is_error = f"{stage.value} · {how}", utc_now(), how == "failed"
                await step.update()
        for section in self._sections.values():
            if section.end is None:
                section.end = utc_now()
                await section.update()

    async def _offer_to_continue(self, text: str) -> None:
        run = self._assistant.run(self._thread_id)
        unfinished = run is not None and not texts.is_finished(run) and not texts.waits_for_approval(run)
        if unfinished:
            await self._cards.settle("ContinueCard", "used")
            await self._say(text, elements=[self._cards.new("ContinueCard", {"state": "open"})])

    # ------------------------------------------------------------ stages

    async def _stage_started(self, stage: Stage) -> None:
        step = cl.Step(
            name=stage.value,
            type="tool",
            parent_id=self._parent,
            icon=ICONS[stage],
            show_input=False,
            default_open=stage in (Stage.SUMMARIES, Stage.DRAFT),
            auto_collapse=True,
        )
        step.start = utc_now()
        self._steps[stage], self._note = step, ""
        self._drawn.append(step)
        await step.send()
        await self._panel.started(stage, step.id)
        if stage is Stage.DRAFT:
            run = self._assistant.run(self._thread_id)
            topics = {"topics": props.topics_of(run.outline, run.taxonomy)} if run and run.outline else {}
            await self._cards.settle("OutlineEditor", "approved", **topics)

    async def _progress(self, event: Progress) -> None:
        step = self._steps.get(event.stage)
        if step is None:
            return
        await self._panel.progress(event.stage, event.done, event.total)
        if event.note and event.note != self._note and event.stage is not Stage.SUMMARIES:
            self._note = event.note
            await step.stream_token(f"- {texts.plain(event.note)}\n")
        if event.total and self._due(step.id, STEP_PACE):
            step.name = f"{event.stage.value} · {event.done}/{event.total}"
            await step.update()

    async def _card_written(self, event: CardWritten) -> None:
        self._lists += texts.card_markdown(event.card, self._paper(event.card.paper_id))
        step = self._steps.get(Stage.SUMMARIES)
        if step and self._due("cards", TEXT_PACE):
            await step.stream_token(self._taken())

    def _taken(self) -> str:
        taken, self._lists = self._lists, ""
        return taken

    async def _section_written(self, event: SectionWritten) -> None:
        step = self._sections.get(event.topic_id)
        text = self._named(event.text)
        if step is None:
            drafting = self._steps.get(Stage.DRAFT)
            step = cl.Step(
                name=event.title or "What this paper adds",
                type="llm",
                parent_id=drafting.id if drafting else self._parent,
                icon="text",
                show_input=False,
                default_open=True,
            )
            step.start = utc_now()
            self._sections[event.topic_id] = step
            self._drawn.append(step)
            await step.send()
        if event.done:
            step.output, step.end = text, utc_now()
            await step.update()
        elif text != step.output and self._due(event.topic_id, TEXT_PACE):
            grown = text.startswith(step.output)
            await step.stream_token(text.removeprefix(step.output) if grown else text, is_sequence=not grown)

    def _due(self, key: str, pace: float) -> bool:
        now = time.monotonic()
        due = now - self._last.get(key, 0.0) >= pace
        if due:
            self._last[key] = now
        return due

    async def _stage_finished(self, event: StageFinished) -> None:
        run, step = event.run, self._steps.get(event.stage)
        if step:
            if event.stage is Stage.SUMMARIES and self._lists:
                await step.stream_token(self._taken())
            if event.stage is Stage.DRAFT and run.draft:
                titles = {s.topic_id: s.title for s in run.draft.sections}
                step.output += texts.feedback_markdown(run.draft.feedback, titles)
            took = (
                "nothing had changed" if event.kept else f"{event.seconds:.0f} s" if event.seconds >= 1 else "under 1 s"
            )
            step.name, step.end = f"{event.stage.value} · {took}", utc_now()
            await step.update()
        await self._panel.finished(event.stage)
        if event.stage is Stage.CANDIDATES and run.candidates:
            table = self._cards.new("CandidateTable", props.candidate_table(run.candidates, self._paper))
            await self._say(texts.candidates_line(run.candidates), elements=[table])
        elif event.stage is Stage.TAXONOMY and run.taxonomy:
            graph = self._cards.new("TaxonomyGraph", props.taxonomy_graph(run.taxonomy, self._paper))
            await self._say("**Taxonomy** of the papers in four dimensions.", elements=[graph])

    # ------------------------------------------------------------ results

    async def _outline_ready(self, run: Run) -> None:
        await self._cards.settle("OutlineEditor", "superseded")
        card = self._cards.new("OutlineEditor", props.outline_card(run, self._paper))
        text = "**Outline.** Change it here or in words (“merge the first two”), then approve it."
        await self._say(text, elements=[card])
        await self._panel.wait()

    async def _run_finished(self, run: Run) -> None:
        if run.draft is None:
            return
        self._finished = True
        text = f"## Related work\n\n{texts.draft_markdown(run.draft, run.ledger, self._paper)}"
        if run.ledger and await self._checked_again(run, text):
            await self._say(f"Checked again. {texts.verdicts_line(run.ledger)}.", elements=await self._files(run.draft))
            return
        message = await self._say(text)
        if run.ledger:
            table = self._ledger(run) | {"message": message.id}
            await self._ledger_card(table, f"**Verification.** {texts.verdicts_line(run.ledger)}.")
        await self._say(texts.closing_line(run), elements=await self._files(run.draft))

    async def _checked_again(self, run: Run, text: str) -> bool:
        """Puts new verdicts where the version is shown already; False where it is not."""
        shown = [row["props"].get("message") for row in await self._cards.open("ClaimLedger")]
        if not await self._cards.refresh("ClaimLedger", self._ledger(run), same=("version",)):
            return False
        for message_id in filter(None, shown):
            await cl.Message(content=text, id=message_id).update()
        return True

    async def _files(self, draft: Draft) -> list[Any]:
        folder = self._cards.folder / "exports" / self._thread_id / f"version-{draft.version}"
        return self._cards.files(await self._assistant.export(self._thread_id, folder))

    def _ledger(self, run: Run) -> dict[str, Any]:
        return props.ledger_table(run, self._paper, self._assistant.decisions(self._thread_id))

    async def _ledger_card(self, table: dict[str, Any], text: str) -> None:
        await self._cards.settle("ClaimLedger", "superseded")
        await self._say(text, elements=[self._cards.new("ClaimLedger", table)])

    def _named(self, text: str) -> str:
        return texts.with_names(text, self._paper)

    def _paper(self, paper_id: PaperId) -> PaperView:
        """What is shown of a paper; the focal paper, and one that left the library, are named as what they are."""
        try:
            return self._assistant.paper_card(paper_id)
        except LibraryError:
            name = "your abstract" if paper_id == FOCAL else "a paper no longer in the library"
            return PaperView(paper_id, name.capitalize(), name, "", None, "", "", "", False, False)

    async def _say(self, text: str, warning: bool = False, elements: list[Any] | None = None) -> cl.Message:
        message = cl.Message(content=f"⚠️ {text}" if warning else text, elements=elements or [])
        self._drawn.append(message)
        await message.send()
        return message
