"""The panel of the five stages beside the conversation."""

import time

import chainlit as cl

from marwg.chat import texts
from marwg.types import Run, Stage, Usage

PACE = 0.5
"""Seconds between two updates of a count; every update is a file that the page fetches."""


class Progress:
    """The stages of a run with their state; it is not stored, so it is drawn anew from the run."""

    def __init__(self, run: Run | None) -> None:
        done = texts.done_stages(run) if run else ()
        self._tasks = {
            stage: cl.Task(title=stage.value, status=cl.TaskStatus.DONE if stage in done else cl.TaskStatus.READY)
            for stage in Stage
        }
        self._usage = run.usage if run else Usage()
        self._list = cl.TaskList(tasks=list(self._tasks.values()), status=self._with_cost(self._status_of(run)))
        self._sent = 0.0
        self._shown = bool(done)

    @staticmethod
    def _status_of(run: Run | None) -> str:
        if run is None:
            return ""
        return (
            "Done" if texts.is_finished(run) else "Waiting for you" if texts.waits_for_approval(run) else "Not finished"
        )

    async def send(self) -> None:
        """Draws the panel, unless nothing has begun yet."""
        if self._shown:
            self._sent = time.monotonic()
            await self._list.send()

    async def started(self, stage: Stage, step_id: str) -> None:
        """A stage begins; those after it are to be done again."""
        stages = list(Stage)
        for later in stages[stages.index(stage) :]:
            self._tasks[later].status = cl.TaskStatus.READY
            self._tasks[later].title = later.value
        self._tasks[stage].status, self._tasks[stage].forId = cl.TaskStatus.RUNNING, step_id
        self._shown = True
        await self._say("Running")

    async def progress(self, stage: Stage, done: int, total: int) -> None:
        """A count beside the stage."""
        if total:
            self._tasks[stage].title = f"{stage.value} {done}/{total}"
        if time.monotonic() - self._sent >= PACE:
            await self.send()

    async def finished(self, stage: Stage) -> None:
        """A stage is done."""
        self._tasks[stage].status, self._tasks[stage].title = cl.TaskStatus.DONE, stage.value
        await self.send()

    async def spent(self, usage: Usage) -> None:
        """What it has cost so far."""
        self._usage = usage
        await self._say(self._list.status.split(" · ")[0])

    async def wait(self) -> None:
        """It is the user's turn."""
        await self._say("Waiting for you")

    async def finish(self, run: Run | None) -> None:
        """The turn is over."""
        if self._shown:
            await self._say(self._status_of(run))

    async def halt(self, word: str) -> None:
        """The turn ended before its time."""
        running = [task for task in self._tasks.values() if task.status is cl.TaskStatus.RUNNING]
        for task in running:
            task.status = cl.TaskStatus.FAILED
        if running:
            await self._say(word)

    async def _say(self, word: str) -> None:
        self._list.status = self._with_cost(word)
        await self.send()

    def _with_cost(self, word: str) -> str:
        cost = texts.short_cost(self._usage)
        return f"{word} · {cost}" if cost else word
