"""All that a screen needs to know of a run while it happens; agents report these and know no screen."""

from collections.abc import Callable
from typing import Literal

from marwg.types import Card, Frozen, Run, Stage, Usage


class Event(Frozen):
    """Something that happened in a run."""


class StageStarted(Event):
    """A stage begins."""

    stage: Stage


class Progress(Event):
    """`done` of `total` steps of the running stage; total 0 where it is not known."""

    stage: Stage
    done: int
    total: int
    note: str = ""


class CardWritten(Event):
    """One paper was summarized."""

    card: Card


class SectionWritten(Event):
    """The text of a section as far as it is written; `done` when it is whole (a later round may write it again)."""

    topic_id: str
    title: str
    text: str
    done: bool = False


class Notice(Event):
    """Something that the user should know and that stops nothing."""

    text: str
    level: Literal["info", "warning"] = "info"


class Spent(Event):
    """What the run has cost so far."""

    usage: Usage


class StageFinished(Event):
    """A stage is done and saved; `kept` when its output was still valid and nothing had to be done."""

    stage: Stage
    run: Run
    seconds: float
    kept: bool = False


class OutlineReady(Event):
    """The run waits for the user to approve or change the outline."""

    run: Run


class RunFinished(Event):
    """All stages are done."""

    run: Run


Report = Callable[[Event], None]
"""How an agent tells what happens; never blocks."""
