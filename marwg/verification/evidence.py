"""R_c: the passages of a cited paper that a claim is checked against, and the words in them that carry it."""

from collections.abc import Sequence

import numpy as np

from marwg.text.markup import split_sentences
from marwg.text.sources import find_quote
from marwg.text.wording import content_words, overlap
from marwg.types import ABSTRACT_PAGE, Evidence, Paper, Passage

PASSAGES = 4
"""Pages' passages of one paper that are read for a claim, beside its abstract."""

FAR_MORE = 0.25
"""Difference of `nearness` from which on another paper is taken for the likelier source."""


def abstract_passage(paper: Paper) -> Passage | None:
    """The abstract as a passage; nothing where there is none."""
    text = paper.abstract
    if not text.strip():
        return None
    return Passage(paper_id=paper.paper_id, page=ABSTRACT_PAGE, start=0, end=len(text), text=text)


def choose(
    claim: str,
    vector: np.ndarray,
    passages: Sequence[tuple[Passage, np.ndarray]],
    used: Sequence[Passage] = (),
    limit: int = PASSAGES,
) -> tuple[tuple[Passage, float], ...]:
    """The passages nearest to a claim by vector and by its words, best first; those in `used` come before all."""
    wanted = content_words(claim)
    scored = []
    for place, (passage, row) in enumerate(passages):
        dense = float(np.dot(vector, row))
        scored.append((dense + 0.5 * overlap(wanted, content_words(passage.text)), -place, passage))
    ranked = [(passage, score) for score, _, passage in sorted(scored, key=lambda s: (-s[0], -s[1]))]
    kept = [(p, s) for p, s in ranked if any(_within(u, p) for u in used)]
    return tuple((kept + [r for r in ranked if r not in kept])[:limit])


def nearness(claim: str, vector: np.ndarray, paper: Paper, row: np.ndarray) -> float:
    """How near a claim is to title and abstract of a paper, by vector and by its words."""
    return float(np.dot(vector, row)) + 0.5 * overlap(
        content_words(claim), content_words(f"{paper.title} {paper.abstract}")
    )


def _within(inner: Passage, outer: Passage) -> bool:
    return (
        inner.paper_id == outer.paper_id
        and inner.page == outer.page
        and outer.start <= inner.start
        and inner.end <= outer.end
    )


def marked(claim: str, passage: Passage, score: float, quotes: Sequence[str] = ()) -> Evidence:
    """A passage with the spans that carry the support: the quotes of the judges, else its sentence nearest to the claim."""
    spans = [span for quote in quotes if quote and (span := find_quote(quote, passage.text))]
    if not spans:
        spans = list(_nearest_sentence(claim, passage.text))
    return Evidence(passage=passage, score=round(score, 4), marks=_joined(spans))


def _nearest_sentence(claim: str, text: str) -> tuple[tuple[int, int], ...]:
    wanted = content_words(claim)
    best: tuple[float, int, int] = (0.3, -1, -1)
    position = 0
    for sentence in split_sentences(text):
        span = _locate(sentence, text, position)
        if span is None:
            continue
        position = span[1]
        share = overlap(wanted, content_words(sentence))
        if share > best[0]:
            best = (share, *span)
    return ((best[1], best[2]),) if best[1] >= 0 else ()


def _locate(sentence: str, text: str, start: int) -> tuple[int, int] | None:
    """Where a sentence stands in a text whose white space it has lost."""
    words = sentence.split()
    begin = text.find(words[0], start)
    if begin < 0:
        return None
    position = begin
    for word in words:
        position = text.find(word, position)
        if position < 0:
            return None
        position += len(word)
    return begin, position


def _joined(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
