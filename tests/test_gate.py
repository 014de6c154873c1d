"""The gate: what it finds without a model, and what it must not find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.text.quantities import backed, quantities
from marwg.types import Finding, Paper
from marwg.verification.claims import FOCAL, claim_of
from marwg.verification.gate import GateSource, check
from tests.paper_world import FOCAL as FOCAL_PAPER
from tests.paper_world import PAGE, PAPERS

SOURCES = {p.paper_id: GateSource(p, f"{p.abstract} {PAGE.text if p.paper_id == 'p1' else ''}") for p in PAPERS}
SOURCES[FOCAL] = GateSource(
    Paper(paper_id=FOCAL, key=FOCAL, title=FOCAL_PAPER.title, abstract=FOCAL_PAPER.abstract), FOCAL_PAPER.abstract
)


def found(sentence: str) -> list[Finding]:
    claim = claim_of(sentence, "t1", 1)
    assert claim is not None
    return list(check(claim, SOURCES, {p.paper_id for p in PAPERS}))


@pytest.mark.parametrize(
    "sentence",
    [
        "Karpukhin et al. [@p1] learn dense representations with a dual encoder.",
        "Dense Passage Retrieval [@p1] outperforms a strong BM25 system by 9% to 19%.",
        "DPR [@p1] is better than BM25 by up to 19 percent in top-20 accuracy.",
        "The encoder sees 58,880 questions with in-batch negatives [@p1].",
        "The encoder sees about 59,000 questions [@p1].",
        "The encoder sees 58 880 questions [@p1].",
        "The work of 2020 relies on a “dual encoder” [@p1].",
        "In Karpukhin et al. [@p1], retrieval is “implemented with dense representations”.",
        "RAG [@p2] combines a generator with an index of Wikipedia and is best on 3 tasks.",
        "LLMs cite badly: half of the time their support is incomplete, as ELI5 shows [@p3].",
        "The best models lack complete citation support [@p3].",
        "Unlike these [@p1; @p3], we present a pipeline that checks every claim.",
    ],
)
def test_it_is_silent_about_what_the_sources_say(sentence: str) -> None:
    assert found(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "rule", "words"),
    [
        ("It works [@p77].", "citation", "[@p77]"),
        ("DPR outperforms BM25 by 29% in accuracy [@p1].", "number", "29%"),
        ("DPR outperforms BM25 by 19x in accuracy [@p1].", "number", "19x"),
        ("It is trained on 48,880 questions [@p1].", "number", "48,880"),
        ("The models lead on seven question answering tasks [@p2].", "number", "seven"),
        ("Since 2017 a dual encoder is learned [@p1].", "year", "2017"),
        ("The ColBERT encoder learns dense representations [@p1].", "name", "ColBERT"),
        ("Lewis et al. [@p1] learn a dual encoder.", "name", "Lewis et al."),
        ("They say that retrieval “is a solved problem in practice” [@p1].", "quote", "is a solved problem in practice"),
        ("Retrieval cannot be implemented with dense representations learned by a dual encoder [@p1].", "negation", "cannot be implemented with"),
        ("It is the first work that learns dense representations by a dual encoder [@p1].", "superlative", "is the first"),
        ("The pipeline of this work increases unsupported claims.", "direction", "increases"),
        ("Most existing methods ignore the order of passages.", "citation", "Most existing methods ignore the order of passages."),
    ],
)  # fmt: skip
def test_it_names_the_words(sentence: str, rule: str, words: str) -> None:
    assert (rule, words) in [(f.rule, f.words) for f in found(sentence)]


def test_a_finding_names_the_paper_where_there_is_one() -> None:
    (finding,) = found("DPR outperforms BM25 by 29% [@p1].")
    assert finding.paper_id == "p1"
    (joint,) = found("They gain 29% together [@p1; @p2].")
    assert joint.paper_id is None


def test_nothing_is_missed_in_a_text_that_is_not_at_hand() -> None:
    claim = claim_of("They gain 29% together [@p1; @p2].", "t1", 1)
    assert claim is not None
    assert check(claim, {"p1": SOURCES["p1"]}, {"p1", "p2"}) == ()
    assert found("In 2019 and 2021 a dual encoder was learned [@p1].") == []


def test_nothing_is_found_where_there_is_no_text() -> None:
    claim = claim_of("It gains 29% [@p1].", "t1", 1)
    assert claim is not None
    assert check(claim, {}, {"p1"}) == ()


@given(st.integers(3, 9_999_999), st.integers(1, 9_999_999))
def test_a_whole_number_backs_itself_in_every_spelling_and_no_neighbour(number: int, shift: int) -> None:
    stated = quantities(f"We used {number:,} items.")
    for spelled in (f"{number} items", f"{number:,} items"):
        (claimed,) = quantities(spelled)
        assert claimed.year or backed(claimed, stated, "")
    other = number + shift
    if other % 10 and not (claimed := quantities(f"{other} items")[0]).year:
        assert not backed(claimed, stated, "")


@pytest.mark.parametrize(
    "text",
    [
        "GPT-4 and ResNet-50",
        "F1 and top-5 and 3D",
        "Table 2, Section 4.1",
        "the 2nd of them",
        "a 5-shot setting",
        "Llama 2",
    ],
)
def test_numbers_inside_names_are_none(text: str) -> None:
    assert quantities(text) == ()
