"""Asking the model with progress on the screen."""

from typing import TypeVar

from marwg.events import Progress, Report
from marwg.language_models import Models
from marwg.tasks import Reply, Task
from marwg.types import Stage

BATCH = 15
"""Papers in one call."""

R = TypeVar("R", bound=Reply)


class Steps:
    """Asks the model, and counts on the screen what came back."""

    def __init__(self, models: Models, report: Report) -> None:
        self.models, self.report, self.done = models, report, 0

    async def run(self, task: Task[R], note: str) -> R:
        reply = await self.models.run(task)
        self.done += 1
        self.report(Progress(stage=Stage.TAXONOMY, done=self.done, total=0, note=note))
        return reply
