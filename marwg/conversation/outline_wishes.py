"""Wishes about the outline to a changed outline: every wish of a message is made, or none and the reason is given."""

from collections.abc import Sequence
from dataclasses import dataclass

from marwg.errors import InputError
from marwg.organizing import outline as outlines
from marwg.organizing.outline_shaping import Known, shape
from marwg.organizing.paper_descriptions import described
from marwg.tasks import OutlineEditReply
from marwg.types import Outline, PaperId

_SHAPED = ("split", "sort", "resize")


@dataclass(frozen=True)
class Wished:
    """An outline after the wishes of a message.

    The papers of the topics in each of `divided` are still to be divided among them; with a `wish` the outline is to be
    made anew around what the user fixed.
    """

    outline: Outline
    divided: tuple[tuple[str, ...], ...] = ()
    wish: str = ""


def wished(outline: Outline, edits: Sequence[OutlineEditReply], known: Known, message: str) -> Wished:
    """The outline after these edits; their numbers all count the topics as they were before the first one."""
    first, divided, wish = outline, [], ""
    for edit in edits:
        try:
            if edit.kind == "regenerate":
                outline, wish = _to_be_made_anew(outline, edit), message
                continue
            before = {t.topic_id for t in outline.topics}
            outline = _edited(outline, edit, first, known)
            if edit.kind == "split" and edit.titles:
                parts = [first.topics[edit.topics[0] - 1].topic_id]
                divided.append((*parts, *(t.topic_id for t in outline.topics if t.topic_id not in before)))
        except InputError as refused:
            if len(edits) == 1:
                raise
            hint = f"{refused.hint} Nothing was changed, the other wishes neither.".strip()
            raise InputError(refused.message, hint) from refused
    return Wished(outline, tuple(divided), wish)


def _edited(outline: Outline, edit: OutlineEditReply, first: Outline, known: Known) -> Outline:
    places = {t.topic_id: n for n, t in enumerate(outline.topics, 1)}
    ids = []
    for number in edit.topics:
        if not 1 <= number <= len(first.topics):
            raise InputError(f"There is no topic {number}.", f"The outline has {len(first.topics)}.")
        if first.topics[number - 1].topic_id not in places:
            raise InputError(f"Topic {number} is gone after the change before.", "Send the changes one by one.")
        ids.append(first.topics[number - 1].topic_id)
    if edit.kind in _SHAPED:
        return shape(outline, edit, ids, known)
    if edit.kind == "reorder":
        ids += [i for i in places if i not in ids]
    if edit.kind in ("move_papers", "leave_out"):
        edit = edit.model_copy(update={"papers": _papers(outline, edit, first, known)})
    return outlines.apply(outline, edit.model_copy(update={"topics": tuple(places[i] for i in ids)}))


def _papers(outline: Outline, edit: OutlineEditReply, first: Outline, known: Known) -> tuple[PaperId, ...]:
    """The papers that are named, and those that are described; InputError where a description fits none."""
    if not edit.description.strip():
        return edit.papers
    numbered = first.model_copy(update={"uncovered": outline.uncovered})
    there = [p for i, p in known.papers.items() if any(i in _all(o) for o in (outline, first))]
    found = described(edit.description, there, known.taxonomy, numbered)
    if not found and not edit.papers:
        raise InputError(
            f"No paper of the outline fits “{edit.description.strip()}”.",
            "Name them by author, year or words of their titles.",
        )
    if edit.kind == "leave_out" and {p for t in outline.topics for p in t.papers} <= set(found):
        raise InputError("This would leave no paper in the outline.", "Say which papers or topics should go.")
    return tuple(dict.fromkeys((*edit.papers, *found)))


def _all(outline: Outline) -> set[PaperId]:
    return {p for t in outline.topics for p in t.papers} | {u.paper_id for u in outline.uncovered}


def _to_be_made_anew(outline: Outline, edit: OutlineEditReply) -> Outline:
    """What is kept of an outline that is made anew: what the user fixed, or nothing where they give it up."""
    if edit.fresh:
        topics = tuple(t.model_copy(update={"fixed_by_user": False, "pinned": ()}) for t in outline.topics)
        return outline.model_copy(update={"topics": topics, "uncovered": (), "at_most": None})
    most = outline.at_most or outlines.MOST
    if all(t.fixed_by_user for t in outline.topics) and len(outline.topics) >= most:
        raise InputError(
            "A new outline would be the same: you changed or ordered every topic, and what you fix stays.",
            'Say "start over and forget my changes" for one that does not keep them.',
        )
    return outline
