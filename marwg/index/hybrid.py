"""Dense and lexical evidence put together. Pure."""

import re
from collections.abc import Mapping

import numpy as np

from marwg.types import Frozen, PaperId

LEXICAL_WEIGHT = PARTS_WEIGHT = 0.7
"""Chosen by recall on 38 abstracts against 8,000 papers (`benchmarks/retrieval.py`)."""

BEST_SENTENCES = 3
_END = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORTEST = 20  # letters; less is no sentence


class Hit(Frozen):
    """A paper that was found: its plain cosine to the query, and the score that orders the hits."""

    paper_id: PaperId
    similarity: float
    score: float


def sentences_of(query: str) -> list[str]:
    """The sentences of an abstract, without the title on a line before it; none where there are too few to choose from."""
    _, line_end, abstract = query.partition("\n")
    found = [" ".join(part.split()) for part in _END.split(abstract if line_end else query)]
    found = [part for part in found if len(part) > _SHORTEST]
    return found if len(found) > BEST_SENTENCES else []


def nearest_sentences(rows: Mapping[PaperId, np.ndarray], sentences: np.ndarray) -> dict[PaperId, float]:
    """For each paper its mean cosine to the sentences of the query that it is nearest to."""
    if not rows or not len(sentences):
        return {}
    cosines = np.sort(np.stack(list(rows.values())) @ sentences.T, axis=1)[:, -BEST_SENTENCES:]
    return dict(zip(rows, cosines.mean(axis=1).tolist(), strict=True))


def combined(
    cosines: Mapping[PaperId, float],
    bm25: Mapping[PaperId, float],
    limit: int,
    parts: Mapping[PaperId, float] | None = None,
) -> list[Hit]:
    """The papers of `cosines` by z(cosine) + .7 z(BM25) + .7 z(parts), best first.

    `parts` are the cosines to single sentences of a long query. A paper without a word of the query has BM25 0; without
    any lexical evidence the score is the cosine.
    """
    score = _standardised(cosines) if bm25 else dict(cosines)
    if bm25:
        kinds = [(LEXICAL_WEIGHT, {paper: bm25.get(paper, 0.0) for paper in cosines}), (PARTS_WEIGHT, parts or {})]
        for weight, evidence in kinds:
            for paper, value in _standardised(evidence).items():
                score[paper] += weight * value
    best = sorted(cosines, key=lambda paper: (-score[paper], -cosines[paper], paper))[:limit]
    return [Hit(paper_id=paper, similarity=cosines[paper], score=score[paper]) for paper in best]


def _standardised(values: Mapping[PaperId, float]) -> dict[PaperId, float]:
    if not values:
        return {}
    numbers = np.fromiter(values.values(), dtype=np.float64, count=len(values))
    spread = float(numbers.std())
    scores = (numbers - numbers.mean()) / spread if spread > 1e-9 else np.zeros(len(numbers))
    return dict(zip(values, scores.tolist(), strict=True))
