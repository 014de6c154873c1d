"""What the terminal prints: one line a stage with its progress, and a summary at the end. All of it goes to stderr."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from marwg.errors import InputError
from marwg.events import CardWritten, Event, Notice, Progress, SectionWritten, Spent, StageFinished, StageStarted
from marwg.library import ImportReport
from marwg.text.markup import without_citations
from marwg.types import ClaimState, Paper, Parameters, Run, Stage, Style, Usage
from marwg.verification.ledger import by_risk
from marwg.verification.ledger import summary as ledger_summary
from marwg.verification.ledger_answers import named, reviewed

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
    doubtful = [e for e in by_risk(run.ledger) if e.state in _TO_LOOK_AT] if run.ledger else []
    if doubtful:
        lines.append("Look at these before you use the text (verification.html shows the passages):")
        lines += [f"  claim {e.claim.number}, {e.state.value}: {without_citations(e.claim.sentence)}" for e in doubtful]
    return "\n".join(lines)


_TO_LOOK_AT = (ClaimState.UNSUPPORTED, ClaimState.DISPUTED)


KINDS = ("unsupported", "disputed", "not-checked", "uncited", "unknown", "unused")
"""What a check can find against a text."""


@dataclass(frozen=True)
class Checked:
    """What a check found, to be printed, and of which kinds it is."""

    text: str
    kinds: frozenset[str]


def failures(asked: str) -> frozenset[str]:
    """The kinds that `--fail-on` names; InputError where one is not known."""
    named = [name.strip() for name in asked.split(",") if name.strip()]
    unknown = [name for name in named if name not in (*KINDS, "none")]
    if unknown:
        raise InputError(f"--fail-on cannot be {unknown[0]}.", f"Known are {', '.join(KINDS)} and none.")
    return frozenset(named) - {"none"}


def check_summary(run: Run, papers: Sequence[Paper]) -> Checked:
    """One line for each finding, like a compiler's, then counts; no line for what stands."""
    if run.ledger is None:
        return Checked("Nothing was checked.", frozenset())
    known = {p.paper_id: p for p in papers}
    titles = {s.topic_id: s.title for s in run.draft.sections} if run.draft else {}
    lines, kinds = [], set()
    for entry in run.ledger.entries:
        kind = "uncited" if entry.claim.kind == "uncited" else entry.state.value.replace(" ", "-")
        if kind not in KINDS:
            continue
        kinds.add(kind)
        said = [f"“{f.words}” {f.message}" for f in entry.findings]
        said += [j.reason for j in entry.judgements if j.label != "supported" and j.reason][:1]
        place = f" ({titles[entry.claim.topic_id]})" if titles.get(entry.claim.topic_id) else ""
        lines.append(f"{entry.claim.number}{place}: {kind}: {named(entry.claim.sentence, known)}")
        lines += [f"    {named(text, known)}" for text in dict.fromkeys(said)]
    review = run.review
    kinds |= {"unknown"} if review and review.unknown else set()
    kinds |= {"unused"} if review and review.unused else set()
    more = reviewed(review, run.ledger, known).replace("**", "") if review else ""
    parts = ["\n".join(lines), more, run.ledger.note, ledger_summary(run.ledger)]
    return Checked("\n\n".join(p for p in parts if p), frozenset(kinds))


def import_summary(report: ImportReport) -> str:
    """What became of the files, with the reason for everything that was not read as it stands."""
    groups = (("merged", report.merged), ("incomplete", report.incomplete), ("refused", report.refused))
    return "\n".join([report.summary(), *(f"  {name}: {remark}" for name, remarks in groups for remark in remarks)])


def parameters_of(asked: argparse.Namespace) -> Parameters:
    """Θ as asked for on the command line; InputError names what is out of range."""
    names = (
        "breadth", "depth", "diversity", "words", "until", "selection", "minimum_similarity", "only_my_library", "pinned",
        "excluded",
    )  # fmt: skip
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    style = {n: v for n in Style.model_fields if (v := getattr(asked, n, None)) is not None}
    given |= {"style": style} if style else {}
    try:
        return Parameters.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"--{str(first['loc'][-1]).replace('_', '-')} cannot be {first['input']}: {first['msg'].lower()}."
        ) from error
