"""The smallest changes that may bring a claim back to its source: a number, a direction, a name, or a clause less."""

import re
from collections.abc import Iterator, Sequence

from marwg.text.markup import MARKER, citations_of, marker, tidy
from marwg.text.quantities import Quantity, backed, quantities
from marwg.text.wording import content_words, names_in, opposite_direction, overlap, stem

_CLAUSE = re.compile(
    r",\s*(?:(?:and|but|while|whereas|which|making|outperforming|achieving|without|thereby|thus|although|yet|so|as|by|with|in)\b)?|"
    r"\s(?=(?:but|without|while|whereas|although)\s)"
)
_SHARED = 0.5
"""Share of a clause's words that the source must have for it to stay."""

_HARDLY = 0.25

_FEWEST = 3
"""Words of content that a clause must have to be judged by itself."""

_SHORTEST = 5
"""Words that are left of a sentence at least when a clause goes."""


def repaired(sentence: str, source: str, nearest: Sequence[str]) -> Iterator[str]:
    """Sentences with less wrong, the one with the fewest changes first; `nearest` are the source's own, best first.

    Each keeps the citations. None is checked here.
    """
    seen = {sentence}
    for change in (_numbers, _directions, _names):
        better = change(sentence, source, nearest)
        if better and better not in seen:
            seen.add(better)
            yield better
            sentence = better  # what is right stays right for the next change
    for shorter in _clauses(sentence, source):
        if shorter not in seen:
            seen.add(shorter)
            yield shorter


# ---------------------------------------------------------------- numbers


def _numbers(sentence: str, source: str, nearest: Sequence[str]) -> str:
    """Numbers that the source lacks replaced by those of its nearest sentence, where only one can be meant."""
    stated = quantities(source)
    text = MARKER.sub(lambda m: " " * len(m.group()), sentence)
    claimed = quantities(text)
    wrong = [q for q in claimed if not backed(q, stated, source)]
    if not wrong:
        return _exchanged(sentence, claimed, nearest)
    for near in nearest[:2]:
        rest = [q for q in quantities(near) if not any(_same(q, c) for c in claimed if c not in wrong)]
        changed = sentence
        for number in wrong:
            fits = [q for q in rest if (q.unit, q.year) == (number.unit, number.year)]
            if len(fits) > 1:  # what is counted tells which
                counted = _counted(text, number.words)
                fits = [q for q in fits if counted and _counted(near, q.words) == counted]
            if len(fits) != 1:
                changed = ""
                break
            changed = _put(changed, number.words, fits[0].words)
            rest.remove(fits[0])
        if changed:
            return changed
    return ""


def _counted(text: str, number: str) -> str:
    """The word right behind a number."""
    match = re.search(rf"(?<![\w.]){re.escape(number)}(?!\w)\W+(\w+)", text)
    return stem(match[1].lower()) if match else ""


def _exchanged(sentence: str, claimed: Sequence[Quantity], nearest: Sequence[str]) -> str:
    """The same numbers in the order of the nearest sentence, where it has all of them and words alike."""
    plain = [q for q in claimed if not q.spelled and not q.year]
    for near in nearest[:1]:
        order = [q.words for q in quantities(near) if any(_same(q, c) for c in plain)]
        mine = [q.words for q in plain]
        if len(order) == len(mine) >= 2 and sorted(order) == sorted(mine) and order != mine:
            return _in_order(sentence, order)
    return ""


def _in_order(sentence: str, words: Sequence[str]) -> str:
    """The sentence with these numbers, which it has, in this order."""
    slots = iter(words)
    pattern = "|".join(rf"(?<![\w.]){re.escape(w)}(?!\w)" for w in sorted(set(words), key=len, reverse=True))
    return re.sub(pattern, lambda m: next(slots, m.group()), sentence)


def _same(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value and one.unit == other.unit


def _put(sentence: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda m: new, sentence, count=1)


# ---------------------------------------------------------------- directions and names


def _directions(sentence: str, source: str, nearest: Sequence[str]) -> str:
    """A direction word replaced by that of the nearest sentence that points the other way, in its own form."""
    plain = MARKER.sub(" ", sentence)
    for near in nearest[:3]:
        pair = opposite_direction(plain, near)
        if pair:
            word, theirs = pair[0].lower(), pair[1].lower()
            return re.sub(rf"\b{re.escape(word)}\b", _formed(theirs, word), sentence, count=1, flags=re.IGNORECASE)
    return ""


def _formed(word: str, like: str) -> str:
    """ "improves" like "degrade" is "improve"; a form that would need more than an ending stays as the source has it."""
    for ending in ("ing", "ed", "s", ""):
        if like.endswith(ending):
            stem = re.sub(r"(?:ing|ed|es|s)$", "", word)
            if word in _FIXED:
                return word
            joined = "e" if stem[-1:] in "cvz" or stem.endswith(("rov", "eas", "rad", "uc")) else ""
            return {"ing": f"{stem}ing", "ed": f"{stem}ed", "s": f"{stem}{joined}s", "": f"{stem}{joined}"}[ending]
    return word


_FIXED = frozenset(
    "better worse higher lower larger smaller longer shorter faster slower more less fewer superior inferior".split()
)


def _names(sentence: str, source: str, nearest: Sequence[str]) -> str:
    """A name that the source lacks replaced by the one that its nearest sentence has and the claim has not."""
    plain = MARKER.sub(" ", sentence)
    squeezed = _squeezed(source)
    strange = [n for n in names_in(plain) if _squeezed(n) not in squeezed]
    if len(strange) != 1:
        return ""
    for near in nearest[:2]:
        fits = [n for n in names_in(near) if n not in plain]
        if len(fits) == 1 and overlap(content_words(plain.replace(strange[0], " ")), content_words(near)) >= _SHARED:
            return sentence.replace(strange[0], fits[0], 1)
    return re.sub(
        rf"\s+(?:on|with|using|over|via|called|named)\s+(?:the\s+)?{re.escape(strange[0])}(?=\W)", "", sentence
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


# ---------------------------------------------------------------- clauses


def _clauses(sentence: str, source: str) -> Iterator[str]:
    """The sentence without one clause that the source has no words for, later clauses first; citations stay."""
    known = content_words(source)
    for start, end in reversed(_spans(sentence)):
        clause = sentence[start:end]
        words = content_words(MARKER.sub(" ", clause))
        if words and overlap(words, known) > _SHARED:
            continue
        lost = citations_of(clause)
        shorter = f"{sentence[:start]} {marker(lost)}{sentence[end:]}"
        if len(MARKER.sub(" ", shorter).split()) >= _SHORTEST:
            yield tidy(shorter)


def unborne(sentence: str, source: str) -> str:
    """A clause of which the source has hardly a word, in a sentence whose rest it has; empty where there is none."""
    known = content_words(source)
    for start, end in _spans(sentence):
        words = content_words(sentence[start:end])
        rest = content_words(f"{sentence[:start]} {sentence[end:]}")
        if len(words) >= _FEWEST and overlap(words, known) <= _HARDLY and overlap(rest, known) >= _SHARED:
            return sentence[start:end].strip(" ,")
    return ""


def _spans(sentence: str) -> list[tuple[int, int]]:
    """Where the clauses behind the first one begin and end."""
    cuts = [m.start() for m in _CLAUSE.finditer(sentence) if not _inside(sentence, m.start())]
    return list(zip(cuts, [*cuts[1:], len(sentence.rstrip(" ."))][: len(cuts)], strict=True))


def _inside(sentence: str, position: int) -> bool:
    """Whether a place is inside a marker or brackets."""
    before = sentence[:position]
    return before.count("[") > before.count("]") or before.count("(") > before.count(")")
