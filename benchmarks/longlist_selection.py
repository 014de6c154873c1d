"""How fast the longlist is chosen, against the same formula pair by pair: `python benchmarks/longlist_selection.py`.

The other implementation computes every similarity to every chosen paper again in each step, as Citegeist does, with one
NumPy product a pair (Citegeist's own, through scikit-learn, is slower still). Both choose 3·B = 120 of 240 candidates
with embeddings of 384 numbers; the picks must be the same. The aim is 50 times.
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from marwg.selection import Rule, select

CANDIDATES, LONGLIST, DIMENSION, RUNS, AIM = 240, 120, 384, 3, 50


def pair_by_pair(similarities: np.ndarray, vectors: np.ndarray, count: int, diversity: float, rule: Rule) -> list[int]:
    """The formula as it stands, every pair in every step."""
    agg = max if rule == "mmr" else min
    chosen = [int(np.argmax(similarities))]
    while len(chosen) < count:
        best, best_gain = -1, -np.inf
        for i in range(len(similarities)):
            if i in chosen:
                continue
            near = agg(float(vectors[i] @ vectors[j]) for j in chosen)
            gain = (1 - diversity) * similarities[i] + diversity * (1 - near)
            if gain > best_gain:
                best, best_gain = i, gain
        chosen.append(best)
    return chosen


def candidates() -> tuple[np.ndarray, np.ndarray]:
    """Unit rows around a few centres, as abstracts of some topics lie, and their cosines to one of them."""
    random = np.random.default_rng(7)
    centres = random.standard_normal((8, DIMENSION))
    rows = centres[random.integers(0, 8, CANDIDATES)] + random.standard_normal((CANDIDATES, DIMENSION))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    focal = centres[0] / np.linalg.norm(centres[0])
    return rows @ focal, rows


def median_seconds(choose: Callable[[], list[int]], runs: int) -> tuple[float, list[int]]:
    """The median time of some runs, and what was chosen."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        chosen = choose()
        times.append(time.perf_counter() - start)
    return statistics.median(times), chosen


def main() -> int:
    """Prints one line a rule; 1 where the picks differ or the aim is missed."""
    similarities, rows = candidates()
    good = True
    for rule in ("mmr", "paper"):
        slow, expected = median_seconds(partial(pair_by_pair, similarities, rows, LONGLIST, 0.3, rule), RUNS)
        fast, chosen = median_seconds(partial(select, similarities, rows, LONGLIST, 0.3, rule), 15 * RUNS)
        ratio = slow / fast
        good = good and chosen == expected and ratio >= AIM
        same = "same picks" if chosen == expected else "OTHER PICKS"
        print(
            f"{rule:6} pair by pair {slow * 1000:7.0f} ms   matrix {fast * 1000:6.2f} ms   {ratio:5.0f} times   {same}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
