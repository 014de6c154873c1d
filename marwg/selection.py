"""The greedy choice of papers and pages, with matrix products: pure, deterministic, ties go to the earlier one.

    next = argmax over P minus S of (1−λ)·s_i + λ·(1 − agg over S of sim(e_i, e_j))

`mmr` takes agg = max (unlike everything that is chosen), `paper` takes min (unlike something that is chosen). The two
are the same at λ = 0, which is the order of relevance, and as long as one item is chosen.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rule = Literal["mmr", "paper"]
Rows = NDArray[np.float64]

GATE = 0.75
"""Papers less similar than this share of the mean of the nearest five are mostly look-alikes (12 % gold at .7)."""


class ScoredPage(NamedTuple):
    """A page by its number and the similarity of its best passage."""

    number: int
    similarity: float


def rank(scores: ArrayLike, tiers: ArrayLike | None = None) -> list[int]:
    """Positions by tier, then by score, highest first; equals keep their order."""
    values = np.asarray(scores, dtype=np.float64)
    if tiers is None:
        return [int(i) for i in np.argsort(-values, kind="stable")]
    return [int(i) for i in np.lexsort((-values, -np.asarray(tiers, dtype=np.float64)))]


def select(
    similarities: ArrayLike,
    vectors: ArrayLike,
    count: int,
    diversity: float = 0.0,
    rule: Rule = "mmr",
    tiers: ArrayLike | None = None,
) -> list[int]:
    """Positions of at most `count` items in the order of the greedy choice, from the most similar one on.

    With `tiers`, a higher tier is used up before the next one is begun; what it gave counts as chosen there.
    """
    relevance = np.asarray(similarities, dtype=np.float64)
    if diversity == 0 or len(relevance) == 0:
        return rank(relevance, tiers)[:count]
    rows = np.asarray(vectors, dtype=np.float64)
    levels = np.zeros(len(relevance)) if tiers is None else np.asarray(tiers, dtype=np.float64)
    if not len(relevance) == len(rows) == len(levels):
        raise ValueError("similarities, vectors and tiers must have the same length")
    combine: Callable[..., Any] = np.maximum if rule == "mmr" else np.minimum
    chosen: list[int] = []
    nearest: Rows | None = None  # the running max or min: one row of similarities a step, never all pairs
    for level in sorted(set(levels.tolist()), reverse=True):
        free = levels == level
        for _ in range(min(count - len(chosen), int(free.sum()))):
            gain = relevance if nearest is None else (1 - diversity) * relevance + diversity * (1 - nearest)
            pick = int(np.argmax(np.where(free, gain, -np.inf)))
            free[pick] = False
            chosen.append(pick)
            # Rounded, so that equal rows stay equal whatever the order in which a product sums up.
            row = np.round(rows @ rows[pick], 9)
            nearest = row if nearest is None else combine(nearest, row)
    return chosen


def select_pages(
    pages: Sequence[int], vectors: ArrayLike, query: ArrayLike, depth: int, diversity: float = 0.0, rule: Rule = "mmr"
) -> list[ScoredPage]:
    """At most `depth` pages by the same criterion; `pages` gives the page of each passage in `vectors`.

    A page stands for its best passage: an encoder reads less than a page at once.
    """
    if depth == 0 or len(pages) == 0:
        return []
    rows = np.asarray(vectors, dtype=np.float64)
    similarities = np.round(rows @ np.asarray(query, dtype=np.float64), 9)
    best: dict[int, int] = {}
    for passage in rank(similarities):
        best.setdefault(pages[passage], passage)
    numbers = sorted(best)
    passages = [best[number] for number in numbers]
    chosen = select(similarities[passages], rows[passages], depth, diversity, rule)
    return [ScoredPage(numbers[i], float(similarities[passages[i]])) for i in chosen]


def mean_similarity(abstract: float, pages: Sequence[ScoredPage]) -> float:
    """The score of the shortlist: the mean over the abstract and the chosen pages."""
    return float(np.mean([abstract, *(page.similarity for page in pages)]))


def relevant(similarities: ArrayLike, share: float = GATE, top: int = 5, keep: int = 10) -> list[bool]:
    """Which items pass the relevance gate: `share` of the mean of the `top` highest, and the `keep` highest always."""
    values = np.asarray(similarities, dtype=np.float64)
    order = rank(values)
    if len(order) <= keep:
        return [True] * len(order)
    passed = values >= share * float(values[order[:top]].mean())
    passed[order[:keep]] = True
    return [bool(each) for each in passed]
