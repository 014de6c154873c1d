"""What comes back from the browser, which may be anything: checked here before it goes further."""

from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal, TypeVar

from chainlit.input_widget import InputWidget, NumberInput, Select, Slider, Tab, TextInput
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from marwg.chat.texts import allowed_papers
from marwg.errors import InputError
from marwg.types import Parameters, Run

F = TypeVar("F", bound="Form")

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w.:/+-]+$")]


class Form(BaseModel):
    """The payload of one button."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TopicForm(Form):
    """A topic as the outline card sends it; one that is new there has an id that begins with "new"."""

    topic_id: Id
    title: str = Field(min_length=1, max_length=200)
    papers: list[Id] = Field(max_length=200)


class OutlineForm(Form):
    """The outline card."""

    outline: list[TopicForm] = Field(min_length=1, max_length=12)


class ClaimForm(Form):
    """A row of the ledger, by the number that it shows."""

    claim: int = Field(ge=1, le=10_000)


class DecisionForm(ClaimForm):
    """What the author decided about a claim."""

    decision: Literal["accept", "reject"]


class NothingForm(Form):
    """A button that says nothing but that it was pressed."""


def read(form: type[F], payload: Any) -> F:
    """The payload as a form; InputError when it is none."""
    try:
        return form.model_validate(payload)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(p) for p in problem["loc"])
        raise InputError(
            f"This button sent something that cannot be used ({place}: {problem['msg']}).",
            "Check the fields, or load the page again.",
        ) from error


def checked_outline(form: OutlineForm, run: Run | None) -> dict[str, Any]:
    """The payload for the assistant; InputError where the card names a paper or a topic that the run does not have."""
    if run is None or run.outline is None:
        raise InputError("This conversation has no outline yet.", "Send a title and an abstract first.")
    topics = {t.topic_id for t in run.outline.topics}
    _refuse_unknown((t.topic_id for t in form.outline if not t.topic_id.startswith("new")), topics, "topic")
    papers = [p for t in form.outline for p in t.papers]
    _refuse_unknown(papers, set(allowed_papers(run)), "paper")
    if len(papers) != len(set(papers)):
        raise InputError("A paper is in two topics.", "Each paper belongs to one topic; load the page again.")
    ids = [t.topic_id for t in form.outline]
    if len(ids) != len(set(ids)):
        raise InputError("Two topics have the same id.", "Load the page again.")
    return form.model_dump()


def checked_claim(form: ClaimForm, run: Run | None) -> dict[str, Any]:
    """The payload for the assistant; InputError where the ledger has no such claim."""
    if run is None or run.ledger is None:
        raise InputError("This conversation has no verified draft yet.", "Approve the outline first.")
    _refuse_unknown([form.claim], {e.claim.number for e in run.ledger.entries}, "claim")
    return form.model_dump()


def _refuse_unknown(given: Any, known: Collection[Any], noun: str) -> None:
    for one in given:
        if one not in known:
            raise InputError(
                f"There is no {noun} {one!r} in this run.",
                "The card may be of an older version; use the newest one below.",
            )


CHECKS: dict[str, Callable[[Any, Run | None], dict[str, Any]]] = {
    "approve": lambda payload, run: checked_outline(read(OutlineForm, payload), run),
    "edit_outline": lambda payload, run: checked_outline(read(OutlineForm, payload), run),
    "why": lambda payload, run: checked_claim(read(ClaimForm, payload), run),
    "recheck": lambda payload, run: checked_claim(read(ClaimForm, payload), run),
    "decide": lambda payload, run: checked_claim(read(DecisionForm, payload), run),
    "continue": lambda payload, run: read(NothingForm, payload).model_dump(),
}
"""The buttons that begin a turn, each with what its payload has to be."""


# ---------------------------------------------------------------- settings panel


def settings_panel(parameters: Parameters) -> list[Tab]:
    """The parameters of the method as widgets whose ids are the names of the fields."""
    p = parameters
    papers: list[InputWidget] = [
        Slider(id="breadth", label="Breadth B: papers that are summarized", initial=p.breadth, min=1, max=60, step=1),
        Slider(id="depth", label="Depth D: pages read per paper", initial=p.depth, min=0, max=10, step=1),
        Slider(
            id="diversity",
            label="Diversity λ",
            initial=p.diversity,
            min=0,
            max=1,
            step=0.05,
            tooltip="0 is the order of relevance; higher values prefer papers unlike those already taken",
        ),
        Select(
            id="selection",
            label="Selection",
            items={"Read the candidates": "reading", "By similarity alone": "similarity"},
            initial_value=p.selection,
        ),
        TextInput(
            id="until",
            label="Nothing later than",
            initial=p.until.isoformat() if p.until else "",
            placeholder="YYYY-MM-DD, or empty",
        ),
    ]
    writing: list[InputWidget] = [
        Slider(id="words", label="Words in the section", initial=p.words, min=100, max=3000, step=50),
        Slider(id="feedback_rounds", label="Rounds of feedback", initial=p.feedback_rounds, min=0, max=3, step=1),
        Slider(
            id="correction_attempts",
            label="Attempts to correct a claim",
            initial=p.correction_attempts,
            min=0,
            max=3,
            step=1,
        ),
    ]
    taxonomy: list[InputWidget] = [
        NumberInput(id="density", label="Density δ: papers that make a node worth expanding", initial=p.density),
        NumberInput(id="max_level", label="Deepest level that is expanded", initial=p.max_level),
        Select(
            id="clustering",
            label="Clustering of labels",
            items={"Ward, number by silhouette": "ward", "Fixed cut": "cut"},
            initial_value=p.clustering,
        ),
        Select(
            id="diversity_rule",
            label="Rule of diversity",
            items={"Unlike every paper taken (MMR)": "mmr", "As in the paper": "paper"},
            initial_value=p.diversity_rule,
        ),
    ]
    return [
        Tab(id="papers", label="Papers", inputs=papers),
        Tab(id="writing", label="Writing", inputs=writing),
        Tab(id="taxonomy", label="Taxonomy", inputs=taxonomy),
    ]


def read_settings(values: dict[str, Any]) -> dict[str, Any]:
    """The panel's values as they go to the assistant; InputError names the field that is wrong."""
    known = {k: v for k, v in values.items() if k in Parameters.model_fields}
    known["until"] = known.get("until") or None
    try:
        return Parameters.model_validate(known).model_dump(include=set(known))
    except ValidationError as error:
        problem = error.errors()[0]
        raise InputError(
            f"The setting {'.'.join(str(p) for p in problem['loc'])!r} cannot be used: {problem['msg'].lower()}.",
            "Open the settings again and correct it; the others were not changed either.",
        ) from error
