"""Turns of the assistant by conversation: they belong to the conversation, not to the browser tab that began them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import chainlit as cl
from chainlit.context import ChainlitContext, context_var
from chainlit.emitter import ChainlitEmitter

from marwg.chat.screen import Screen, page_session
from marwg.chat.telling import UNEXPECTED
from marwg.errors import MarwgError

log = logging.getLogger(__name__)

RESUME_AFTER = 0.4
"""Seconds after which a page has put up the stored conversation."""


class StillWorking(MarwgError):
    """A conversation does one thing at a time."""

    def __init__(self) -> None:
        super().__init__(
            "This conversation is still at work.", "Wait for it to finish, or press Stop; what is done is kept."
        )


@dataclass
class Turn:
    """One turn at work: its task draws on `screen`, whose session can be exchanged."""

    screen: Screen
    context: ChainlitContext
    task: asyncio.Task[None]


class Turns:
    """At most one turn at work per conversation; the newest tab sees it, however often the page is loaded again."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}

    def at_work(self, thread_id: str) -> bool:
        """Whether something is going on in a conversation."""
        return thread_id in self._turns

    def start(self, thread_id: str, events: AsyncIterator[Any], screen: Screen) -> None:
        """Begins to draw the events on the current session; StillWorking when the conversation is busy."""
        if thread_id in self._turns:
            raise StillWorking
        session = page_session()
        context = ChainlitContext(session, ChainlitEmitter(session))

        async def play() -> None:
            context_var.set(context)
            try:
                await _play(cast(AsyncGenerator[Any, None], events), screen)
            finally:
                self._turns.pop(thread_id, None)

        self._turns[thread_id] = Turn(screen, context, asyncio.create_task(play()))

    async def follow(self, thread_id: str) -> None:
        """Returns when the turn ends; a caller who is cancelled does not end the turn."""
        if turn := self._turns.get(thread_id):
            await asyncio.wait({turn.task})

    async def attach(self, thread_id: str) -> None:
        """Draws the turn on the current session from now on, beginning with all that it has drawn so far."""
        if turn := self._turns.get(thread_id):
            turn.context.session = session = page_session()
            turn.context.emitter = ChainlitEmitter(session)
            await turn.screen.redraw()

    def stop(self, thread_id: str) -> None:
        """Ends the turn; it draws what there is to say about that."""
        if turn := self._turns.get(thread_id):
            turn.task.cancel()


async def _play(events: AsyncGenerator[Any, None], screen: Screen) -> None:
    try:
        async with aclosing(events):
            async for event in events:
                await _to_the_end(screen.show(event))
        await screen.ended()
    except asyncio.CancelledError:
        await screen.stopped()
    except MarwgError as error:
        log.info("a turn ended with %s: %s", type(error).__name__, error, exc_info=error.__cause__)
        await screen.failed(error)
    except Exception:
        log.exception("a turn failed")
        await screen.failed(UNEXPECTED)


async def _to_the_end(drawing: Coroutine[Any, Any, None]) -> None:
    """Stop ends the work of a turn and not the drawing of what is there."""
    task = asyncio.create_task(drawing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def as_run(turns: Turns, thread_id: str) -> None:
    """Keeps the Stop button, which `task_start` put up, for a turn that no message began."""
    emitter = cl.context.emitter

    async def go() -> None:
        try:
            await turns.follow(thread_id)
        finally:
            await emitter.task_end()

    cl.context.session.current_task = asyncio.create_task(go())


async def after_resuming(turns: Turns, thread_id: str, otherwise: Callable[[], Awaitable[None]]) -> None:
    """Attaches the conversation's turn to the page that was loaded again, or draws what stands for one.

    It waits first: the page wipes what is drawn before it has put up the stored conversation.
    """
    emitter = cl.context.emitter

    async def go() -> None:
        await asyncio.sleep(RESUME_AFTER)
        if not turns.at_work(thread_id):
            await otherwise()
            return
        await emitter.task_start()
        try:
            await turns.attach(thread_id)
            await turns.follow(thread_id)
        finally:
            await emitter.task_end()

    cl.context.session.current_task = asyncio.create_task(go())
