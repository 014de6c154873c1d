"""What of a draft a wish is about where it names a paragraph, or quotes a sentence: nothing else may change."""

import re
from dataclasses import dataclass

from marwg.types import Draft, Section, Sentence
from marwg.writing.guards import sentence_key

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PARAGRAPH = re.compile(
    rf"\b(?:(?P<ordinal>{'|'.join(_ORDINALS)}|last|final)\s+paragraph\b(?!s)|paragraph\s+(?:number\s+|#)?(?P<number>\d+)\b)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\bparagraphs\b|\bparagraph\b.*\bparagraph\b", re.IGNORECASE)
_QUOTED = re.compile(r"“([^”]{20,})”")


@dataclass(frozen=True)
class Scope:
    """One paragraph of one section, counted from 0."""

    topic_id: str
    paragraph: int


def scope_of(wish: str, draft: Draft, topic_ids: tuple[str, ...] = ()) -> Scope | None:
    """The paragraph that a wish is about; None where it is about more.

    Without a section paragraphs are counted over the whole text. A sentence of the draft in curled quotes means its own
    paragraph.
    """
    quoted = {sentence_key(q) for q in _QUOTED.findall(wish)}
    sections = [s for s in draft.sections if not topic_ids or s.topic_id in topic_ids]
    places = [(s, n) for s in sections for n in range(len(s.paragraphs))]
    for section, number in places:
        if any(sentence_key(s.text) in quoted for s in section.paragraphs[number]):
            return Scope(section.topic_id, number)
    named = _PARAGRAPH.search(wish)
    if not named or _SEVERAL.search(wish):
        return None
    word = (named["ordinal"] or "").lower()
    index = (
        int(named["number"]) - 1
        if named["number"]
        else len(places) - 1
        if word in ("last", "final")
        else _ORDINALS.index(word)
    )
    if not 0 <= index < len(places):
        return None
    section, number = places[index]
    return Scope(section.topic_id, number)


def kept_to(scope: Scope, before: Section, after: Section) -> Section:
    """The section as it was, with its one paragraph as it is written now; several written for it stand in its place."""
    new: tuple[tuple[Sentence, ...], ...]
    if len(after.paragraphs) == 1 and len(before.paragraphs) > 1:
        new = after.paragraphs  # only the paragraph itself was given back
    else:
        same_after = len(before.paragraphs) - scope.paragraph - 1
        end = len(after.paragraphs) - same_after
        new = after.paragraphs[scope.paragraph : max(end, scope.paragraph)]
    paragraphs = (*before.paragraphs[: scope.paragraph], *new, *before.paragraphs[scope.paragraph + 1 :])
    return after.model_copy(update={"paragraphs": paragraphs})
