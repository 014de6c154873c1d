"""The tasks that only the evaluation gives: what baseline systems ask, and what judges are asked.

They have the base class of all tasks and prompt files in `prompts/evaluation/`. The built-in writer does not know them;
each system says what stands in their place offline.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from marwg.tasks import Queries, Reply, SectionPlan, SectionReply, Source, Task
from marwg.types import Focal, Frozen, PaperId

# ---------------------------------------------------------------- baseline systems


class WriteAtOnce(Task[SectionReply]):
    """The whole related work in one go from a list of papers (Naive RAG, CiteGeist)."""

    name: ClassVar[str] = "evaluation/write_at_once"
    reply: ClassVar[type[Reply]] = SectionReply
    focal: Focal
    words: int
    papers: tuple[Source, ...]


class KeywordQueries(Task[Queries]):
    """Keyword queries that summarise the focal abstract for a search engine (LitLLM)."""

    name: ClassVar[str] = "evaluation/keyword_queries"
    reply: ClassVar[type[Reply]] = Queries
    focal: Focal


class PlannedSentence(Reply):
    says: str = Field(description="what the sentence is to say, at most 20 words")
    cite: tuple[PaperId, ...] = ()


class SentencePlan(Reply):
    sentences: tuple[PlannedSentence, ...]


class PlanSentences(Task[SentencePlan]):
    """A plan of the related work, sentence by sentence, with the papers that each one cites (LitLLM)."""

    name: ClassVar[str] = "evaluation/plan_sentences"
    reply: ClassVar[type[Reply]] = SentencePlan
    focal: Focal
    words: int
    papers: tuple[Source, ...]


class WriteByPlan(Task[SectionReply]):
    """The related work written along a sentence plan (LitLLM)."""

    name: ClassVar[str] = "evaluation/write_by_plan"
    reply: ClassVar[type[Reply]] = SectionReply
    focal: Focal
    words: int
    papers: tuple[Source, ...]
    plan: tuple[str, ...]


class WriteWithMemory(Task[SectionReply]):
    """One subsection, with what the earlier ones say at hand so that nothing is said twice (SurveyForge)."""

    name: ClassVar[str] = "evaluation/write_with_memory"
    reply: ClassVar[type[Reply]] = SectionReply
    focal: Focal
    plan: SectionPlan
    papers: tuple[Source, ...]
    written: str


# ---------------------------------------------------------------- judges


class SupportQuestion(Frozen):
    """A statement and the papers that must carry it, as a judge sees them."""

    id: str
    claim: str
    papers: tuple[Source, ...]


class SupportAnswer(Reply):
    id: str
    supported: bool


class SupportAnswers(Reply):
    answers: tuple[SupportAnswer, ...]


class JudgeSupport(Task[SupportAnswers]):
    """sup(X, c): whether the papers together say what a statement says."""

    name: ClassVar[str] = "evaluation/judge_support"
    reply: ClassVar[type[Reply]] = SupportAnswers
    questions: tuple[SupportQuestion, ...]


class Quality(Reply):
    """Five judgements from 1 to 5; the anchors stand in the prompt."""

    clarity: int = Field(ge=1, le=5)
    structure: int = Field(ge=1, le=5)
    relevance: int = Field(ge=1, le=5)
    motivation: int = Field(ge=1, le=5)
    critics: int = Field(ge=1, le=5)


class JudgeQuality(Task[Quality]):
    """TQ of one section; `reading` tells the readings of one text apart."""

    name: ClassVar[str] = "evaluation/judge_quality"
    reply: ClassVar[type[Reply]] = Quality
    focal: Focal
    text: str
    reading: int


class Preference(Reply):
    better: Literal["first", "second", "equal"]


class JudgeOrganization(Task[Preference]):
    """Which of two sections is organized better."""

    name: ClassVar[str] = "evaluation/judge_organization"
    reply: ClassVar[type[Reply]] = Preference
    focal: Focal
    first: str
    second: str


TASKS: tuple[type[Task[Any]], ...] = (
    WriteAtOnce, KeywordQueries, PlanSentences, WriteByPlan, WriteWithMemory, JudgeSupport, JudgeQuality, JudgeOrganization,
)  # fmt: skip
"""The tasks of the evaluation; each has a prompt file of its name."""
