"""From work that reports events to a stream of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from marwg.events import Event, Notice, Report


class HeldBack:
    """Events of a stage that already runs while another is shown; let through in order once it is its turn."""

    def __init__(self) -> None:
        self._waiting: list[Event] = []
        self._report: Report = self._waiting.append

    def __call__(self, event: Event) -> None:
        self._report(event)

    def let_through(self, report: Report) -> None:
        self._report = report
        for event in self._waiting:
            report(event)


class Watched:
    """Lets events through and remembers whether one was a warning, after which an output is not kept for other runs."""

    def __init__(self, report: Report) -> None:
        self._report, self.warned = report, False

    def __call__(self, event: Event) -> None:
        self.warned = self.warned or (isinstance(event, Notice) and event.level == "warning")
        self._report(event)


async def reported(work: Callable[[Report], Awaitable[object]]) -> AsyncGenerator[Event]:
    """What some work reports while it runs; closing the generator cancels the work, and its error is raised here."""
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    async def go() -> None:
        try:
            await work(queue.put_nowait)
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(go())
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
