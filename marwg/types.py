"""The nouns of the method: frozen models and tuples, joined by ids and never by positions.

A `paper_id` is short and opaque ("p" and eight characters, made once when a paper enters the library). Drafts and
prompts cite it as `[@paper_id]`; the user's own citation keys appear only in what is shown and exported.
"""

from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

PaperId = str

ABSTRACT_PAGE = 0
"""The page number of an abstract; pages of a PDF count from 1."""


class Frozen(BaseModel):
    """A value: compared by content, never changed, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ---------------------------------------------------------------- request


class Focal(Frozen):
    """The paper that the section is written for: its title and abstract."""

    title: str
    abstract: str


class Style(Frozen):
    """How the section reads and what shape it has; what is left "as written" is the writer's choice."""

    english: Literal["as written", "american", "british"] = "as written"
    tone: Literal["neutral", "critical", "formal", "plain"] = "neutral"
    person: Literal["as written", "we", "this work"] = "as written"
    language: str = Field(
        "English", pattern=r"^[^\W\d_][\w ()-]{1,30}$", description="of the section; sources may be in others"
    )
    audience: str = Field("", max_length=120, description="the readers, where they are not those of the field")
    headings: bool = Field(True, description="whether the section has subsection headings")
    closing: bool = Field(True, description="whether it ends with a paragraph on what the focal paper adds")
    word_limit: int | None = Field(None, ge=80, le=5000, description="never exceeded; `words` is only aimed at")


class Parameters(Frozen):
    """Θ of the paper and what it leaves open; the defaults are the paper's where it gives one."""

    breadth: int = Field(20, ge=1, le=100, description="B: papers in the shortlist")
    depth: int = Field(3, ge=0, le=10, description="D: pages per paper")
    diversity: float = Field(0.0, ge=0, le=1, description="λ: 0 is the pure relevance order")
    diversity_rule: Literal["mmr", "paper"] = "mmr"
    density: int = Field(5, ge=2, le=50, description="δ: papers that make a node worth expanding")
    max_level: int = Field(3, ge=1, le=6, description="l_max: nodes above this level are expanded; a root has level 1")
    selection: Literal["reading", "similarity"] = "reading"
    clustering: Literal["ward", "cut"] = "ward"
    feedback_rounds: int = Field(1, ge=0, le=3)
    correction_attempts: int = Field(1, ge=0, le=3)
    until: date | None = Field(None, description="nothing that appeared later is proposed")
    words: int = Field(600, ge=100, le=3000, description="aimed length of the section")
    minimum_similarity: float = Field(0.0, ge=0, le=1, description="candidates below are not taken; pinned ones are")
    only_my_library: bool = Field(False, description="no live search, and nothing that an earlier one brought in")
    style: Style = Style()
    pinned: tuple[str, ...] = Field((), description="papers that must be in the shortlist, by id or citation key")
    excluded: tuple[str, ...] = Field((), description="papers that are not proposed, by id or citation key")


class Request(Frozen):
    """What a run is asked for."""

    focal: Focal
    parameters: Parameters = Parameters()


# ---------------------------------------------------------------- papers


class Paper(Frozen):
    """Bibliographic facts and the abstract of one paper; a fact that no source gave is empty."""

    paper_id: PaperId
    key: str = Field(description="the user's citation key, unique in the library")
    title: str
    authors: tuple[str, ...] = Field((), description='each "Family, Given", or a name in one piece')
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv_id: str = Field("", description="without version")
    url: str = ""
    entry_type: str = "misc"
    extra: tuple[tuple[str, str], ...] = Field((), description="further BibTeX fields as they came")
    abstract: str = ""
    abstract_is_note: bool = Field(False, description="the text is our own note, not the authors' abstract")


class Page(Frozen):
    """The text of one page, without headers, references and appendices; `number` is the page of the PDF, from 1."""

    paper_id: PaperId
    number: int = Field(ge=1)
    text: str


class Passage(Frozen):
    """A stretch of text of one page: `text == page.text[start:end]`; page 0 is the abstract."""

    paper_id: PaperId
    page: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str


# ---------------------------------------------------------------- candidate construction


class PaperRole(StrEnum):
    """What a candidate would do in the section."""

    FOUNDATION = "foundation"
    METHOD = "method it builds on"
    COMPETITOR = "competitor"
    DATA = "data"
    EVALUATION = "evaluation"
    BACKGROUND = "background"
    NOT_NEEDED = "not needed"


class Candidate(Frozen):
    """A paper of C with why it is there; grade, role and reason come from the reading pass."""

    paper_id: PaperId
    similarity: float = Field(description="mean cosine to the query vectors, -1…1")
    score: float = Field(description="dense and lexical evidence together; the order where there is no grade")
    topic: str = ""
    query: str = Field("", description="the query that found it, empty for the focal paper itself")
    grade: int | None = Field(None, ge=0, le=3)
    role: PaperRole | None = None
    reason: str = ""


class Shortlisted(Frozen):
    """A paper of S_t: `score` is the mean similarity over its abstract and its chosen pages."""

    paper_id: PaperId
    score: float
    pages: tuple[int, ...] = ()


class LeftOut(Frozen):
    """A paper that a stage did not take on, and why."""

    paper_id: PaperId
    reason: str
    by_user: bool = Field(False, description="the user took it out, so nothing puts it back but the user")


class CandidateSet(Frozen):
    """What Candidate Construction gives: C in order, L, S_t."""

    candidates: tuple[Candidate, ...]
    longlist: tuple[PaperId, ...]
    shortlist: tuple[Shortlisted, ...]
    left_out: tuple[LeftOut, ...] = ()
    queries: tuple[str, ...] = ()


# ---------------------------------------------------------------- summaries


class Cell(Frozen):
    """One entry of a card, with the words of the source that it rests on; all empty where the source does not say."""

    text: str = ""
    quote: str = ""
    page: int = Field(ABSTRACT_PAGE, ge=0)


Relation = Literal["extends", "competes", "supplies", "contrasts", "background"]

CARD_FIELDS = ("problem", "method", "data", "evaluation", "result", "limitation")


class Card(Frozen):
    """The contextual summary s'_i of one paper; every quote in it was found in the source."""

    paper_id: PaperId
    problem: Cell = Cell()
    method: Cell = Cell()
    data: Cell = Cell()
    evaluation: Cell = Cell()
    result: Cell = Cell()
    limitation: Cell = Cell()
    relation: Relation = "background"
    relation_reason: str = ""
    quotes: tuple[Passage, ...] = ()
    dropped_quotes: int = Field(0, ge=0, description="quotes of the model that are not in the source")


# ---------------------------------------------------------------- taxonomy and outline


class Dimension(StrEnum):
    """The four dimensions of the taxonomy; each is the root of its own DAG."""

    TASK = "Task"
    METHODOLOGY = "Methodology"
    DATASET = "Dataset"
    EVALUATION = "Evaluation"


class Node(Frozen):
    """A node of the taxonomy. Levels are derived from the edges and not stored."""

    node_id: str
    dimension: Dimension
    label: str
    gloss: str = ""
    papers: tuple[PaperId, ...] = ()


class Assignment(Frozen):
    """Why a paper is at a node: a phrase of its title or abstract."""

    paper_id: PaperId
    node_id: str
    phrase: str = ""


class Taxonomy(Frozen):
    """The multidimensional DAG; `edges` are (parent node_id, child node_id)."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...] = ()
    assignments: tuple[Assignment, ...] = ()


class Topic(Frozen):
    """One topic of the outline: a subsection to be, with the papers that it is written from."""

    topic_id: str
    title: str
    nodes: tuple[str, ...] = ()
    papers: tuple[PaperId, ...] = Field((), description="papers whose primary topic this is")
    secondary: tuple[PaperId, ...] = ()
    fixed_by_user: bool = False
    pinned: tuple[PaperId, ...] = Field((), description="papers that the user put here; a subset of `papers`")


class Outline(Frozen):
    """O = {(t_i, l_i)}; generated ones have 2 to 4 topics with titles of at most ten words."""

    topics: tuple[Topic, ...]
    uncovered: tuple[LeftOut, ...] = ()
    at_most: int | None = Field(None, ge=1, description="topics, where the user set a number")


# ---------------------------------------------------------------- draft

POSITION = "position"
"""The topic_id of the closing section, which says what the focal paper adds."""


class Sentence(Frozen):
    """One sentence in Markdown; citations are `[@paper_id]` or `[@paper_id; @paper_id]`.

    `sources` holds the passages that it was made from, where the writer knows them (the built-in one always does).
    """

    text: str
    sources: tuple[Passage, ...] = ()


class Section(Frozen):
    """A subsection: paragraphs of sentences under the title of its topic."""

    topic_id: str
    title: str
    paragraphs: tuple[tuple[Sentence, ...], ...] = ()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences in reading order."""
        return tuple(s for p in self.paragraphs for s in p)


class Feedback(Frozen):
    """What a reader asks of one section, on the four dimensions of the paper; empty where nothing is asked."""

    topic_id: str
    structural_logic: str = ""
    critical_analysis: str = ""
    prominent_contribution: str = ""
    concise_language: str = ""


class Draft(Frozen):
    """One version of the section. Its text and its references always belong together."""

    version: int = Field(1, ge=1)
    parent: int | None = None
    author: str = Field(description="a model's name, or 'user'")
    reason: str = ""
    sections: tuple[Section, ...]
    headings: bool = Field(True, description="whether the titles of the sections are shown")
    feedback: tuple[Feedback, ...] = ()
    uncited: tuple[LeftOut, ...] = Field((), description="shortlisted papers that the draft does not cite, and why")


# ---------------------------------------------------------------- verification


class ErrorType(StrEnum):
    """E of the paper: what is wrong with an erroneous claim."""

    DIRECT_CONTRADICTION = "Direct Contradiction"
    UNSUBSTANTIATED = "Unsubstantiated"
    MISREPRESENTATION = "Misrepresentation"
    INCORRECT_ATTRIBUTION = "Incorrect Attribution"
    OTHER = "Other"


class ClaimState(StrEnum):
    """Where a claim stands in the end."""

    SUPPORTED = "supported"
    DISPUTED = "disputed"
    CORRECTED = "corrected"
    REATTRIBUTED = "re-attributed"
    UNSUPPORTED = "unsupported"
    NOT_CHECKED = "not checked"


class SubClaim(Frozen):
    """What one citation group of a sentence has to carry."""

    text: str
    citations: tuple[PaperId, ...]


class Claim(Frozen):
    """A sentence that states something checkable. `claim_id` is a digest of what it says and cites."""

    claim_id: str
    number: int = Field(ge=1, description="as shown to the user, in reading order")
    topic_id: str
    sentence: str
    kind: Literal["cited", "focal", "uncited"]
    citations: tuple[PaperId, ...] = ()
    parts: tuple[SubClaim, ...] = ()


class Finding(Frozen):
    """What the gate found without any model, and the words it found it in."""

    rule: Literal[
        "citation", "number", "year", "name", "quote", "negation", "direction", "superlative", "place", "closer"
    ]
    words: str
    message: str
    paper_id: PaperId | None = None


class Evidence(Frozen):
    """A passage that was read for a claim; `marks` are the spans of `passage.text` that carry the support."""

    passage: Passage
    score: float
    marks: tuple[tuple[int, int], ...] = ()


class Judgement(Frozen):
    """v_m(c): one model on one claim and one set of its citations (a single one, or all together)."""

    judge: str
    citations: tuple[PaperId, ...]
    label: Literal["supported", "not supported", "not checked"]
    error_type: ErrorType | None = None
    confidence: float | None = Field(None, ge=0, le=1)
    reason: str = ""
    quote: str = Field("", description="words of the source that decide it; found in the source")


class Correction(Frozen):
    """One step of mending a claim."""

    kind: Literal["rewritten", "re-attributed", "weakened", "dropped", "flagged"]
    before: str
    after: str
    reason: str
    by: str


class LedgerEntry(Frozen):
    """Sentence → citations → passages → words, with findings, verdicts and the history of corrections."""

    claim: Claim
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    corrections: tuple[Correction, ...] = ()
    state: ClaimState = ClaimState.NOT_CHECKED
    error_type: ErrorType | None = None
    abstract_only: bool = Field(False, description="no cited paper has a full text here")


class Ledger(Frozen):
    """The claims of one version of the draft."""

    version: int
    entries: tuple[LedgerEntry, ...]
    judges: tuple[str, str]
    note: str = ""

    @property
    def independent(self) -> bool:
        """Whether the two verdicts come from two different models."""
        return self.judges[0] != self.judges[1]


class Decision(Frozen):
    """What the user decided about a claim, and when (ISO 8601); `before` and `after` for an edit and a move."""

    claim_id: str
    kind: Literal["accept", "reject", "edit", "move", "recheck"]
    before: str = ""
    after: str = ""
    made: str = ""


class BetterSource(Frozen):
    """A paper that carries a claim which its own citations do not, with the words that say so; page 0 is the abstract."""

    claim_id: str
    instead_of: tuple[PaperId, ...] = Field((), description="none where the claim cites nothing yet")
    paper_id: PaperId
    quote: str = ""
    page: int = Field(ABSTRACT_PAGE, ge=0)


class TextReview(Frozen):
    """What was found of a person's own text beside its ledger."""

    unknown: tuple[str, ...] = Field((), description="citations that name no reference, as they were written")
    unused: tuple[PaperId, ...] = Field((), description="references that nothing cites")
    without_text: tuple[PaperId, ...] = Field(
        (), description="cited papers of which neither abstract nor pages are here"
    )
    better: tuple[BetterSource, ...] = ()
    missed: tuple[Candidate, ...] = Field((), description="closest papers of the library that the text does not cite")


# ---------------------------------------------------------------- runs


class Stage(StrEnum):
    """The stages in order."""

    CANDIDATES = "Candidate Construction"
    SUMMARIES = "Contextual Summarization"
    TAXONOMY = "Taxonomy Organization"
    DRAFT = "Drafting and Refinement"
    VERIFICATION = "Verification"


class Usage(Frozen):
    """What language models did: calls that went out, answers from the cache, tokens, seconds, US dollars if known."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    dollars: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        dollars = None if self.dollars is None or other.dollars is None else self.dollars + other.dollars
        return Usage(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            seconds=self.seconds + other.seconds,
            dollars=dollars,
        )


class Run(Frozen):
    """The state of one run: what was asked, one field per stage output, what made it and what it cost."""

    run_id: str
    request: Request
    candidates: CandidateSet | None = None
    cards: tuple[Card, ...] | None = None
    focal_card: Card | None = None
    taxonomy: Taxonomy | None = None
    outline: Outline | None = None
    outline_approved: bool = False
    draft: Draft | None = None
    ledger: Ledger | None = None
    paper: str = Field("", description="the LaTeX that the user uploaded, into which the section is put back")
    review: TextReview | None = Field(None, description="of a text that the user brought, beside its ledger")
    library: str = Field("", description="state of the library that the candidates were taken from")
    models: dict[str, str] = Field(default_factory=dict, description="role → model name")
    usage: Usage = Usage()
