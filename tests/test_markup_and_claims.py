"""Sentences, markers, Markdown and claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.text.markup import (
    add_citations,
    body,
    citations_of,
    keep_citations,
    markdown,
    normalise_markers,
    parse_body,
    parse_markdown,
    split_sentences,
    without_citations,
)
from marwg.types import POSITION, Draft, Passage, Section, Sentence
from marwg.verification.claims import claim_id, claims_of, contexts, parts_of, says_only_what_is_near, states_fact

IDS = st.sampled_from(["p1", "pa0b1c2d3", "p9", "10.1000/x-y"])
WORDS = st.lists(
    st.sampled_from("alpha Beta gamma 3.5 e.g. Fig. 2 et al. (delta) NAME iCaRL".split(" ")), min_size=1, max_size=8
)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = " ".join(draw(WORDS))
    marker = "; ".join(f"@{i}" for i in draw(st.lists(IDS, max_size=2, unique=True)))
    return f"The {words} works{f' [{marker}]' if marker else ''}."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Li et al. [@p1] show X, e.g. Fig. 2 vs. Eq. 3. The method of J. Smith is 3.5 times faster.", 2),
        ("It was i.i.d. sampling. Really? Yes!", 3),
        ("See Dr. No et al. (2020). We agree.", 2),
        ("The claim stands. [@p1] The next one too [@p2].", 2),
        ("Use A, B, etc. The rest follows.", 2),
        ("vLLM is fast. iCaRL is not. GPT 3.5. The end", 4),
        ("“Is it so?” asks the U.S. court. It is.", 2),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    found = split_sentences(text)
    assert len(found) == count
    assert " ".join(found) == text


@given(st.lists(st.lists(sentences(), min_size=1, max_size=4), min_size=1, max_size=3))
def test_a_section_survives_markdown(paragraphs: list[list[str]]) -> None:
    text = "\n\n".join(" ".join(p) for p in paragraphs)
    section = parse_body("t1", "A title", text)
    assert body(section) == text
    (again,) = parse_markdown(markdown([section]), [section])
    assert again == section
    assert [i for s in again.sentences for i in citations_of(s.text)] == [
        i for s in section.sentences for i in citations_of(s.text)
    ]


@given(sentences(), st.lists(IDS, max_size=3))
def test_citations_are_added_and_taken_out_by_id(text: str, ids: list[str]) -> None:
    added = add_citations(text, ids)
    assert set(citations_of(added)) == {*citations_of(text), *ids}
    assert citations_of(keep_citations(added, ids)) == tuple(i for i in citations_of(added) if i in ids)
    assert "@" not in without_citations(added)
    assert added.endswith(".")


def test_markers_get_one_spelling() -> None:
    assert normalise_markers("As said [@a,@b] [@c], and [ @d ].") == "As said [@a; @b; @c], and [@d]."
    assert citations_of("x [@a; @b], y [@a]") == ("a", "b")
    assert without_citations("Shown by [@a; @b], and others [@c].") == "Shown by, and others."


def test_pasted_text_keeps_what_it_knows() -> None:
    source = Passage(paper_id="p1", page=0, start=0, end=3, text="abc")
    known = Section(
        topic_id="t7", title="Dense Retrieval", paragraphs=((Sentence(text="It works [@p1].", sources=(source,)),),)
    )
    pasted = "Opening words.\n\n# Dense  retrieval\nIt works [@p1]. It is new.\n\n## Other\n\nText."
    first, kept, new = parse_markdown(pasted, [known])
    assert (first.title, kept.topic_id, new.topic_id) == ("", "t7", "s3")
    assert kept.sentences[0].sources == (source,)
    assert kept.sentences[1].sources == ()


def draft(*texts: str) -> Draft:
    return Draft(
        author="m", sections=(Section(topic_id="t1", title="T", paragraphs=(tuple(Sentence(text=t) for t in texts),)),)
    )


def test_claims_are_numbered_and_of_three_kinds() -> None:
    found = claims_of(
        draft(
            "Two lines of work matter here.",
            "Karpukhin et al. [@p1] learn a dual encoder.",
            "Most existing methods ignore the order of the passages entirely.",
            "Unlike [@p1], we check each claim.",
            "This distinction matters below.",
        )
    )
    assert [(c.number, c.kind) for c in found] == [(1, "cited"), (2, "uncited"), (3, "focal")]
    assert found[2].citations == ("p1",)


def test_a_claim_id_is_what_it_says() -> None:
    assert claim_id("It  works [@p1].") == claim_id("It works [@p1].")
    assert claim_id("It works [@p1].") != claim_id("It works [@p2].")


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("A uses X for retrieval [@a], while B uses Y for ranking [@b; @c].",
         [("A uses X for retrieval.", ("a",)), ("B uses Y for ranking.", ("b", "c"))]),
        ("Li et al. [@a] propose X for tasks, whereas Wu et al. [@b] propose Y for others.",
         [("Li et al. propose X for tasks.", ("a",)), ("Wu et al. propose Y for others.", ("b",))]),
        ("Methods such as A [@a], B [@b], and C [@c] learn dense vectors.",
         [(f"Methods such as {n} learn dense vectors.", (n.lower(),)) for n in "ABC"]),
        ("It was evaluated on A [@a], B [@b] and C [@c].", [("It was evaluated on A, B and C.", ("a", "b", "c"))]),
        ("They all agree on this [@a; @b].", [("They all agree on this.", ("a", "b"))]),
    ],
)  # fmt: skip
def test_a_sentence_is_split_by_what_each_citation_carries(
    sentence: str, parts: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(p.text, p.citations) for p in parts_of(sentence)] == parts


@given(st.lists(sentences(), min_size=1, max_size=4))
def test_parts_hold_exactly_the_citations(texts: list[str]) -> None:
    for claim in claims_of(draft(*texts)):
        assert {i for p in claim.parts for i in p.citations} == set(claim.citations)
        assert all(p.text for p in claim.parts)


def test_a_sentence_that_points_back_is_shown_with_the_one_before() -> None:
    made = draft("A learns vectors [@a].", "It needs labels [@a].")
    assert contexts(made)[claim_id("It needs labels [@a].")] == "A learns vectors [@a]. It needs labels [@a]."


def test_naming_the_nearest_papers_is_nothing_to_judge() -> None:
    assert says_only_what_is_near(
        "Closest to this work are Alvarez et al. [@a], Yue and Li [@b], and Huang and Chang [@c]."
    )
    assert says_only_what_is_near("The work most closely related to ours is that of Wu [@a].")
    assert not says_only_what_is_near(
        "Closest to this work are Yue et al. [@b], which also deal with claim verification."
    )
    assert not says_only_what_is_near("Yue et al. [@b] retrieve passages.")


@pytest.mark.parametrize(
    "text",
    [
        "Claim verification is the most studied problem of natural language processing.",
        "Human evaluation found hallucinated content in the summaries of every model.",
    ],
)
def test_a_general_statement_without_a_source_is_a_claim(text: str) -> None:
    assert states_fact(text)


def test_an_uncited_sentence_of_the_closing_section_is_about_the_focal_paper() -> None:
    closing = Section(
        topic_id=POSITION, title="P", paragraphs=((Sentence(text="PassageProof checks every claim it writes."),),)
    )
    (claim,) = claims_of(Draft(author="m", sections=(closing,)))
    assert claim.kind == "focal"
