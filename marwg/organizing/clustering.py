"""Clustering pseudo-labels into subtopics: Ward linkage with k by silhouette, or a fixed cut for replication.

No fixed cut suits all dimensions: one that leaves half of the papers of one alone makes a giant of another. So the
default measures the scale of each node's own labels.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from marwg.types import PaperId

LABEL_WEIGHT = 0.6
"""How much of a paper's vector is its label; the rest is title and abstract. With more than half of the abstract, all
dimensions get the same tree."""

CUT = 0.60
"""Cosine distance of the fixed cut (complete linkage): the cut that collapsed least often."""

FEW, MOST = 10, 8
GIANT = 2 / 3
ALONE = 1 / 2


@dataclass(frozen=True)
class Clustering:
    """Groups of two or more papers, those left alone, and what had to be done differently."""

    groups: tuple[tuple[PaperId, ...], ...] = ()
    alone: tuple[PaperId, ...] = ()
    note: str = ""


def normal_form(label: str) -> str:
    """The label without case, accents, hyphens, punctuation and plural endings: equal forms are one label."""
    plain = unicodedata.normalize("NFKD", label).casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(_singular(word) for word in re.findall(r"\w+", plain))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def mixed(label: np.ndarray, abstract: np.ndarray | None) -> np.ndarray:
    """A paper's unit vector: its label (weight .6) beside its title and abstract (.4), or the label alone."""
    label = _unit(label)
    other = np.zeros_like(label) if abstract is None else _unit(abstract)
    return _unit(np.concatenate([np.sqrt(LABEL_WEIGHT) * label, np.sqrt(1 - LABEL_WEIGHT) * other]))


def mixed_vectors(
    label_vectors: Mapping[PaperId, np.ndarray], abstract_vectors: Mapping[PaperId, np.ndarray]
) -> dict[PaperId, np.ndarray]:
    """The mixed vector of every paper that has a label."""
    return {p: mixed(vector, abstract_vectors.get(p)) for p, vector in label_vectors.items()}


def centroid(vectors: Sequence[np.ndarray]) -> np.ndarray:
    """The direction of the mean; zero where there is none."""
    return _unit(np.mean(vectors, axis=0))


def _unit(vector: np.ndarray) -> np.ndarray:
    """The vector at length one; zero, and what holds no number, becomes zero."""
    vector = np.nan_to_num(np.asarray(vector, dtype=np.float64), posinf=0, neginf=0)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-12 else vector * 0


def cluster(
    labels: Mapping[PaperId, str],
    label_vectors: Mapping[PaperId, np.ndarray],
    vectors: Mapping[PaperId, np.ndarray],
    density: int,
    mode: Literal["ward", "cut"] = "ward",
) -> Clustering:
    """Groups of papers whose labels mean the same; no group at all where there are too few papers or one label only.

    `vectors` are the mixed ones, which Ward works on; the fixed cut looks at the labels alone. Every paper of `labels` is in exactly one group or alone. Papers are in the order of `labels`, groups in that of
    their first paper.
    """
    papers = tuple(labels)
    forms = {p: normal_form(labels[p]) for p in papers}
    distinct = len(set(forms.values()))
    if len(papers) < density or distinct < 2:
        return Clustering(alone=papers)
    options = _options(len(papers), distinct)
    note = ""
    if mode == "cut" and distinct > 2:
        found = _cut(papers, np.stack([_unit(label_vectors[p]) for p in papers]))
        if len(found.alone) <= ALONE * len(papers):
            return found
        note = "the fixed cut left most papers alone, so they were grouped by silhouette"
    if not options:
        return _gathered(papers, [forms[p] for p in papers], note)
    return _gathered(papers, _ward(np.stack([vectors[p] for p in papers]), options), note)


def _options(papers: int, distinct: int) -> range:
    """The numbers of groups to try: 3 … min(8, n//3), for few papers 2 … n//2, and no more than distinct labels.

    As many groups as labels are allowed: where a model repeats its labels, they are the groups.
    """
    low, high = (3, min(MOST, papers // 3)) if papers >= FEW else (2, papers // 2)
    return range(low, min(high, distinct) + 1)


def _ward(points: np.ndarray, options: range) -> list[int | str]:
    """The partition of the best silhouette; a group of more than two thirds is split further while options last."""
    from scipy.cluster.hierarchy import cut_tree, linkage
    from sklearn.metrics import silhouette_score

    partitions = cut_tree(linkage(points, "ward"), n_clusters=list(options)).T
    distances = np.clip(1 - points @ points.T, 0, 2)
    np.fill_diagonal(distances, 0)
    scores = [round(float(silhouette_score(distances, p, metric="precomputed")), 9) for p in partitions]
    best = int(np.argmax(scores))
    while best + 1 < len(partitions) and np.bincount(partitions[best]).max() > GIANT * len(points):
        best += 1
    return [int(group) for group in partitions[best]]


def _cut(papers: Sequence[PaperId], points: np.ndarray) -> Clustering:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distances = np.clip(1 - points @ points.T, 0, 2)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "complete")
    return _gathered(papers, [int(group) for group in fcluster(tree, CUT, "distance")])


def _gathered(papers: Sequence[PaperId], keys: Sequence[int | str], note: str = "") -> Clustering:
    """Papers of the same key together, in the order in which keys come up."""
    groups: dict[int | str, list[PaperId]] = {}
    for paper, key in zip(papers, keys, strict=True):
        groups.setdefault(key, []).append(paper)
    return Clustering(
        groups=tuple(tuple(g) for g in groups.values() if len(g) > 1),
        alone=tuple(g[0] for g in groups.values() if len(g) == 1),
        note=note,
    )
