"""Pages into passages, and the two kinds of evidence into one order."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.index.hybrid import combined
from marwg.index.passages import MAX_CHARACTERS, MAX_WORDS, passages_of
from marwg.types import Page

SENTENCE = "The model of Li et al. (2020) reads words, e.g. nouns, and gives 3.5 points more than others do. "


def test_passages_end_with_sentences_and_lose_nothing():
    page = Page(paper_id="pa", number=7, text=SENTENCE * 40)
    passages = passages_of([page])
    assert len(passages) == 5
    assert all(p.text.endswith("do.") and p.text.startswith("The model") for p in passages)
    assert {(p.paper_id, p.page) for p in passages} == {("pa", 7)}
    assert " ".join(p.text for p in passages) == page.text.strip()
    sizes = [len(p.text.split()) for p in passages]
    assert max(sizes) <= MAX_WORDS
    assert min(sizes) > MAX_WORDS / 2, "no short rest"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=400), max_size=4), st.integers(1, 60))
def test_offsets_are_exact_and_every_word_is_in_one_passage(texts, times):
    pages = [Page(paper_id="pa", number=n, text=text * times) for n, text in enumerate(texts, 1)]
    passages = passages_of(pages)
    by_page = {page.number: page.text for page in pages}
    for passage in passages:
        assert passage.text == by_page[passage.page][passage.start : passage.end]
        assert passage.text.strip()
        assert len(passage.text.split()) <= MAX_WORDS
        assert len(passage.text) <= 2 * MAX_CHARACTERS
    for page in pages:
        inside = [p for p in passages if p.page == page.number]
        assert all(a.end <= b.start for a, b in itertools.pairwise(inside))
        assert "".join("".join(p.text for p in inside).split()) == "".join(page.text.split())


def test_the_hybrid_order():
    cosines = {"pa": 0.9, "pb": 0.8, "pc": 0.1}
    assert [h.paper_id for h in combined(cosines, {}, 10)] == ["pa", "pb", "pc"]
    hits = combined(cosines, {"pb": 12.0, "pc": 1.0}, 2)
    assert [h.paper_id for h in hits] == ["pb", "pa"]
    assert [h.similarity for h in hits] == [0.8, 0.9]
    assert combined({}, {}, 5) == []
    assert combined({"pa": 0.5, "pb": 0.5}, {"pa": 1.0, "pb": 1.0}, 5)[0].score == pytest.approx(0.0)
