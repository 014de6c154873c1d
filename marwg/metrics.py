"""The metrics of the evaluation, exactly as docs/evaluation.md defines them. Pure: who judged, and how, is not known here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from marwg.text.markup import unique
from marwg.types import Paper, PaperId

TITLES_ALIKE = 90.0
"""Of 100: from here on two normalised titles count as one."""

# ---------------------------------------------------------------- support


@dataclass(frozen=True)
class Judged:
    """One cited sentence as a judge sees it: R(s) in order, sup(∪R(s), s), and for each citation sup(r, s) and
    sup(R(s)∖{r}, s). An id that names no paper is in `citations` and in `invalid`."""

    citations: tuple[PaperId, ...]
    together: bool
    alone: tuple[bool, ...]
    without: tuple[bool, ...]
    invalid: frozenset[PaperId] = frozenset()

    def correct(self, place: int) -> bool:
        """Whether the citation at this place is correct: the union supports, and it is not idle beside the others."""
        if self.citations[place] in self.invalid or not self.together:
            return False
        idle = len(self.citations) > 1 and not self.alone[place] and self.without[place]
        return not idle


def claim_precision(judged: Sequence[Judged]) -> float:
    """ClaP: the share of cited sentences that all their references together support; 0 without cited sentences."""
    return _share([j.together for j in judged])


def citation_precision(judged: Sequence[Judged]) -> float:
    """CitP: correct (sentence, reference) pairs / all pairs; invalid ids are wrong."""
    return _share([j.correct(place) for j in judged for place in range(len(j.citations))])


def strict_citation_precision(judged: Sequence[Judged]) -> float:
    """CitP-strict: the share of pairs whose reference alone supports the sentence."""
    pairs = [(i not in j.invalid and alone) for j in judged for i, alone in zip(j.citations, j.alone, strict=True)]
    return _share(pairs)


def attribution_recall(judged: Sequence[Judged], uncited_facts: int) -> float:
    """Supported sentences / all factual sentences; one without a citation counts as not supported."""
    total = len(judged) + uncited_facts
    return sum(j.together for j in judged) / total if total else 0.0


def citations_per_claim(citations: Sequence[Sequence[PaperId]]) -> float:
    """CC: Σ|R(s)| over cited sentences / their number, each reference once a sentence; 0 without cited sentences."""
    counts = [len(unique(c)) for c in citations if c]
    return sum(counts) / len(counts) if counts else 0.0


def _share(yes: Sequence[bool]) -> float:
    return sum(yes) / len(yes) if yes else 0.0


# ---------------------------------------------------------------- references


def reference_coverage(cited: Collection[PaperId], gold: Collection[PaperId]) -> float:
    """RC: matched gold references / gold references; the ids of both must be those of one corpus. 0 without gold."""
    return len(set(cited) & set(gold)) / len(set(gold)) if gold else 0.0


def reference_precision(cited: Collection[PaperId], gold: Collection[PaperId]) -> float:
    """The share of the bibliography that is gold; a lower bound, since what is not gold may be a fair citation."""
    return len(set(cited) & set(gold)) / len(set(cited)) if cited else 0.0


def f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def recall_at(ranked: Sequence[PaperId], gold: Collection[PaperId], count: int) -> float:
    """The share of gold among the first `count`."""
    return reference_coverage(ranked[:count], gold)


def same_reference(one: Paper, other: Paper, normal: Callable[[str], str] = str.casefold) -> bool:
    """Whether two records are one paper: by DOI, by arXiv id, else by title (≥ 0.9 alike when normalised) together
    with the year (± 1) or the first author."""
    if one.doi and one.doi.casefold() == other.doi.casefold():
        return True
    if one.arxiv_id and one.arxiv_id == other.arxiv_id:
        return True
    titles = [" ".join("".join(c if c.isalnum() else " " for c in normal(p.title)).split()) for p in (one, other)]
    if not all(titles) or fuzz.ratio(*titles) < TITLES_ALIKE:
        return False
    if one.year and other.year and abs(one.year - other.year) <= 1:
        return True
    first = [p.authors[0].partition(",")[0].strip().casefold() if p.authors else "" for p in (one, other)]
    return bool(first[0]) and first[0] == first[1]


# ---------------------------------------------------------------- likeness to the human text


def sn_precision(predicted: np.ndarray, references: Sequence[np.ndarray]) -> float:
    """SN-P: for each predicted sentence its best cosine in each reference, averaged; rows are unit vectors."""
    if len(predicted) == 0 or not references or any(len(g) == 0 for g in references):
        return 0.0
    return float(np.mean([(predicted @ g.T).max(axis=1) for g in references]))


def sn_recall(predicted: np.ndarray, references: Sequence[np.ndarray]) -> float:
    """SN-R: for each sentence of each reference its best cosine in the prediction, averaged by reference, then over
    the references."""
    if len(predicted) == 0 or not references or any(len(g) == 0 for g in references):
        return 0.0
    return float(np.mean([(g @ predicted.T).max(axis=1).mean() for g in references]))


def sn_f1(predicted: np.ndarray, references: Sequence[np.ndarray]) -> float:
    """SN-F1 of one topic; an empty prediction has 0."""
    return f1(sn_precision(predicted, references), sn_recall(predicted, references))


# ---------------------------------------------------------------- judgements of readers

QUALITIES = ("clarity", "structure", "relevance", "motivation", "critics")
"""The five judgements whose mean is TQ."""


def text_quality(readings: Sequence[Sequence[int]]) -> float:
    """TQ: the mean of the five 1–5 judgements, over all readings; 0 where nobody read."""
    return float(np.mean([np.mean(r) for r in readings])) if readings else 0.0


def intraclass_correlation(ratings: Sequence[Sequence[float]]) -> float:
    """ICC(2,1) of Shrout and Fleiss: how far single readings agree, in absolute terms; rows are texts, columns
    readings. NaN with fewer than two texts or two readings, or where nothing varies."""
    table = np.asarray(ratings, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        return float("nan")
    n, k = table.shape
    mean = table.mean()
    rows = k * float(((table.mean(axis=1) - mean) ** 2).sum()) / (n - 1)
    columns = n * float(((table.mean(axis=0) - mean) ** 2).sum()) / (k - 1)
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + mean
    error = float((residual**2).sum()) / ((n - 1) * (k - 1))
    below = rows + (k - 1) * error + k * (columns - error) / n
    return (rows - error) / below if below > 1e-12 else float("nan")


def win_rate(pairs: Sequence[tuple[float, float]]) -> float:
    """Organization win rate: each pair holds the outcome in both orders (1 a win over the human section, ½ a tie,
    0 a loss), so that a judge who prefers a place gains nothing."""
    return float(np.mean([(a + b) / 2 for a, b in pairs])) if pairs else 0.0


# ---------------------------------------------------------------- verifiers


@dataclass(frozen=True)
class Flagging:
    """How well "not supported" is found: precision, recall and F1 of the flags, the share of good claims flagged, and
    the mean of both recalls, which cannot be had by flagging everything."""

    precision: float
    recall: float
    f1: float
    false_flags: float
    balanced: float


def flagging(flagged: Sequence[bool], wrong: Sequence[bool]) -> Flagging:
    """Flags against labels, one of each per claim."""
    pairs = list(zip(flagged, wrong, strict=True))
    hit = sum(f and w for f, w in pairs)
    recall = hit / sum(wrong) if any(wrong) else 0.0
    precision = hit / sum(flagged) if any(flagged) else 0.0
    good = [f for f, w in pairs if not w]
    false = sum(good) / len(good) if good else 0.0
    return Flagging(precision, recall, f1(precision, recall), false, (recall + 1 - false) / 2)


def area_under_curve(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The chance that a positive item scores above a negative one, ties counting half; NaN where one kind is missing."""
    values, labels = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    high, low = values[labels], values[~labels]
    if not len(high) or not len(low):
        return float("nan")
    differences = high[:, None] - low[None, :]
    return float(((differences > 0) + 0.5 * (differences == 0)).mean())


# ---------------------------------------------------------------- intervals


@dataclass(frozen=True)
class Interval:
    """A mean over topics with the bounds of its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def bootstrap(values: Sequence[float], samples: int = 2000, seed: int = 0) -> Interval:
    """The mean with its percentile interval by resampling topics; the same values always give the same interval."""
    if not values:
        return Interval(float("nan"), float("nan"), float("nan"))
    rows = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(rows), size=(samples, len(rows)))
    low, high = np.percentile(rows[drawn].mean(axis=1), [2.5, 97.5])
    return Interval(float(rows.mean()), float(low), float(high))


def paired_difference(ours: Sequence[float], theirs: Sequence[float], samples: int = 2000, seed: int = 0) -> Interval:
    """The mean difference on the same topics, with its interval."""
    return bootstrap([a - b for a, b in zip(ours, theirs, strict=True)], samples, seed)
