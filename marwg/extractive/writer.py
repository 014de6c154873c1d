"""The built-in writer: one answer for each task, from the task's own variables."""

from collections.abc import Callable
from typing import Any, TypeVar

from marwg.extractive import cards, feedback, judging, labels, outlines, position, reading, revising, section, turns
from marwg.extractive.papers import Encode
from marwg.tasks import (
    AskForMissing,
    AssignChildren,
    AssignTopics,
    ClassifyDimensions,
    CorrectClaims,
    DraftPosition,
    DraftSection,
    GiveFeedback,
    JudgeClaims,
    LabelPapers,
    MakeOutline,
    NameClusters,
    Queries,
    ReadCandidates,
    Reply,
    ReviseSection,
    RouteTurn,
    SameTopic,
    Summarize,
    Task,
)

R = TypeVar("R", bound=Reply)


class ExtractiveWriter:
    """Answers every task by extraction and rules: deterministic, without a network, citing only what it took."""

    def __init__(self, encode: Encode) -> None:
        self._answers: dict[type[Task[Any]], Callable[[Any], Reply]] = {
            ReadCandidates: lambda task: reading.read_candidates(task, encode),
            AskForMissing: lambda task: Queries(queries=()),
            Summarize: lambda task: cards.summarize(task, encode),
            ClassifyDimensions: labels.classify_dimensions,
            LabelPapers: labels.label_papers,
            NameClusters: lambda task: labels.name_clusters(task, encode),
            AssignChildren: lambda task: labels.assign_children(task, encode),
            SameTopic: labels.same_topic,
            MakeOutline: lambda task: outlines.make_outline(task, encode),
            AssignTopics: lambda task: outlines.assign_topics(task, encode),
            DraftSection: lambda task: section.draft_section(task, encode),
            DraftPosition: lambda task: position.draft_position(task, encode),
            GiveFeedback: feedback.give_feedback,
            ReviseSection: lambda task: revising.revise_section(task, encode),
            JudgeClaims: lambda task: judging.judge_claims(task, encode),
            CorrectClaims: lambda task: judging.correct_claims(task, encode),
            RouteTurn: turns.route,
        }

    def answer(self, task: Task[R]) -> R:
        """The reply to a task; the same task always gets the same reply."""
        reply = self._answers[type(task)](task)
        return reply  # type: ignore[return-value]
