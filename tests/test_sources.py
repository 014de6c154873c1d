"""Papers as tasks show them, ids of replies, and quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.tasks import CardReply
from marwg.text.sources import appeared, cited_as, find_quote, match_ids, same_title, source_of
from marwg.types import Page, Paper, Passage


def paper(**facts) -> Paper:
    return Paper(**{"paper_id": "p1", "key": "k", "title": "A Title"} | facts)


@pytest.mark.parametrize(
    ("authors", "cited"),
    [
        ((), ""),
        (("Li, Wei",), "Li"),
        (("Li, Wei", "Wu, Ana"), "Li and Wu"),
        (("Li, Wei", "Wu, Ana", "Roe, J."), "Li et al."),
        (("van der Berg, Jan", "de la Cruz, Maria"), "van der Berg and de la Cruz"),
        (("Humboldt, Alexander von",), "Humboldt"),
        (("King, Jr., Martin Luther",), "King"),
        (("OpenAI",), "OpenAI"),
        (("{Barnes and Noble, Inc.}",), "Barnes and Noble, Inc."),
        (("NLLB Team", "Costa-jussà, Marta R."), "NLLB Team and Costa-jussà"),
        (("Brown, Tom", "others"), "Brown et al."),
        (("others",), ""),
        (("{\\'E}cole, A.",), "\\'Ecole"),
        (("李, 明",), "李"),
        (("  O'Neil ,  Cathy", ""), "O'Neil"),
    ],
)
def test_authors_as_cited(authors, cited):
    assert cited_as(paper(authors=authors)) == cited


def test_a_source_has_what_the_paper_has():
    pages = [Page(paper_id="p1", number=3, text="Third."), Page(paper_id="p1", number=4, text=" ")]
    passage = Passage(paper_id="p1", page=7, start=2, end=5, text="abc")
    source = source_of(paper(authors=("Li, Wei",), year=2020, abstract="One two three."), [*pages, passage])
    assert (source.id, source.title, source.authors, source.year) == ("p1", "A Title", "Li", 2020)
    assert [(p.page, p.text) for p in source.passages] == [(3, "Third."), (7, "abc")]
    assert source.abstract == "One two three."
    assert source_of(paper(abstract="One two three."), words=2).abstract == "One two …"
    assert source_of(paper(abstract="One two three."), words=3).abstract == "One two three."
    assert source_of(paper(abstract="One two three."), words=0).abstract == ""


def test_titles_of_one_paper():
    assert same_title("{BERT}: Pre-training of Deep Transformers", "BERT — pre-training of  deep transformers.")
    assert same_title("Attention Is All You Need", "Attention is all you needs")
    assert not same_title("Foundations of reading, part 1", "Foundations of reading, part 2")
    assert not same_title("", "")
    assert not same_title("Dense passage retrieval", "Sparse passage retrieval")


@pytest.mark.parametrize(
    ("arxiv_id", "year", "first"),
    [
        ("2310.11511", 2024, (2023, 10)),
        ("2310.11511", 2023, (2023, 10)),
        ("2310.11511", 2021, (2021, 1)),  # printed before it was on arXiv
        ("cs/9901014", None, (1999, 1)),
        ("math.GT/0309136", None, (2003, 9)),
        ("", 2020, (2020, 1)),
        ("", None, None),
    ],
)
def test_when_a_paper_appeared(arxiv_id, year, first):
    assert appeared(paper(arxiv_id=arxiv_id, year=year)) == first


def test_replies_are_sorted_by_the_ids_asked_for():
    said = [CardReply(id=i, relation_reason=str(n)) for n, i in enumerate(["p3", "[@p1]", "p9", "p3"])]
    matched = match_ids(said, ["p1", "p2", "p3"])
    assert list(matched.found) == ["p1", "p3"]
    assert matched.found["p3"].relation_reason == "0"
    assert (matched.missing, matched.unknown) == (("p2",), ("p9",))


# ---------------------------------------------------------------- quotes

TEXT = (
    "Recent work on “dense retrieval” is costly. We propose ColBERT-X, a late-\ninteraction model that scores\n"
    "ﬁne-grained matches. It improves nDCG by 4.2 points over BM25, and it does not need labels. Café data is used."
)


def found(quote: str, text: str = TEXT) -> str | None:
    span = find_quote(quote, text)
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ('Recent work on "dense retrieval" is costly', "Recent work on “dense retrieval” is costly"),
        ("We propose ColBERT-X, a lateinteraction model", "We propose ColBERT-X, a late-\ninteraction model"),
        ("a late-interaction model that scores", "a late-\ninteraction model that scores"),
        ("“scores  fine-grained matches.”", "scores\nﬁne-grained matches"),
        ("it improves NDCG by 4.2 points", "It improves nDCG by 4.2 points"),
        ("cafe data", "Café data"),
        ("ColBERT–X", "ColBERT-X"),
        ("Café data is used.", "Café data is used."),
        ("Café data is used!", "Café data is used"),
        ("It improves the nDCG by 4.2 points over BM25", "It improves nDCG by 4.2 points over BM25"),
    ],
)
def test_what_is_there_is_found_where_it_is(quote, words):
    assert found(quote) == words


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " … ",
        "cost",  # a piece of a word
        "It improves nDCG by 4.7 points over BM25",  # another number
        "and it does need labels. Café data is used",  # a negation lost
        "The system raises ranking quality by a good margin over lexical search",  # a paraphrase
        "We propose ColBERT-Y",  # short, and not there
        TEXT + " And so the whole text is found in a quote that says much more than it does, at length.",
    ],
)
def test_what_is_not_there_is_not_found(quote):
    assert found(quote) is None


def test_nothing_is_found_in_an_empty_text():
    assert find_quote("anything at all, at some length", "") is None


words = st.lists(st.text("abcdefg", min_size=1, max_size=8), min_size=8, max_size=40)


@given(words, st.data())
def test_any_stretch_of_whole_words_is_found(parts, data):
    text = " ".join(parts)
    first = data.draw(st.integers(0, len(parts) - 1))
    last = data.draw(st.integers(first + 1, len(parts)))
    quote = " ".join(parts[first:last])
    span = find_quote(quote.upper().replace(" ", "\n "), text)
    assert span is not None
    assert text[slice(*span)] == quote


@given(st.text(max_size=60), st.text(max_size=200))
def test_offsets_are_always_within_the_text(quote, text):
    span = find_quote(quote, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)
