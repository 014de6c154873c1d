"""Asking the model with progress on the screen, within the number of calls that the stage may take."""

from collections.abc import Sequence
from typing import TypeVar

from marwg.events import Progress, Report
from marwg.language_models import Models
from marwg.tasks import Reply, Task
from marwg.types import Stage

BATCH = 15
"""Papers in one call."""

ATTEMPTS = 3
"""The first outline, and two more where rules were broken."""

CALLS, CALLS_FOR = 45, 30
"""The whole stage, outline included, takes at most so many calls for up to so many papers; for more, in proportion."""

R = TypeVar("R", bound=Reply)


class Steps:
    """Asks the model, and counts on the screen what came back."""

    def __init__(self, models: Models, report: Report) -> None:
        self.models, self.report, self.done, self.begun = models, report, 0, 0

    async def run(self, task: Task[R], note: str) -> R:
        self.begun += 1
        reply = await self.models.run(task)
        self.done += 1
        self.report(Progress(stage=Stage.TAXONOMY, done=self.done, total=0, note=note))
        return reply


def most_calls(papers: int, batch: int = BATCH) -> int:
    """The calls that a taxonomy of so many papers may take: what the stage has, less what its outline may need."""
    whole = -(-CALLS * max(papers, CALLS_FOR) * BATCH // (CALLS_FOR * batch))
    return whole - ATTEMPTS - -(-papers // BATCH)


def shared(left: int, needs: Sequence[tuple[int, int]]) -> list[int | None]:
    """What each of several gets beyond its least need, up to its most, in order; None where the least is not there."""
    granted: list[int | None] = []
    for least, _ in needs:
        granted.append(0 if least <= left else None)
        left -= least if least <= left else 0
    for place, (least, most) in enumerate(needs):
        if granted[place] is not None:
            granted[place] = min(left, most - least)
            left -= min(left, most - least)
    return granted
