"""How far passages carry a claim: the features that the judge weighs, and the sentence that decides."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from marwg.extractive.generic import frequency
from marwg.extractive.papers import Encode
from marwg.extractive.repairs import unborne
from marwg.extractive.sentences import clean, split
from marwg.tasks import Source
from marwg.text.quantities import Quantity, backed, quantities
from marwg.text.wording import content_words, directions, names_in, negated_pairs, opposite_direction, overlap

FEATURES = (
    "cosine", "cosine_top3", "overlap_two", "weighted_overlap", "coverage_gap", "missing_numbers",
    "negation_differs", "opposite_words", "same_direction", "direction_missing",
)  # fmt: skip
"""What the judge weighs, in order; `Support.values` holds more, for the rules."""

_TURNS = tuple(
    tuple(tuple(side.split()) for side in line.split("|"))
    for line in (
        "increas higher elevat enhanc up-regul upregul promot activat stimulat induc gain improv more greater larger longer faster"
        " strong positive|decreas lower reduc diminish down-regul downregul inhibit suppress block impair loss worse less smaller fewer"
        " shorter slower weak negative",
        "cause lead induc trigger promot|prevent protect inhibit block abolish attenuat",
        "require necessary essential depend critical|dispensable independent unnecessary",
        "associated correlat linked related|unrelated independent uncorrelated",
        "common frequent most high|rare infrequent low few",
        "present express contain|absent lack without devoid",
        "effective efficac success benefit|ineffective fail harm",
        "before early|after late",
        "resist|sensitiv suscept",
        "supervis label|unsupervis unlabel",
        "outperform surpass exceed beat better|underperform worse",
        "agonist|antagonist",
    )
)
"""Word beginnings that turn a statement into its opposite."""

_DENIAL = re.compile(
    r"\b(?:not|no|without|lack\w*|fail\w*|neither|nor|unable|cannot|independent\w*|un(?:related|affected|changed|likely))\b",
    re.IGNORECASE,
)

_AUTHORS = re.compile(
    r"^(?:(?:The|Their|Its) (?:paper|work|study|survey|article|authors|method|approach|model|framework)?\s*(?:by|of)?\s*)?"
    r"[A-ZÀ-Þ][\w'’-]+(?: et al\.| and [A-ZÀ-Þ][\w'’-]+)\s+"
)
_FRAME = re.compile(
    r"^(?:(?:They|The authors?|Its authors|She|He) )?(?:also )?(?:report|show|find|observe|demonstrate|state|note|conclude)s? that ",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Support:
    """What was found for one claim in one set of passages."""

    values: dict[str, float]
    quote: str
    best: str
    missing_numbers: tuple[str, ...]
    missing_names: tuple[str, ...]
    opposite: tuple[str, str] | None
    denied: str
    nearest: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    unborne: str = ""

    @property
    def vector(self) -> np.ndarray:
        """The features in their fixed order."""
        return np.array([self.values[name] for name in FEATURES])


def bare_claim(claim: str) -> str:
    """What a claim says, without its authors and without "report that"."""
    text = re.sub(r"\s*\[@[^\]]+\]", "", claim).strip()
    text = re.sub(
        r"^(?:Likewise|Similarly|By contrast|More recently|For evaluation|On the theoretical side), ", "", text
    )
    text = _AUTHORS.sub("", text)
    return _FRAME.sub("", text).strip() or claim


def evidence_sentences(sources: Sequence[Source]) -> list[tuple[str, str]]:
    """(raw, clean) sentences of titles, abstracts and passages, each once."""
    found: dict[str, str] = {}
    for source in sources:
        for text in (source.title, source.abstract, *(passage.text for passage in source.passages)):
            for raw in split(text):
                plain = clean(raw)
                if plain:
                    found.setdefault(raw, plain)
    return list(found.items())


def measure(claim: str, sources: Sequence[Source], encode: Encode) -> Support:
    """All features of a claim against its sources."""
    text = bare_claim(claim)
    pairs = evidence_sentences(sources) or [("", "")]
    plain = [clean_text for _, clean_text in pairs]
    rows = encode([text, *plain])
    cosines = rows[1:] @ rows[0]
    words = content_words(text)
    overlaps = np.array([overlap(words, content_words(sentence)) for sentence in plain])
    joint = cosines + overlaps
    order = [int(i) for i in np.argsort(-joint, kind="stable")]
    best = plain[order[0]]
    close = [plain[i] for i in order[:3]]
    everything = " ".join(plain)
    numbers = _missing_numbers(text, everything)
    names = tuple(name for name in names_in(text) if name.lower() not in everything.lower())
    two = " ".join(close[:2])
    turned, kept = _turns(text, two)
    values = {
        "cosine": float(cosines.max()),
        "cosine_top3": float(np.sort(cosines)[-3:].mean()),
        "overlap_best": float(overlaps.max()),
        "overlap_two": overlap(words, content_words(two)),
        "overlap_all": overlap(words, content_words(everything)),
        "weighted_overlap": _weighted_overlap(words, content_words(everything)),
        "coverage_gap": overlap(words, content_words(everything)) - float(overlaps.max()),
        "missing_numbers": float(len(numbers) > 0),
        "missing_names": min(1.0, len(names) / 2),
        "negation_differs": float(bool(_DENIAL.search(text)) != bool(_DENIAL.search(two))),
        "opposite_words": float(turned),
        "same_direction": float(kept),
        "direction_missing": float(bool(directions(text)) and not directions(text) & directions(" ".join(close))),
    }
    opposite = next((found for s in close if (found := opposite_direction(text, s))), None)
    denied = negated_pairs(text, best)
    return Support(
        values,
        pairs[order[0]][0],
        best,
        numbers,
        names,
        opposite,
        denied,
        tuple(close),
        tuple(plain),
        unborne(text, everything),
    )


def _missing_numbers(text: str, evidence: str) -> tuple[str, ...]:
    stated: tuple[Quantity, ...] = quantities(evidence)
    return tuple(q.words for q in quantities(text) if not q.year and not backed(q, stated, evidence))


def _weighted_overlap(wanted: frozenset[str], present: frozenset[str]) -> float:
    weights = {word: 1.0 / np.log(3.0 + frequency(word)) for word in wanted}
    total = sum(weights.values())
    return float(sum(w for word, w in weights.items() if word in present) / total) if total else 0.0


def _turns(claim: str, evidence: str) -> tuple[bool, bool]:
    """Whether the evidence has the opposite of a word of the claim (and not the word), and whether it has its like."""
    turned = kept = False
    for one, other in _TURNS:
        for mine, theirs in ((one, other), (other, one)):
            if not _has(claim, mine) or _has(claim, theirs):
                continue
            kept = kept or _has(evidence, mine)
            turned = turned or (_has(evidence, theirs) and not _has(evidence, mine))
    return turned, kept


def _has(text: str, beginnings: tuple[str, ...]) -> bool:
    return bool(re.search(rf"\b(?:{'|'.join(beginnings)})", text, re.IGNORECASE))
