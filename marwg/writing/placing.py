"""Whether the numbers of a claim stand where the source has them: at the same things, and in the same order."""

import re
from collections.abc import Sequence

from marwg.text.quantities import Quantity, backed, quantities
from marwg.text.wording import content_words, overlap, stem

ALIKE = 0.5
"""Share of a claim's words in a sentence from which on the two are taken to speak of the same."""

_IN_ORDER = 0.75


def exchanged(claim: str, sentences: Sequence[str]) -> tuple[str, str]:
    """The numbers that a claim has in another order than the sentence that it otherwise follows, and that sentence."""
    mine = _counted(claim)
    if len({q.value for q in mine}) < 2:
        return "", ""
    wanted = content_words(claim)
    for sentence in _nearest(wanted, sentences)[:2]:
        theirs = [q for q in _counted(sentence) if any(q.value == m.value for m in mine)]
        values = [q.value for q in mine]
        order = [q.value for q in theirs]
        if len(set(values)) != len(values) or sorted(values) != sorted(order) or values == order:
            continue
        if _same_order(claim, sentence):
            return " and ".join(q.words for q in mine), sentence
    return "", ""


def elsewhere(claim: str, sentences: Sequence[str]) -> tuple[str, str]:
    """A number that the source has, but not in the sentences that say what the claim says and have other numbers there."""
    mine = _counted(claim)
    if not mine:
        return "", ""
    wanted = content_words(re.sub(r"\d[\d.,]*", " ", claim))
    close = [s for s in _nearest(wanted, sentences)[:2] if overlap(wanted, content_words(s)) >= 0.7]
    if not close or not _counted(close[0]):
        return "", ""
    joined = " ".join(close)
    stated = quantities(joined)
    for number in mine:
        if not backed(number, stated, joined):
            return number.words, close[0]
    return "", ""


def _counted(text: str) -> list[Quantity]:
    return [q for q in quantities(text) if not q.year and not q.spelled]


def _nearest(wanted: frozenset[str], sentences: Sequence[str]) -> list[str]:
    scored = [(overlap(wanted, content_words(s)), -n, s) for n, s in enumerate(sentences)]
    return [s for score, _, s in sorted(scored, reverse=True) if score >= ALIKE]


def _same_order(claim: str, sentence: str) -> bool:
    """Whether the words that both have once come in the same order."""
    mine, theirs = _words(claim), _words(sentence)
    both = [w for w in mine if mine.count(w) == theirs.count(w) == 1]
    if len(both) < 2:
        return False
    places = [theirs.index(w) for w in both]
    pairs = [(a, b) for n, a in enumerate(places) for b in places[n + 1 :]]
    return sum(a < b for a, b in pairs) / len(pairs) >= _IN_ORDER


def _words(text: str) -> list[str]:
    kept = content_words(text)
    return [w for w in (stem(t) for t in re.findall(r"[a-z]+", text.lower())) if w in kept]
