"""The gate that needs no model: what a claim says is compared with the words of the papers it cites.

It is made to be silent rather than wrong: author names and title words of a cited paper, rounded numbers, common
acronyms and words that merely differ in form are never reported.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from marwg.text.markup import citations_of, groups, split_sentences, without_citations
from marwg.text.quantities import Quantity, backed, quantities
from marwg.text.sources import cited_as, find_quote
from marwg.text.wording import (
    COMMON_ACRONYMS,
    content_words,
    directions,
    expands,
    fold,
    names_in,
    negated,
    negated_pairs,
    opposite_direction,
    overlap,
    quotes_in,
    superlative_said,
    superlatives,
)  # fmt: skip
from marwg.types import Claim, Finding, Paper, PaperId
from marwg.verification.claims import FOCAL
from marwg.writing.placing import elsewhere, exchanged

HARD = frozenset({"citation", "number", "year", "quote"})
"""Findings that no judge can talk away: the words are not in the source as it is here."""

TURNING = frozenset({"negation", "direction", "place", "superlative", "closer"})
"""Findings that the source says the opposite, less, or of something else, or that another paper says it; where one model
judges alone they weigh as much as a second."""


@dataclass(frozen=True)
class GateSource:
    """What is known of one cited paper: its facts and every word of it that the library holds."""

    paper: Paper
    text: str

    @property
    def whole(self) -> str:
        """Title, authors, venue and text."""
        return f"{self.paper.title}. {' '.join(self.paper.authors)}. {self.paper.venue}. {self.text}"


def check(claim: Claim, sources: Mapping[PaperId, GateSource], known: Collection[PaperId]) -> tuple[Finding, ...]:
    """The findings on one claim against the papers that it cites (and the focal paper, where it speaks of it)."""
    findings = [
        Finding(
            rule="citation", words=f"[@{i}]", message="cites a paper that is not among the papers at hand", paper_id=i
        )
        for i in claim.citations
        if i not in known
    ]
    ids = (*claim.citations, FOCAL) if claim.kind == "focal" else claim.citations
    cited = [sources[i] for i in ids if i in sources]
    if claim.kind == "uncited":
        note = "states something about others and cites nothing"
        return (*findings, Finding(rule="citation", words=_first_words(claim.sentence), message=note))
    if not cited or any(i in known and i not in sources for i in claim.citations):
        return tuple(findings)  # what stands in a text that is not at hand cannot be missed
    # Whatever else is wrong with them, ids are not words of the claim.
    text = without_citations(claim.sentence)
    findings += _authors(claim.sentence, sources)
    findings += _numbers(text, cited)
    findings += _names(text, cited)
    findings += _quotes(text, cited)
    for part, citations in _pieces(claim):
        own = [sources[i] for i in citations if i in sources]
        if own:
            findings += _wording(part, own)
    return tuple(dict.fromkeys(findings))


def _pieces(claim: Claim) -> list[tuple[str, tuple[PaperId, ...]]]:
    if claim.kind == "focal":
        return [(without_citations(claim.sentence), (*claim.citations, FOCAL))]
    return [(p.text, p.citations) for p in claim.parts]


def _only(cited: Sequence[GateSource]) -> PaperId | None:
    return cited[0].paper.paper_id if len(cited) == 1 else None


def _first_words(text: str, count: int = 8) -> str:
    words = without_citations(text).split()
    return " ".join(words[:count]) + (" …" if len(words) > count else "")


# ---------------------------------------------------------------- numbers and years


def _numbers(text: str, cited: Sequence[GateSource]) -> list[Finding]:
    whole = " ".join(s.whole for s in cited)
    stated = [q for s in cited for q in _stated(s.whole)]
    years = {s.paper.year for s in cited}
    findings = []
    for claimed in quantities(_without_quoted_titles(text, cited)):
        if claimed.spelled and claimed.value <= 2:
            continue  # "two ideas" sums up more often than it counts
        if claimed.year:
            # A preprint and its publication are often a year apart.
            if all(abs(int(claimed.value) - y) > 1 for y in years if y) and not re.search(
                rf"\b{int(claimed.value)}\b", whole
            ):
                known = ", ".join(str(y) for y in sorted(y for y in years if y)) or "unknown"
                message = f"the year is neither that of the cited paper ({known}) nor in its text"
                findings.append(Finding(rule="year", words=claimed.words, message=message, paper_id=_only(cited)))
        elif not backed(claimed, stated, whole):
            message = "the number is not in the cited text"
            findings.append(Finding(rule="number", words=claimed.words, message=message, paper_id=_only(cited)))
    return findings


@lru_cache(maxsize=256)
def _stated(text: str) -> tuple[Quantity, ...]:
    return quantities(text)


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(s for block in re.split(r"\n\s*\n", text) for s in split_sentences(block))


def _without_quoted_titles(text: str, cited: Sequence[GateSource]) -> str:
    for source in cited:
        text = text.replace(source.paper.title, " ")
    return text


# ---------------------------------------------------------------- names


def _authors(sentence: str, sources: Mapping[PaperId, GateSource]) -> list[Finding]:
    """Author names right before a marker must be those of one of its papers."""
    findings = []
    for group in groups(sentence):
        named = re.search(
            r"((?:[A-ZÀ-Þ][\w'’-]+)(?: et al\.|(?: and| &) [A-ZÀ-Þ][\w'’-]+))\s*(?:\(\s*)?$", sentence[: group.start]
        )
        owners = [sources[i].paper for i in group.citations if i in sources]
        if not named or not owners or not all(p.authors for p in owners):
            continue
        words = named.group(1)
        et_al = words.endswith("et al.")
        surnames = [fold(w) for w in re.findall(r"[\w'’-]+", words.removesuffix(" et al.")) if w not in {"and"}]
        people = fold(" ".join(" ".join(p.authors) for p in owners))
        if et_al or any(s in people for s in surnames):
            missing = [s for s in surnames if s not in people]
            if missing:
                shown = " / ".join(cited_as(p) for p in owners)
                message = f"the cited paper is by {shown}"
                findings.append(Finding(rule="name", words=words, message=message, paper_id=owners[0].paper_id))
    return findings


def _names(text: str, cited: Sequence[GateSource]) -> list[Finding]:
    whole = " ".join(s.whole for s in cited)
    folded = fold(whole)
    squeezed = re.sub(r"[^a-z0-9]", "", folded)
    findings = []
    for name in names_in(text):
        pieces = [name, *name.split("-")]
        if _inside(name, squeezed) or all(_inside(p, squeezed) or not re.search(r"[A-Z0-9]", p) for p in pieces[1:]):
            continue
        if name.upper().rstrip("S") in COMMON_ACRONYMS:
            continue
        if any(expands(name, s.whole[:4000]) for s in cited) or expands(name, text):
            continue
        message = "the name is not in the cited text"
        findings.append(Finding(rule="name", words=name, message=message, paper_id=_only(cited)))
    return findings


def _inside(name: str, squeezed: str) -> bool:
    return re.sub(r"[^a-z0-9]", "", fold(name)).rstrip("s") in squeezed


# ---------------------------------------------------------------- quotes


def _quotes(text: str, cited: Sequence[GateSource]) -> list[Finding]:
    findings = []
    for quote in quotes_in(text):
        if not any(find_quote(quote, s.whole) for s in cited):
            message = "these words are quoted and not in the cited text"
            findings.append(Finding(rule="quote", words=quote, message=message, paper_id=_only(cited)))
    return findings


# ---------------------------------------------------------------- wording


def _wording(part: str, own: Sequence[GateSource]) -> list[Finding]:
    """Negation, direction and superlatives of one sub-claim against the sentences nearest to it."""
    only = _only(own)
    sentences = [s for source in own for s in (source.paper.title, *_sentences(source.text))]
    wanted = content_words(part)
    near = sorted(((overlap(wanted, content_words(s)), s) for s in sentences), key=lambda pair: -pair[0])[:3]
    findings = []
    best, sentence = near[0] if near else (0.0, "")
    if best >= 0.6 and (words := negated_pairs(part, sentence)):
        negation = "the claim denies it" if negated(part) else "the source denies it"
        message = f"{negation}, where the other says: “{sentence if negated(part) else part}”"
        findings.append(Finding(rule="negation", words=words, message=message, paper_id=only))
    for score, candidate in near:
        if score < 0.45 or any(directions(part) & directions(s) for n, s in near if n >= 0.45):
            continue
        if pair := opposite_direction(part, candidate):
            message = f"the source says “{pair[1]}”: “{candidate}”"
            findings.append(Finding(rule="direction", words=pair[0], message=message, paper_id=only))
            break
    findings += _places(part, sentences, only)
    whole = " ".join(s.whole for s in own)
    for words, family in superlatives(part):
        if not superlative_said(family, whole):
            message = "the cited text does not claim this much"
            findings.append(Finding(rule="superlative", words=words, message=message, paper_id=only))
    return findings


def _places(part: str, sentences: Sequence[str], only: PaperId | None) -> list[Finding]:
    """Right numbers at the wrong things."""
    words, sentence = exchanged(part, sentences)
    if words:
        message = f"the source has these numbers the other way round: “{sentence}”"
        return [Finding(rule="place", words=words, message=message, paper_id=only)]
    words, sentence = elsewhere(part, sentences)
    if words:
        message = f"the source has the number, but not where it says this: “{sentence}”"
        return [Finding(rule="place", words=words, message=message, paper_id=only)]
    return []


def citations_exist(sentence: str, known: Collection[PaperId]) -> tuple[PaperId, ...]:
    """The ids that a sentence cites and that nobody knows."""
    return tuple(i for i in citations_of(sentence) if i not in known)
