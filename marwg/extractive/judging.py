"""Verdicts and corrections without a language model: best passages, numbers, names, negation, direction.

The weights come from a logistic regression on labelled scientific claims and on citation sentences with the right paper
and a wrong one (`benchmarks/extractive_claims.py`). Sentences
that restate a sentence of the source, and sentences that only say what papers are about, are decided by rules before.
"""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from marwg.extractive import repairs, support
from marwg.extractive.casing import Casing
from marwg.extractive.choice import Chooser
from marwg.extractive.lint import faults
from marwg.extractive.papers import Encode, PaperText, read_paper, read_papers, vectors
from marwg.extractive.phrases import normal
from marwg.extractive.support import FEATURES, Support, bare_claim
from marwg.extractive.tagging import singular
from marwg.extractive.text import cited, enumerate_words, flat, marker, without_markers
from marwg.extractive.titles import as_noun_phrase, statement
from marwg.tasks import (
    ClaimVerdict,
    ClaimVerdicts,
    ClaimView,
    CorrectClaims,
    CorrectedClaim,
    CorrectedClaims,
    ErroneousClaim,
    JudgeClaims,
    Source,
)
from marwg.text.wording import content_words, overlap
from marwg.types import ErrorType

_WEIGHTS: dict[str, float] = {
    "cosine": 2.619, "cosine_top3": 1.235, "overlap_two": 0.397, "weighted_overlap": 0.352, "coverage_gap": 2.109,
    "missing_numbers": -1.559, "negation_differs": -0.808, "opposite_words": -1.062, "same_direction": 0.327,
    "direction_missing": -0.958,
}  # fmt: skip
_INTERCEPT = -2.251
"""Half a unit above the fitted one: a person's right sentence that is flagged costs more than a doubtful one that is not."""

_RESTATED = 0.8
"""Share of a claim's words in one source sentence from which on it counts as a restatement."""

_SAME_SENTENCE = 0.5

_ABOUT = re.compile(
    r"\b(?:touch(?:es)? on|in particular(?: with)?|notably(?: with)?|address(?:es)?|look(?:s)? at|which includes?|recurring subjects are"
    r"|deals? with|concerned with|(?:is|are) about|work on|closest to|(?:is|are) available|shares?)\b",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^(?:Work on|Research on|Studies of|Papers on|A (?:second|further) (?:group|line)|Another group|Several papers|Closest to|The papers nearest"
    r"|Like this work|Surveys)\b"
)
_LIST = re.compile(r"^(?:Further papers are on|Related work includes|Other papers treat|Also relevant are)\b")


def judge_claims(task: JudgeClaims, encode: Encode) -> ClaimVerdicts:
    """A verdict for each claim, from its own passages alone."""
    return ClaimVerdicts(verdicts=tuple(_judge(claim, encode) for claim in task.claims))


def _judge(claim: ClaimView, encode: Encode) -> ClaimVerdict:
    if not any(_has_text(source) for source in claim.passages):
        return ClaimVerdict(
            id=claim.id,
            label="not supported",
            error_type=ErrorType.UNSUBSTANTIATED,
            confidence=0.5,
            reason="There is no text of the cited papers to compare with.",
        )
    about = _subject_verdict(claim)
    if about:
        return about
    found = support.measure(claim.claim, claim.passages, encode)
    return _weigh(claim.claim, found).model_copy(update={"id": claim.id})


def _has_text(source: Source) -> bool:
    return bool(source.title.strip() or source.abstract.strip() or any(p.text.strip() for p in source.passages))


# ---------------------------------------------------------------- what papers are about


def _subject_verdict(claim: ClaimView) -> ClaimVerdict | None:
    """Openers and lists: supported where every cited paper has the subject, or the words of its title are listed."""
    if _LIST.match(claim.sentence):
        return _listed_verdict(claim)
    if not _OPENER.match(claim.sentence):
        return None
    missing = [source for source in claim.passages if not _subject_in(claim, source)]
    if missing:
        return None
    quote = next((source.title for source in claim.passages if source.title), "")
    return ClaimVerdict(
        id=claim.id,
        label="supported",
        confidence=0.85,
        reason="Title or abstract of the cited papers have the subject that is named.",
        quote=quote,
    )


def _subject_in(claim: ClaimView, source: Source) -> bool:
    text = flat(" ".join([source.title, source.abstract, *(p.text for p in source.passages)]))
    words = set(map(singular, text.split()))
    parts = [part for part in (_subjects(claim.claim) or _subjects(claim.sentence)) if part]
    return any(f" {part}" in text or set(map(singular, part.split())) <= words for part in parts)


def _subjects(sentence: str) -> list[str]:
    """The subjects that a sentence names, in normal form."""
    plain = re.sub(r"\s*\[@[^\]]+\]", "", sentence).strip(" .")
    pieces = [piece for piece in _ABOUT.split(plain) if piece.strip()]
    names = [name for piece in pieces for name in re.split(r",| and |;| in particular| which ", piece)]
    return [
        normal(name.strip(" ,.;")) for name in names if len(name.strip(" ,.;")) > 3 and not _OPENER.match(name.strip())
    ]


def _listed_verdict(claim: ClaimView) -> ClaimVerdict | None:
    said = content_words(claim.sentence)
    for source in claim.passages:
        title = re.split(r":\s", source.title)[-1]
        if overlap(content_words(title), said) < 0.7:
            return None
    return ClaimVerdict(
        id=claim.id,
        label="supported",
        confidence=0.9,
        reason="The sentence names the papers by their titles.",
        quote=claim.passages[0].title,
    )


# ---------------------------------------------------------------- what papers say


def probability(found: Support) -> float:
    """The weighted evidence that a claim is supported, between 0 and 1."""
    score = _INTERCEPT + sum(_WEIGHTS[name] * found.values[name] for name in FEATURES)
    return float(1 / (1 + np.exp(-score)))


def _weigh(claim: str, found: Support) -> ClaimVerdict:
    contradicted = bool(found.denied or found.opposite)
    chance = probability(found)
    restated = found.values["overlap_best"] >= _RESTATED and not contradicted and not found.missing_numbers
    if found.unborne:  # support for a part is not support for the whole
        chance = min(chance, 0.3)
    if contradicted and found.values["overlap_best"] >= 0.5:
        chance = min(chance, 0.25)
    if found.missing_names and found.values["overlap_best"] >= _SAME_SENTENCE:
        chance = min(chance, 0.3)  # in other words, a name may be missing; in these, it was exchanged
        restated = False
    if restated and not found.unborne:
        chance = max(chance, 0.6 + 0.35 * found.values["overlap_best"])
    label: Literal["supported", "not supported"] = "supported" if chance >= 0.5 else "not supported"
    error_type, reason = (None, _support_reason(found)) if label == "supported" else _error(claim, found)
    return ClaimVerdict(
        id="",
        label=label,
        error_type=error_type,
        confidence=round(chance if label == "supported" else 1 - chance, 3),
        reason=reason,
        quote=found.quote,
    )


def _support_reason(found: Support) -> str:
    if found.values["overlap_best"] < 0.5:
        return "Words and meaning of several passages together make it likely; no single sentence says it outright."
    share = round(100 * found.values["overlap_best"])
    return f"One sentence of the source has {share} % of the claim's words, and nothing in it speaks against the claim."


def _error(claim: str, found: Support) -> tuple[ErrorType, str]:
    """The likeliest error and the words that show it."""
    if found.denied:
        return ErrorType.DIRECT_CONTRADICTION, f'Claim and source differ in the negation "{found.denied}".'
    if found.opposite:
        mine, theirs = found.opposite
        return ErrorType.DIRECT_CONTRADICTION, f'The claim says "{mine}" where the source says "{theirs}".'
    if found.unborne:
        return ErrorType.UNSUBSTANTIATED, f'Nothing in the source speaks of "{found.unborne}".'
    if found.missing_numbers:
        return ErrorType.MISREPRESENTATION, f"The source does not have the number {', '.join(found.missing_numbers)}."
    if found.missing_names:
        return ErrorType.INCORRECT_ATTRIBUTION, f"The source does not mention {', '.join(found.missing_names)}."
    if found.values["overlap_all"] < 0.35:
        return ErrorType.INCORRECT_ATTRIBUTION, "The source hardly has a word of the claim."
    if found.values["overlap_all"] >= 0.6:
        return (
            ErrorType.MISREPRESENTATION,
            "The source has most of the claim's words, but in no one place and in another connection.",
        )
    return ErrorType.UNSUBSTANTIATED, "No sentence of the source says as much as the claim."


# ---------------------------------------------------------------- corrections


def correct_claims(task: CorrectClaims, encode: Encode) -> CorrectedClaims:
    """Each erroneous claim replaced by what its papers do say, or by their titles where less is asked for."""
    return CorrectedClaims(claims=tuple(_correct(claim, encode) for claim in task.claims))


def _correct(claim: ErroneousClaim, encode: Encode) -> CorrectedClaim:
    wanted = cited(claim.sentence)
    sources = [s for s in claim.passages if (s.id in wanted or not wanted) and _has_text(s)]
    if not sources:
        return CorrectedClaim(id=claim.id, reason="There is no text of the cited papers to write from.")
    if not wanted:
        return _own_words(claim, sources, encode)
    if not claim.weaken and (better := _repaired(claim, sources, encode)):
        return CorrectedClaim(
            id=claim.id, sentence=better, reason="Only the words that the source does not bear are changed."
        )
    papers = read_papers(sources)
    casing = Casing([p.body for p in papers], [p.voice.name for p in papers if p.voice.name])
    if len(papers) > 1:
        items = [f"{_short(paper, casing)} {marker(paper.id)}" for paper in papers]
        return CorrectedClaim(
            id=claim.id,
            sentence=f"Related work includes {enumerate_words(items)}.",
            reason="Each paper is named by its title, which is all that is sure of them together.",
        )
    paper = papers[0]
    if not claim.weaken:
        sentence = _best_sentence(claim.sentence, paper, encode)
        if sentence and sentence != claim.sentence:
            return CorrectedClaim(
                id=claim.id, sentence=sentence, reason="The nearest sentence of the paper itself takes its place."
            )
    sentence = statement(paper, casing)
    if sentence == claim.sentence:
        return CorrectedClaim(
            id=claim.id, reason="Nothing but the title is left to say, and that stands there already."
        )
    return CorrectedClaim(id=claim.id, sentence=sentence, reason="Only what the title says is kept.")


def _repaired(claim: ErroneousClaim, sources: Sequence[Source], encode: Encode) -> str:
    """The sentence with the smallest change that makes it stand; empty where none does."""
    text = without_markers(claim.sentence)
    found = support.measure(text, sources, encode)
    whole = " ".join(found.sentences)
    for sentence in repairs.repaired(claim.sentence, whole, found.nearest):
        said = without_markers(sentence)
        if _weigh(said, support.measure(said, sources, encode)).label == "supported":
            return sentence
    return ""


def _short(paper: PaperText, casing: Casing) -> str:
    return as_noun_phrase(paper, casing) or f'"{paper.title}"'


def _best_sentence(claim: str, paper: PaperText, encode: Encode) -> str:
    """The printable sentence of the paper that is nearest to the claim."""
    if not paper.sentences:
        return ""
    row = encode([bare_claim(claim)])[0]
    chooser = Chooser([paper], row, vectors([paper], encode), encode)
    for choice in chooser.ranked(paper)[:3]:
        if choice.printable and not any(fault.hard for fault in faults(choice.text)):
            return choice.text
    return ""


def _own_words(claim: ErroneousClaim, sources: Sequence[Source], encode: Encode) -> CorrectedClaim:
    """A claim about the focal paper: its own sentence that is nearest to the claim."""
    paper = read_paper(sources[0])
    if not paper.sentences:
        return CorrectedClaim(id=claim.id, reason="The focal abstract has no sentence to put in its place.")
    rows = encode([claim.sentence, *(s.text for s in paper.sentences)])
    best = paper.sentences[int((rows[1:] @ rows[0]).argmax())]
    if best.text == claim.sentence:
        return CorrectedClaim(id=claim.id, reason="The sentence stands in the focal abstract as it is.")
    return CorrectedClaim(id=claim.id, sentence=best.text, reason="The focal abstract's own sentence takes its place.")
