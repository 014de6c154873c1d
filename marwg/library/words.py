"""BM25 over titles and abstracts in memory: a query of a whole abstract takes a millisecond or two.

SQLite's own ranking takes a hundred at 8,000 papers, and counts a word of the query once however often it is there.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from marwg.types import PaperId

K1, B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_STOPWORDS = frozenset(
    "a about above after all also an and any are as at be been before being below between both but by can could did do does"
    " each few for from further had has have he her here his how i if in into is it its itself may more most no nor not of on"
    " once only or other our out over own same she should so some such than that the their them then there these they this"
    " those through to too under until up very was we were what when where which while who whom why will with would you your".split()
)


def words_of(text: str) -> list[str]:
    """The words of a text that say something, in small letters."""
    return [word for word in _WORD.findall(text.casefold()) if word not in _STOPWORDS]


class WordIndex:
    """Which paper has which word how often; a paper whose text did not change is not read again."""

    def __init__(self) -> None:
        self._stems = _Stems()
        self._terms: dict[PaperId, tuple[str, np.ndarray]] = {}
        self._ids: list[PaperId] = []
        self._places: dict[PaperId, int] = {}
        self._starts = np.zeros(1, dtype=np.int64)
        self._papers = np.zeros(0, dtype=np.int32)
        self._weights = np.zeros(0, dtype=np.float32)
        self._last = ("", self._weights)  # a search asks twice for one query

    def keep_up(self, papers: Iterable[tuple[PaperId, str, str]]) -> None:
        """Takes over the papers of the library, all of them: id, digest, text."""
        rows = list(papers)
        known = dict(self._terms)
        new = [row for row in rows if row[0] not in known or known[row[0]][0] != row[1]]
        words = [words_of(text) for _, _, text in new]
        numbers = self._stems.numbers(word for each in words for word in each)
        for (one, digest, _), each in zip(new, words, strict=True):
            known[one] = (digest, np.asarray([numbers[w] for w in each], dtype=np.int64))
        self._terms = {one: known[one] for one, _, _ in rows}
        self._ids = [one for one, _, _ in rows]
        self._places = {one: place for place, one in enumerate(self._ids)}
        self._weigh()

    def _weigh(self) -> None:
        """The weight of each word in each paper, by word."""
        count, terms = len(self._ids), [self._terms[i][1] for i in self._ids]
        lengths = np.asarray([len(each) for each in terms], dtype=np.float64)
        numbers = np.concatenate([np.zeros(0, dtype=np.int64), *terms])
        places = np.repeat(np.arange(count, dtype=np.int64), [len(each) for each in terms])
        cells, times = np.unique(numbers * count + places, return_counts=True)
        term, self._papers = cells // max(count, 1), (cells % max(count, 1)).astype(np.int32)
        self._starts = np.searchsorted(term, np.arange(len(self._stems) + 1))
        spread = np.diff(self._starts)
        rarity = np.log(1 + (count - spread + 0.5) / (spread + 0.5))
        relative = lengths / max(float(lengths.mean()), 1e-9) if count else lengths
        damped = times + K1 * (1 - B + B * relative[self._papers])
        self._last = ("", np.zeros(count, dtype=np.float32))
        self._weights = (rarity[term] * times * (K1 + 1) / damped).astype(np.float32)

    def scores(self, query: str) -> np.ndarray:
        """BM25 of every paper; a word that the query has n times counts √n times."""
        if self._last[0] == query:
            return self._last[1]
        total = np.zeros(len(self._ids), dtype=np.float32)
        asked = words_of(query)
        numbers = self._stems.numbers(asked, grow=False)
        for number, times in sorted(Counter(numbers[w] for w in asked if w in numbers).items()):
            if number + 1 < len(self._starts):
                place = slice(self._starts[number], self._starts[number + 1])
                total[self._papers[place]] += self._weights[place] * times**0.5
        self._last = (query, total)
        return total

    def best(self, query: str, limit: int, ids: Sequence[PaperId] | None = None) -> list[tuple[PaperId, float]]:
        """The papers that share most with the query, best first; with `ids`, among these only."""
        scores = self.scores(query)
        among = None if ids is None else [self._places[i] for i in ids if i in self._places]
        places = np.arange(len(scores)) if among is None else np.asarray(among, dtype=np.int64)
        places = places[scores[places] > 0]
        order = places[np.lexsort((places, -scores[places]))][:limit]
        return [(self._ids[place], float(scores[place])) for place in order]


class _Stems:
    """Words to the numbers of their stems, by the Porter stemmer that SQLite has."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._of_stem: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._of_stem)

    def numbers(self, words: Iterable[str], grow: bool = True) -> Mapping[str, int]:
        """The number of each word; with `grow` unknown stems get one, otherwise their words are left out."""
        wanted = set(words)
        new = sorted(wanted - self._number_of.keys())
        if not new:
            return self._number_of
        stems = dict(zip(new, _stemmed(new), strict=True))
        if not grow:
            return self._number_of | {w: self._of_stem[s] for w, s in stems.items() if s in self._of_stem}
        for word, stem in stems.items():
            self._number_of[word] = self._of_stem.setdefault(stem, len(self._of_stem))
        return self._number_of


def _stemmed(words: Sequence[str]) -> list[str]:
    """The stem of each word; one that SQLite cuts in pieces or does not know stays as it is."""
    with_stems: dict[int, list[str]] = {}
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize='porter', content='')")
        connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance')")
        rows = ((number, word) for number, word in enumerate(words, 1))
        connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", rows)
        for stem, number in connection.execute("SELECT term, doc FROM terms"):
            with_stems.setdefault(number, []).append(stem)
    finally:
        connection.close()
    return [stems[0] if len(stems := with_stems.get(n, [])) == 1 else word for n, word in enumerate(words, 1)]
