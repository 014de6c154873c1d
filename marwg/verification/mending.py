"""Mending a claim: whether a new wording may take the place of the old, and putting new wordings into a draft."""

import re
from collections.abc import Collection, Mapping, Sequence

from marwg.text.markup import (
    MARKER,
    citations_of,
    map_citations,
    normalise_markers,
    split_sentences,
    tidy,
    without_citations,
)
from marwg.text.references import cited_in
from marwg.text.wording import content_words
from marwg.types import Claim, Draft, LeftOut, PaperId, Section, Sentence, SubClaim
from marwg.verification.claims import FOCAL, claim_of, from_focal, points_back

_NAMED = re.compile(r"[\w'’-]+,? et al\.\s*(?=\[@)")

SAME_THING = 0.5
"""Share of the words that a correction keeps of the sentence, or of its own."""

WEAKER = 0.25


def proposed(before: Claim, sentence: str, reason: str, weaken: bool = False) -> tuple[Claim | None, str]:
    """The claim that a new wording makes, or why it may not stand: it must stay one sentence, on the same thing, citing
    none but the same papers, and may give one up only with a reason. A weaker one may keep fewer of the words."""
    text = tidy(normalise_markers(sentence))
    if not text:
        return None, "nothing true was found to say"
    if len(split_sentences(text)) != 1:
        return None, "the new wording is more than one sentence"
    text = text if text[-1] in '.!?”"' else f"{text}."
    if text == before.sentence:
        return None, "the wording was not changed"
    strange = [i for i in citations_of(text) if i not in before.citations]
    if strange:
        return None, f"the new wording cites [@{strange[0]}], which the sentence did not"
    if before.citations and not citations_of(text):
        return None, "the new wording cites nothing any more"
    if set(citations_of(text)) != set(before.citations) and not reason.strip():
        return None, "the new wording gives up a citation without a reason"
    old, new = content_words(without_citations(before.sentence)), content_words(without_citations(text))
    if old and len(old & new) < (WEAKER if weaken else SAME_THING) * min(len(old), len(new)):
        return None, "the new wording speaks of something else"
    claim = claim_of(text, before.topic_id, before.number, before.kind == "focal")
    if claim is None or (before.kind == "focal") != (claim.kind == "focal"):
        return None, "the new wording is no longer the same kind of claim"
    return claim, ""


def reattributed(claim: Claim, part: SubClaim, paper_id: PaperId) -> Claim | None:
    """The claim with another paper cited for one of its parts; nothing where it names authors that no marker follows.

    Authors right before a marker are compared with the new paper by the gate.
    """
    if "et al." in MARKER.sub("", _NAMED.sub("", claim.sentence)):
        return None
    gone = set(part.citations)

    def change(ids: tuple[PaperId, ...]) -> list[PaperId]:
        return [paper_id, *(i for i in ids if i not in gone)] if gone & set(ids) else list(ids)

    return claim_of(map_citations(claim.sentence, change), claim.topic_id, claim.number)


def without_papers(claim: Claim, gone: Sequence[PaperId]) -> Claim | None:
    """The claim without some of its citations; nothing where none would be left."""
    text = map_citations(claim.sentence, lambda ids: [i for i in ids if i not in gone])
    return claim_of(text, claim.topic_id, claim.number) if citations_of(text) else None


# ---------------------------------------------------------------- in the draft


def may_be_dropped(draft: Draft, claim: Claim, gone: Collection[str] = ()) -> bool:
    """Whether a sentence can go, after those in `gone`, without leaving a section empty or the next sentence pointing
    at nothing."""
    for section in draft.sections:
        left = sum(s.text not in gone for s in section.sentences)
        for paragraph in section.paragraphs:
            texts = [s.text for s in paragraph if s.text not in gone]
            if section.topic_id == claim.topic_id and claim.sentence in texts:
                place = texts.index(claim.sentence)
                return left > 1 and not any(points_back(t) for t in texts[place + 1 : place + 2])
    return False


def with_sentences(draft: Draft, changed: Mapping[int, str | None], gone_reason: str) -> Draft:
    """The draft with claims replaced by number; `None` takes a sentence out. Papers that go uncited by it are listed."""
    number = 0
    sections: list[Section] = []
    for section in draft.sections:
        paragraphs = []
        for paragraph in section.paragraphs:
            kept: list[Sentence] = []
            for sentence in paragraph:
                is_claim = claim_of(sentence.text, section.topic_id, 1, from_focal(sentence)) is not None
                number += is_claim
                text = changed.get(number, sentence.text) if is_claim else sentence.text
                if text is not None:
                    kept.append(sentence if text == sentence.text else _reworded(sentence, text))
            if kept:
                paragraphs.append(tuple(kept))
        sections.append(section.model_copy(update={"paragraphs": tuple(paragraphs)}))
    now = set(cited_in(sections))
    listed = tuple(u for u in draft.uncited if u.paper_id not in now)
    had = {u.paper_id for u in listed}
    lost = [i for i in cited_in(draft.sections) if i not in now and i not in had]
    uncited = (*listed, *(LeftOut(paper_id=i, reason=gone_reason) for i in lost))
    return draft.model_copy(update={"sections": tuple(sections), "uncited": uncited})


def with_sentence(draft: Draft, before: str, after: str) -> Draft:
    """The draft with one sentence in the place of another, wherever that stands."""
    sections = tuple(
        section.model_copy(
            update={
                "paragraphs": tuple(
                    tuple(_reworded(s, after) if s.text == before else s for s in p) for p in section.paragraphs
                )
            }
        )
        for section in draft.sections
    )
    now = set(cited_in(sections))
    lost = [i for i in cited_in(draft.sections) if i not in now]
    kept = tuple(u for u in draft.uncited if u.paper_id not in now)
    uncited = (*kept, *(LeftOut(paper_id=i, reason="you changed the sentence that cited it") for i in lost))
    return draft.model_copy(update={"sections": sections, "uncited": uncited})


def _reworded(sentence: Sentence, text: str) -> Sentence:
    """A new wording keeps the passages of the papers that it still cites, and that of the focal abstract."""
    kept = {*citations_of(text), FOCAL}
    return Sentence(text=text, sources=tuple(p for p in sentence.sources if p.paper_id in kept))
