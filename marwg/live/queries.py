"""Queries for live sources from a title and an abstract: the title, and the phrases that carry the abstract. Pure."""

import re
from collections import Counter

from marwg.library.words import words_of
from marwg.types import Focal

PHRASES = 4
_BREAK = re.compile(r"[.,;:!?()\[\]{}\"“”—–/|\n]+|\s-\s")
_WEAK = frozenset(
    "show shows propose proposed present introduce use uses used using based new novel existing recent results result paper"
    " work approach approaches method methods study achieve achieves improve improves outperform outperforms demonstrate via"
    " across within without however despite thus well many several various one two three first second different however"
    " significantly respectively large-scale state-of-the-art provide provides enable enables require requires compared"
    " increasingly rapidly become remains remain often typically address addresses make makes leading lead leads including"
    " like given able towards toward among per due much further widely important key challenge challenges".split()
)


def queries_for(focal: Focal, phrases: int = PHRASES) -> list[str]:
    """The title without its name, then the phrases of the abstract that say most, strongest first."""
    name, colon, rest = focal.title.partition(":")
    title = rest.strip() if colon and len(name.split()) <= 3 and len(rest.split()) >= 3 else focal.title
    found = [" ".join(re.findall(r"[\w-]+", title)), *key_phrases(f"{focal.title}. {focal.abstract}", phrases)]
    return [q for q in dict.fromkeys(found) if q]


def key_phrases(text: str, count: int) -> list[str]:
    """The phrases of two to four words whose words come up most, none inside another or said twice."""
    runs = [run for part in _BREAK.split(text) for run in _runs(part)]
    weight = Counter(word.casefold() for run in runs for word in run)
    scored: dict[str, tuple[float, int]] = {}
    for place, run in enumerate(runs):
        for size in (4, 3, 2):
            for start in range(len(run) - size + 1):
                words = run[start : start + size]
                value = sum(weight[w.casefold()] for w in words) / size**0.5
                phrase = " ".join(words)
                old = scored.get(phrase.casefold())
                if old is None:
                    scored[phrase.casefold()] = (value, place)
    ordered = sorted(scored, key=lambda phrase: (-scored[phrase][0], scored[phrase][1], phrase))
    chosen: list[str] = []
    for phrase in ordered:
        new = set(phrase.split())
        if all(len(new & set(other.split())) <= len(new) // 2 for other in chosen):
            chosen.append(phrase)
        if len(chosen) == count:
            break
    return chosen


def _runs(part: str) -> list[list[str]]:
    """The stretches of words between the small and the weak ones."""
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", part):
        if not words_of(word) or word.casefold() in _WEAK or word.isdigit() or len(word) == 1:
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if len(run) > 1]
