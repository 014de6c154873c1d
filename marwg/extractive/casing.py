"""Lower case where titles and expansions have capitals, by how the papers themselves and common usage write a word."""

import re
from collections import Counter
from collections.abc import Iterable

from marwg.extractive.acronyms import EPONYMS, definitions, lower_words
from marwg.extractive.generic import is_common_word
from marwg.extractive.text import capitalise

_MIDDLE = re.compile(r"(?<=[a-z,] )[A-Za-z][\w*+-]*")
_TITLE_WORD = re.compile(r"^[A-Z][a-z]+(?:-[A-Z]?[a-z]+)*$")
_INNER_CAPITAL = re.compile(r"[a-z].*[A-Z]|[A-Z].*[A-Z]|\d")


class Casing:
    """How often words stand in mid-sentence, in each of their forms."""

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._counts = Counter(word for text in texts for word in _MIDDLE.findall(text))
        self._names = frozenset(names)

    def _lower(self, word: str) -> bool:
        """Whether the papers themselves write a capitalised word small."""
        if word in EPONYMS or word in self._names:
            return False
        lower = self._counts[word.lower()]
        return lower >= 2 and lower >= self._counts[word]

    def _ordinary(self, word: str) -> bool:
        """Whether a word of a long form is vocabulary rather than a name."""
        if word in EPONYMS or word in self._names:
            return False
        return self._counts[word.lower()] > 0 or is_common_word(word.lower())

    def title(self, title: str) -> str:
        """A title, or a part of one, as it would stand in mid-sentence."""
        return " ".join(self._title_word(word) for word in title.split(" "))

    def _title_word(self, word: str) -> str:
        core = re.sub(r"^\W+|\W+$", "", word)
        if not core or core.islower() or (_INNER_CAPITAL.search(core) and "-" not in core):
            return word
        if "-" in core:
            parts = [
                p if _INNER_CAPITAL.search(p) or p in EPONYMS or p in self._names else p.lower()
                for p in core.split("-")
            ]
            return word.replace(core, "-".join(parts))
        if core in EPONYMS or core in self._names:
            return word
        if self._counts[core] > self._counts[core.lower()] and not is_common_word(core.lower()):
            return word
        return word.replace(core, core.lower())

    def sentence(self, sentence: str) -> str:
        """The sentence with Title Case phrases lowered: whole phrases or not at all."""
        for acronym, long_form in definitions(sentence).items():
            sentence = sentence.replace(f"{long_form} ({acronym}", f"{lower_words(long_form)} ({acronym}")
        words = sentence.split(" ")
        cores = [re.sub(r"^\W+|\W+$", "", word) for word in words]
        quoted = _inside_quotes(words)
        titled = [bool(_TITLE_WORD.match(core)) and not inside for core, inside in zip(cores, quoted, strict=True)]
        for first, last in _runs(words, titled):
            following = words[last + 1] if last + 1 < len(words) else ""
            inner = [k for k in range(max(first, 1), last + 1) if titled[k]]
            if following.startswith("[@") or following == "et" or any(words[k - 1].endswith((".", ":")) for k in inner):
                continue
            test = self._ordinary if re.match(r"\([A-Z][\w-]*[A-Z]", following) else self._lower
            if all(test(cores[k]) for k in inner):
                for k in inner:
                    words[k] = words[k].replace(cores[k], cores[k].lower())
        return capitalise(" ".join(words))


_JOINS = frozenset("and of for with in to via from by on the".split())


def _runs(words: list[str], titled: list[bool]) -> list[tuple[int, int]]:
    """Stretches of capitalised words, joined over small words between them: "Recognition and Reasoning"."""
    runs: list[tuple[int, int]] = []
    for k in (k for k in range(len(words)) if titled[k]):
        if runs:
            between = words[runs[-1][1] + 1 : k]
            before = words[runs[-1][1]]
            if (
                len(between) <= 2
                and all(word in _JOINS for word in between)
                and not before.endswith((",", ".", ";", ":", ")"))
            ):
                runs[-1] = (runs[-1][0], k)
                continue
        runs.append((k, k))
    return runs


def _inside_quotes(words: list[str]) -> list[bool]:
    """Which words stand between double quotes."""
    inside, flags = False, []
    for word in words:
        opens = word.count('"') % 2 == 1
        flags.append(inside or opens or word.count('"') == 2)
        inside = inside != opens
    return flags
