"""Dense and lexical evidence put together. Pure."""

from collections.abc import Mapping
from statistics import fmean, pstdev

from marwg.types import Frozen, PaperId

LEXICAL_WEIGHT = 0.5


class Hit(Frozen):
    """A paper that was found: its plain cosine to the query, and the score that orders the hits."""

    paper_id: PaperId
    similarity: float
    score: float


def combined(cosines: Mapping[PaperId, float], bm25: Mapping[PaperId, float], limit: int) -> list[Hit]:
    """The papers of `cosines` by z(cosine) + ½ z(BM25), best first; a paper without a word of the query has BM25 0.

    Without any lexical evidence the score is the cosine.
    """
    dense = _standardised(cosines) if bm25 else dict(cosines)
    lexical = _standardised({paper: bm25.get(paper, 0.0) for paper in cosines}) if bm25 else {}
    hits = [
        Hit(paper_id=paper, similarity=cosine, score=dense[paper] + LEXICAL_WEIGHT * lexical.get(paper, 0.0))
        for paper, cosine in cosines.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.similarity, hit.paper_id))[:limit]


def _standardised(values: Mapping[PaperId, float]) -> dict[PaperId, float]:
    if not values:
        return {}
    mean, spread = fmean(values.values()), pstdev(values.values())
    return {paper: (value - mean) / spread if spread > 1e-9 else 0.0 for paper, value in values.items()}
