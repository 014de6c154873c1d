"""Topics of the library by BERTopic: fitted in the background, kept in SQLite, the same for the same papers."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from marwg.library import Library
from marwg.types import PaperId

SMALLEST = 20
"""Papers that a library must have before topics mean anything."""
GROWN = 0.2
"""A library is fitted anew where so large a share of papers came since."""
_COMPONENTS = 10
_LABEL_WORDS = 3
_SEED = 0


class Topics:
    """The labels of the papers, and how they are made."""

    def __init__(self, library: Library, model: str) -> None:
        self._library, self._model = library, model
        self._lock = threading.Lock()

    def known(self) -> dict[PaperId, str]:
        """The labels that are saved, whatever came into the library since."""
        return self._library.topics()[1]

    def of_new(self, vectors: Mapping[PaperId, np.ndarray]) -> dict[PaperId, str]:
        """The labels of papers that came since the fit: that of the nearest topic. None where there was no fit."""
        saved = self._library.topic_centres()
        if not vectors or saved.get("model") != self._model:
            return {}
        names = list(saved["centres"])
        centres = np.asarray([saved["centres"][name] for name in names], dtype=np.float32)
        return {i: names[int(np.argmax(centres @ row))] for i, row in vectors.items()}

    def fit(self, ids: Sequence[PaperId], vectors: Mapping[PaperId, np.ndarray]) -> dict[PaperId, str]:
        """Labels for these papers: those that are there if they were made for the same, else new ones.

        A library that grew a little keeps its topics; the new papers are put into them.
        """
        if len(ids) < SMALLEST:
            return {}
        with self._lock:
            made_for = hashlib.sha256("\x1f".join([self._model, *sorted(ids)]).encode()).hexdigest()[:32]
            before, labels = self._library.topics()
            if before == made_for:
                return labels
            saved = self._library.topic_centres()
            new = {i: vectors[i] for i in ids if i not in labels}
            if saved.get("model") == self._model and len(new) <= GROWN * saved["papers"]:
                labels = {i: label for i, label in labels.items() if i in vectors} | self.of_new(new)
            else:
                labels, saved = self._fitted(sorted(ids), vectors)
            self._library.save_topics(made_for, labels, saved)
            return labels

    def _fitted(
        self, ordered: Sequence[PaperId], vectors: Mapping[PaperId, np.ndarray]
    ) -> tuple[dict[PaperId, str], dict[str, Any]]:
        """New labels, and the centre of each topic."""
        papers = {paper.paper_id: paper for paper in self._library.papers(ordered)}
        texts = [f"{papers[i].title}. {papers[i].abstract}" for i in ordered]
        found = _labels(texts, np.stack([vectors[i] for i in ordered]))
        labels = {i: label for i, label in zip(ordered, found, strict=True) if label}
        members: dict[str, list[np.ndarray]] = {}
        for one, label in labels.items():
            members.setdefault(label, []).append(vectors[one])
        means = {label: np.mean(rows, axis=0) for label, rows in sorted(members.items())}
        centres = {label: (row / max(np.linalg.norm(row), 1e-9)).round(5).tolist() for label, row in means.items()}
        return labels, {"model": self._model, "papers": len(ordered), "centres": centres}


def _labels(texts: Sequence[str], vectors: np.ndarray) -> list[str]:
    """A label "word, word, word" for each text, after the topic that BERTopic puts it in."""
    import warnings

    from sklearn.feature_extraction.text import CountVectorizer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)  # of a part of UMAP that wants Tensorflow and is not used
        from bertopic import BERTopic

    # PCA and k-means instead of UMAP and HDBSCAN: no compilation, no outliers without a label, the same result each time.
    model = BERTopic(
        umap_model=_reduction(len(texts), vectors.shape[1]),
        hdbscan_model=_clusters(len(texts)),
        vectorizer_model=CountVectorizer(stop_words="english", token_pattern=r"(?u)\b[^\W\d_]{3,}\b"),
        calculate_probabilities=False,
        verbose=False,
    )
    topics, _ = model.fit_transform(list(texts), embeddings=vectors)
    names = {topic: _name(model.get_topic(topic)) for topic in sorted(set(topics))}
    return [names[topic] for topic in topics]


def _reduction(count: int, dimension: int) -> Any:
    from sklearn.decomposition import PCA

    return PCA(n_components=min(_COMPONENTS, count - 1, dimension), random_state=_SEED)


def _clusters(count: int) -> Any:
    """About as many topics as the square root of half the papers, which keeps them readable."""
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=int(np.clip(round((count / 2) ** 0.5), 2, 40)), n_init=10, random_state=_SEED)


def _name(words: Any) -> str:
    """The strongest words of a topic, without a second form of one that is there."""
    chosen: list[str] = []
    for word, weight in words or ():
        if weight > 0 and word and not any(word.startswith(c[:5]) or c.startswith(word[:5]) for c in chosen):
            chosen.append(word)
        if len(chosen) == _LABEL_WORDS:
            break
    return ", ".join(chosen)
