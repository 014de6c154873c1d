"""Groups of papers that belong together, and the phrase that names a group."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from marwg.extractive.acronyms import EPONYMS
from marwg.extractive.casing import Casing
from marwg.extractive.papers import Encode, PaperText, document_count, surface_forms
from marwg.extractive.phrases import GENERIC_WORDS, can_name, display_form, names_in, normal, rarity

# ---------------------------------------------------------------- grouping


def mixed_rows(papers: Sequence[PaperText], rows: np.ndarray) -> np.ndarray:
    """What is clustered: embeddings less most of their mean, beside weighted shared noun phrases."""
    dense = rows - 0.6 * rows.mean(axis=0)
    dense = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-9)
    counts = Counter(phrase for paper in papers for phrase in paper.phrases.counts)
    shared = sorted(phrase for phrase, count in counts.items() if 2 <= count <= 0.6 * len(papers))
    if not shared:
        return 0.8 * dense
    sparse = np.array([[min(p.phrases.counts[t], 3) * len(t.split()) for t in shared] for p in papers], dtype=float)
    sparse *= np.log(len(papers) / np.maximum((sparse > 0).sum(axis=0), 1))
    sparse /= np.maximum(np.linalg.norm(sparse, axis=1, keepdims=True), 1e-9)
    return np.hstack([0.8 * dense, 0.6 * sparse])


def group(papers: Sequence[PaperText], rows: np.ndarray, least: int = 3, most: int = 4) -> list[list[int]]:
    """Two to `most` groups of positions by Ward linkage, the number by silhouette; small groups are merged, large ones split."""
    total = len(papers)
    if total < 2 * least:
        return [list(range(total))]
    mixed = mixed_rows(papers, rows)
    labels = _best_partition(mixed, least, most)
    groups = [[i for i in range(total) if labels[i] == label] for label in sorted(set(labels))]
    groups = _split_large(groups, rows, least, most)
    return _merge_small(groups, mixed, least)


def _best_partition(mixed: np.ndarray, least: int, most: int) -> list[int]:
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import silhouette_score

    best: tuple[float, list[int]] | None = None
    for count in range(2, min(most, len(mixed) - 1) + 1):
        labels = AgglomerativeClustering(count, linkage="ward").fit_predict(mixed)
        sizes = np.bincount(labels)
        if len(set(labels)) < 2:
            continue
        score = float(silhouette_score(mixed, labels)) - 0.02 * abs(count - 3)
        score -= 0.05 * (sizes.min() < least) + 0.1 * (sizes.min() < 2) + 0.6 * max(0.0, sizes.max() / len(mixed) - 0.5)
        if best is None or score > best[0]:
            best = (score, [int(label) for label in labels])
    return best[1] if best else [0] * len(mixed)


def _split_large(groups: list[list[int]], rows: np.ndarray, least: int, most: int) -> list[list[int]]:
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import silhouette_score

    while len(groups) < most and max(map(len, groups)) > 9:
        large = max(groups, key=len)
        labels = AgglomerativeClustering(2, linkage="ward").fit_predict(rows[large])
        if (
            np.bincount(labels, minlength=2).min() < least
            or silhouette_score(rows[large], labels, metric="cosine") < 0.06
        ):
            break
        groups = [g for g in groups if g is not large]
        groups += [[i for i, label in zip(large, labels, strict=True) if label == part] for part in (0, 1)]
    return groups


def _merge_small(groups: list[list[int]], mixed: np.ndarray, least: int) -> list[list[int]]:
    """Groups below `least` join the group whose centre is nearest, as long as two groups remain."""
    groups = [list(g) for g in groups]
    while len(groups) > 1 and min(map(len, groups)) < least:
        small = min(groups, key=len)
        others = [g for g in groups if g is not small]
        centre = mixed[small].mean(axis=0)
        target = min(others, key=lambda g: float(np.linalg.norm(mixed[g].mean(axis=0) - centre)))
        groups = [sorted(g + small) if g is target else g for g in others]
    return groups


def nearest_last(groups: Sequence[list[int]], similarity: np.ndarray) -> list[list[int]]:
    """The groups ordered by the mean similarity of their best three papers to the focal one."""
    return sorted(groups, key=lambda g: float(np.sort(similarity[g])[-3:].mean()))


# ---------------------------------------------------------------- naming


@dataclass(frozen=True)
class Name:
    """A phrase (in normal form) that may name a group, with how well and for how much of the group."""

    phrase: str
    score: float
    coverage: float
    in_titles: float


class Naming:
    """Scores the phrases of groups of papers; holds what all groups share so that it is computed once."""

    def __init__(self, papers: Sequence[PaperText], rows: np.ndarray, encode: Encode, casing: Casing) -> None:
        self._papers = list(papers)
        self._rows = rows
        self._encode = encode
        self._casing = casing
        self._mean = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
        self._title_phrases = [names_in(paper.title) for paper in papers]
        self._system_names = {normal(paper.voice.name) for paper in papers if paper.voice.name}

    def names(self, members: Sequence[int], used: Collection[str] = (), most: int = 6) -> list[Name]:
        """The best names of a group, best first, none a part of another or close to one already used."""
        inside = [self._papers[i] for i in members]
        chosen = set(members)
        outside = [paper for i, paper in enumerate(self._papers) if i not in chosen]
        candidates = self._candidates(inside, members, 0.25) or self._candidates(inside, members, 0.0)
        if not candidates:
            return []
        scored = self._score(candidates, members, inside, outside)
        scored = self._away_from(sorted(scored, key=lambda n: (-n.score, n.phrase))[:40], used)
        picked: list[Name] = []
        for name in sorted(scored, key=lambda n: (-n.score, n.phrase)):
            words = set(name.phrase.split())
            clash = any(
                words <= set(other.phrase.split())
                or set(other.phrase.split()) <= words
                or name.phrase.split()[-1] == other.phrase.split()[-1]
                for other in picked
            )
            if not clash and name.phrase not in used:
                picked.append(name)
            if len(picked) == most:
                break
        return picked

    def printed(self, phrase: str, members: Sequence[int]) -> str:
        """A name as the group writes it, in the plural where it counts things."""
        return display_form(phrase, self.form(phrase, [self._papers[i] for i in members]))

    def form(self, phrase: str, papers: Sequence[PaperText]) -> str:
        """The commonest spelling of a phrase, in mid-sentence case."""
        counts: Counter[str] = Counter()
        for form, count in sorted(surface_forms(papers, phrase).items()):
            counts[self._casing.title(form)] += count
        ranked = sorted(counts.items(), key=lambda item: (item[0].isupper(), -item[1], item[0]))
        return ranked[0][0] if ranked else phrase

    def _candidates(self, inside: Sequence[PaperText], members: Sequence[int], share: float) -> list[str]:
        counts = Counter(phrase for paper in inside for phrase in paper.phrases.counts)
        least = max(2.0, share * len(inside)) if len(inside) > 1 else 1
        return sorted(
            phrase
            for phrase in counts
            if can_name(phrase)
            and phrase not in self._system_names
            and self._single_is_special(phrase, members, inside)
            and self._is_whole(phrase)
            and self._form_is_plain(self.form(phrase, inside))
            and document_count(inside, phrase) >= least
        )

    def _single_is_special(self, phrase: str, members: Sequence[int], inside: Sequence[PaperText]) -> bool:
        if " " in phrase:
            return rarity(phrase) > 0.25
        in_title = any(phrase in self._title_phrases[i] for i in members)
        return rarity(phrase) > 0.35 and (in_title or document_count(inside, phrase) >= 0.4 * len(inside))

    def _is_whole(self, phrase: str) -> bool:
        """Whether the phrase is a term and not a piece of a longer one, by where its noun phrases begin and end."""
        ends, begins, uses = 0, 0, 0
        for paper in self._papers:
            if phrase in paper.phrases.bounds:
                inner, final = paper.phrases.bounds[phrase]
                ends, uses = ends + final, uses + inner + final
                begins += paper.phrases.starts[phrase][1]
        return ends >= 0.6 * uses and (" " not in phrase or begins >= 0.2 * uses)

    @staticmethod
    def _form_is_plain(form: str) -> bool:
        """No acronyms and no proper names, but eponyms may stand in a phrase."""
        words = form.split()
        if "-to-" in form or any(re.search(r"[A-Z]{2}|[a-z][A-Z]", word) for word in words):
            return False
        capitals = [word for word in words if word[:1].isupper()]
        return all(any(part in EPONYMS for part in word.split("-")) for word in capitals)

    def _score(
        self, phrases: Sequence[str], members: Sequence[int], inside: Sequence[PaperText], outside: Sequence[PaperText]
    ) -> list[Name]:
        embedded = self._encode(list(phrases))
        centre = self._rows[list(members)].mean(axis=0)
        gain = centre - self._mean
        names = []
        for phrase, vector in zip(phrases, embedded, strict=True):
            here = document_count(inside, phrase) / len(inside)
            there = document_count(outside, phrase) / max(1, len(outside))
            titles = sum(phrase in self._title_phrases[i] for i in members) / len(inside)
            length = (0.35, 1.0, 1.05, 0.9)[min(len(phrase.split()), 4) - 1]
            score = here**0.95 * max(0.05, math.log((here + 0.1) / (there + 0.1))) * length * (1 + titles)
            score *= (0.35 + float(vector @ centre)) * (1 + 2 * float(vector @ gain)) * rarity(phrase)
            names.append(Name(phrase, score, here, titles))
        return names

    def _away_from(self, names: Sequence[Name], used: Collection[str]) -> list[Name]:
        """Names fall in score when they are close to one that is used already."""
        if not used or not names:
            return list(names)
        close = (self._encode([n.phrase for n in names]) @ self._encode(sorted(used)).T).max(axis=1)
        return [
            Name(n.phrase, n.score * (1 - max(0.0, float(c) - 0.55) * 1.6), n.coverage, n.in_titles)
            for n, c in zip(names, close, strict=True)
        ]


def is_generic_title(title: str) -> bool:
    """Whether a title says nothing of its papers."""
    words = normal(title).split()
    return not words or all(word in GENERIC_WORDS for word in words)
