"""BM25 in memory: the formula, the order, and keeping up with the library."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.library import Library
from marwg.library.words import K1, B, WordIndex, words_of
from marwg.types import Paper

TEXTS = {
    "pa": "Ranking passages for questions",
    "pb": "Passage ranking and passage ranking again",
    "pc": "Cats sleep, dogs bark",
}


def index_of(texts: dict[str, str]) -> WordIndex:
    index = WordIndex()
    index.keep_up((i, text, text) for i, text in texts.items())
    return index


def bm25(term_in: dict[str, int], one: str, texts: dict[str, str]) -> float:
    """The formula for one word, written down plainly."""
    lengths = {i: len(words_of(text)) for i, text in texts.items()}
    mean = sum(lengths.values()) / len(lengths)
    rarity = math.log(1 + (len(texts) - len(term_in) + 0.5) / (len(term_in) + 0.5))
    times = term_in.get(one, 0)
    return rarity * times * (K1 + 1) / (times + K1 * (1 - B + B * lengths[one] / mean)) if times else 0.0


def test_the_formula_with_stems():
    index = index_of(TEXTS)
    wanted = {i: bm25({"pa": 1, "pb": 2}, i, TEXTS) for i in TEXTS}
    assert dict(index.best("passages", 9)) == pytest.approx({i: s for i, s in wanted.items() if s})
    twice = {i: score * 2**0.5 for i, score in wanted.items() if score}
    assert dict(index.best("passage passages", 9)) == pytest.approx(twice)


def test_order_limit_and_choice():
    index = index_of(TEXTS)
    assert [i for i, _ in index.best("ranking passages", 9)] == ["pb", "pa"]
    assert [i for i, _ in index.best("ranking passages", 1)] == ["pb"]
    assert [i for i, _ in index.best("ranking passages", 9, ["pa", "pc", "nobody"])] == ["pa"]
    assert index.best("the of zebra", 9) == []
    assert index_of({}).best("ranking", 9) == []
    assert index_of({"p": ""}).best("ranking", 9) == []


words = st.lists(st.sampled_from("cat dog cats naïve straße 日本 x1 the running runs".split()), max_size=12)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), words.map(" ".join), max_size=6), words.map(" ".join))
def test_keeping_up_is_the_same_as_beginning_anew(texts, query):
    index = index_of({"z": "dog runs", **texts})
    index.scores(query)
    index.keep_up((i, text, text) for i, text in texts.items())
    assert dict(index.best(query, 9)) == pytest.approx(dict(index_of(texts).best(query, 9)), rel=1e-4)


def test_the_library_searches_what_it_holds_now(tmp_path):
    library = Library(tmp_path / "library.db")
    library.add([Paper(paper_id="p1", key="a", title="Naïve ranking", abstract="Of passages")])
    assert [i for i, _ in library.lexical("naive passage", 5)] == ["p1"]
    library.add([Paper(paper_id="p2", key="b", title="Ranking")])
    assert {i for i, _ in library.lexical("rank", 5)} == {"p1", "p2"}
    library.remove(["p1"])
    assert [i for i, _ in library.lexical("ranking", 5)] == ["p2"]
    library.close()
