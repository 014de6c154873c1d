"""What the terminal prints: one line a stage with its progress, and a summary at the end. All of it goes to stderr."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from marwg.errors import InputError
from marwg.events import CardWritten, Event, Notice, Progress, SectionWritten, Spent, StageFinished, StageStarted
from marwg.ledger import summary as ledger_summary
from marwg.library import ImportReport
from marwg.types import Parameters, Run, Stage, Usage

_STAGES = list(Stage)


class Screen:
    """Shows events as lines; on a terminal the running line is overwritten, elsewhere only whole lines are printed."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._cards = 0

    def say(self, text: str) -> None:
        """A finished line or paragraph."""
        self._clear()
        sys.stderr.write(text.rstrip() + "\n")

    def show(self, event: Event) -> None:
        """One line, or an update of the running one."""
        match event:
            case StageStarted(stage=stage):
                self._cards = 0
                self._running(f"{_numbered(stage)} …")
            case Progress(stage=stage, done=done, total=total, note=note):
                share = f" {done}/{total}" if total else ""
                self._running(f"{_numbered(stage)}{share} {note}".rstrip())
            case CardWritten():
                self._cards += 1
                self._running(f"{_numbered(Stage.SUMMARIES)} {self._cards} papers")
            case SectionWritten(title=title, done=False):
                self._running(f"{_numbered(Stage.DRAFT)} {title}")
            case StageFinished(stage=stage, run=run, seconds=seconds, kept=kept):
                how = "kept from an earlier run" if kept else f"{seconds:.1f} s"
                self.say(f"{_numbered(stage)}: {_outcome(stage, run)} ({how})")
            case Notice(text=text, level=level):
                self.say(f"{'Note' if level == 'info' else 'Warning'}: {text}")
            case Spent(usage=usage) if usage.calls or usage.cached:
                self.say(cost(usage))

    def _running(self, text: str) -> None:
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{text[:100]}")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[2K")


def _numbered(stage: Stage) -> str:
    return f"[{_STAGES.index(stage) + 1}/{len(_STAGES)}] {stage.value}"


def _outcome(stage: Stage, run: Run) -> str:
    match stage:
        case Stage.CANDIDATES if run.candidates:
            found = run.candidates
            return f"{len(found.candidates)} candidates, {len(found.longlist)} in the longlist, {len(found.shortlist)} kept"
        case Stage.SUMMARIES if run.cards is not None:
            return f"{len(run.cards)} papers summarized"
        case Stage.TAXONOMY if run.taxonomy and run.outline:
            titles = "".join(f"\n      {n}. {t.title} ({len(t.papers)})" for n, t in enumerate(run.outline.topics, 1))
            return f"{len(run.taxonomy.nodes)} nodes, outline:{titles}\n     "
        case Stage.DRAFT if run.draft:
            words = sum(len(s.text.split()) for section in run.draft.sections for s in section.sentences)
            return f"{len(run.draft.sections)} sections, {words} words"
        case Stage.VERIFICATION if run.ledger:
            return ledger_summary(run.ledger)
    return "done"


def cost(usage: Usage) -> str:
    """What language models did, in one line."""
    price = "cost unknown" if usage.dollars is None else f"${usage.dollars:.4f}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return f"Language models: {usage.calls} calls, {usage.cached} answers from the cache, {tokens}, {price}."


def summary(run: Run, files: Sequence[Path]) -> str:
    """What was written, and what the user should look at first."""
    lines = ["Wrote " + ", ".join(str(f) for f in files) + "."]
    if run.ledger and run.ledger.note:
        lines.append(run.ledger.note)
    if run.draft and run.draft.uncited:
        lines.append(f"{len(run.draft.uncited)} papers of the shortlist are not cited; ledger.json says why.")
    return "\n".join(lines)


def import_summary(report: ImportReport) -> str:
    """What became of the files, with the reason for everything that was not read as it stands."""
    groups = (("merged", report.merged), ("incomplete", report.incomplete), ("refused", report.refused))
    return "\n".join([report.summary(), *(f"  {name}: {remark}" for name, remarks in groups for remark in remarks)])


def parameters_of(asked: argparse.Namespace) -> Parameters:
    """Θ as asked for on the command line; InputError names what is out of range."""
    names = ("breadth", "depth", "diversity", "words", "until", "selection")
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    try:
        return Parameters.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"--{first['loc'][0]} cannot be {first['input']}: {first['msg'].lower()}.") from error
