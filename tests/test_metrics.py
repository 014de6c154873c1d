"""Every metric on examples that were worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg import metrics
from marwg.library.identity import normal_title
from marwg.metrics import Judged
from marwg.types import Paper


def judged(citations, together, alone, without, invalid=()):
    return Judged(tuple(citations), together, tuple(alone), tuple(without), frozenset(invalid))


ONE = judged("a", True, [True], [False])
BOTH_NEEDED = judged("ab", True, [False, False], [False, False])  # each carries a part
IDLE = judged("ab", True, [True, False], [False, True])  # b says nothing of it
UNSUPPORTED = judged("ab", False, [False, False], [False, False])
INVALID = judged("ax", True, [True, False], [False, True], invalid="x")


def test_claim_precision_counts_sentences_that_all_their_references_carry():
    assert metrics.claim_precision([ONE, BOTH_NEEDED, IDLE, UNSUPPORTED]) == 3 / 4
    assert metrics.claim_precision([]) == 0


def test_citation_precision_by_the_rule_of_alce():
    # pairs: ONE 1 of 1; BOTH_NEEDED 2 of 2 (neither is idle: without it the rest fails); IDLE 1 of 2; UNSUPPORTED 0 of 2
    assert metrics.citation_precision([ONE, BOTH_NEEDED, IDLE, UNSUPPORTED]) == 4 / 7


def test_an_invalid_id_is_a_wrong_citation_even_beside_a_right_one():
    assert metrics.citation_precision([INVALID]) == 1 / 2
    assert metrics.strict_citation_precision([INVALID]) == 1 / 2


def test_a_single_citation_of_a_supported_sentence_is_never_idle():
    assert metrics.citation_precision([judged("a", True, [False], [True])]) == 1


def test_strict_citation_precision_asks_each_reference_alone():
    # ONE 1, BOTH_NEEDED 0 of 2, IDLE 1 of 2, UNSUPPORTED 0 of 2
    assert metrics.strict_citation_precision([ONE, BOTH_NEEDED, IDLE, UNSUPPORTED]) == 2 / 7


def test_attribution_recall_counts_uncited_facts_against_the_text():
    assert metrics.attribution_recall([ONE, IDLE, UNSUPPORTED], uncited_facts=1) == 2 / 4
    assert metrics.attribution_recall([], uncited_facts=3) == 0
    assert metrics.attribution_recall([], uncited_facts=0) == 0


def test_citations_per_claim_is_over_cited_sentences_and_counts_a_reference_once():
    assert metrics.citations_per_claim([("a",), ("a", "b", "a"), ()]) == 3 / 2
    assert metrics.citations_per_claim([(), ()]) == 0


def test_reference_coverage_precision_and_f1():
    cited, gold = ["a", "b", "b", "x"], ["a", "b", "c", "d"]
    assert metrics.reference_coverage(cited, gold) == 2 / 4
    assert metrics.reference_precision(cited, gold) == 2 / 3
    assert metrics.f1(2 / 3, 2 / 4) == pytest.approx(4 / 7)
    assert metrics.reference_coverage(cited, []) == metrics.reference_precision([], gold) == metrics.f1(0, 0) == 0


def test_recall_at_takes_the_first_of_a_ranking():
    assert [metrics.recall_at("xaby", "ab", n) for n in (1, 2, 3, 9)] == [0, 0.5, 1, 1]


def paper(title="", year=None, authors=(), doi="", arxiv_id=""):
    return Paper(paper_id="p", key="k", title=title, year=year, authors=authors, doi=doi, arxiv_id=arxiv_id)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (paper("A", doi="10.1/X"), paper("B", doi="10.1/x"), True),
        (paper("A", arxiv_id="2401.00001"), paper("B", arxiv_id="2401.00001"), True),
        (paper("Attention Is All You Need", 2017), paper("Attention is all you need.", 2018), True),
        (paper("Attention Is All You Need", 2017), paper("Attention is all you need", 2020), False),
        (
            paper("Attention Is All You Need", 2017, ("Vaswani, Ashish",)),
            paper("Attention is all you need", 2023, ("Vaswani, A.",)),
            True,
        ),
        (paper("Attention Is All You Need", 2017), paper("Attention is not all you want", 2017), False),
        (paper("", 2017), paper("", 2017), False),
    ],
)
def test_when_two_references_are_one(one, other, same):
    assert metrics.same_reference(one, other) is same
    assert metrics.same_reference(other, one, normal_title) is same


# ---------------------------------------------------------------- likeness

X, Y = np.array([1.0, 0.0]), np.array([0.0, 1.0])
HALF = np.array([0.5, math.sqrt(0.75)])  # cosine .5 to X


def test_sn_precision_and_recall_with_one_reference():
    predicted, gold = np.stack([X, HALF]), np.stack([X, Y])
    # best of X in gold 1, of HALF √.75 (Y); best of gold X is 1, of gold Y √.75
    expected = (1 + math.sqrt(0.75)) / 2
    assert metrics.sn_precision(predicted, [gold]) == pytest.approx(expected)
    assert metrics.sn_recall(predicted, [gold]) == pytest.approx(expected)
    assert metrics.sn_f1(predicted, [gold]) == pytest.approx(expected)


def test_sn_averages_over_references_and_their_items():
    predicted = np.stack([X])
    references = [np.stack([X]), np.stack([Y, HALF])]
    assert metrics.sn_precision(predicted, references) == pytest.approx((1 + 0.5) / 2)
    assert metrics.sn_recall(predicted, references) == pytest.approx((1 + (0 + 0.5) / 2) / 2)


def test_an_empty_prediction_or_a_missing_reference_has_no_sn():
    nothing = np.zeros((0, 2))
    assert metrics.sn_f1(nothing, [np.stack([X])]) == metrics.sn_f1(np.stack([X]), [nothing]) == 0
    assert metrics.sn_f1(np.stack([X]), []) == 0


# ---------------------------------------------------------------- readers

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_text_quality_is_the_mean_of_means():
    assert metrics.text_quality([(5, 4, 3, 2, 1), (4, 4, 4, 4, 4)]) == 3.5
    assert metrics.text_quality([]) == 0


def test_intraclass_correlation_is_that_of_the_textbook():
    assert metrics.intraclass_correlation(SHROUT_FLEISS) == pytest.approx(0.29, abs=0.005)


def test_intraclass_correlation_where_it_is_undefined_or_perfect():
    assert metrics.intraclass_correlation([[1, 1], [2, 2], [3, 3]]) == pytest.approx(1)
    assert math.isnan(metrics.intraclass_correlation([[3, 3]]))
    assert math.isnan(metrics.intraclass_correlation([[3], [4]]))
    assert math.isnan(metrics.intraclass_correlation([[3, 3], [3, 3]]))


def test_a_judge_that_always_prefers_the_first_place_gives_no_win():
    assert metrics.win_rate([(1, 0), (1, 0)]) == 0.5
    assert metrics.win_rate([(1, 1), (0.5, 0), (0, 0)]) == pytest.approx((1 + 0.25 + 0) / 3)
    assert metrics.win_rate([]) == 0


# ---------------------------------------------------------------- verifiers


def test_flagging_by_hand():
    found = metrics.flagging([True, True, False, False, True], [True, False, True, False, False])
    assert (found.precision, found.recall, found.f1) == (1 / 3, 1 / 2, pytest.approx(0.4))
    assert found.false_flags == 2 / 3
    assert found.balanced == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_flagging_everything_is_no_better_than_chance():
    assert metrics.flagging([True] * 4, [True, True, True, False]).balanced == 0.5


def test_area_under_curve_counts_ties_half():
    assert metrics.area_under_curve([3, 2, 2, 1], [True, True, False, False]) == (1 + 1 + 0.5 + 1) / 4
    assert math.isnan(metrics.area_under_curve([1.0], [True]))


# ---------------------------------------------------------------- intervals


def test_bootstrap_is_repeatable_and_holds_the_mean():
    values = [0.1, 0.4, 0.8, 0.9]
    found = metrics.bootstrap(values)
    assert found == metrics.bootstrap(values)
    assert found.mean == pytest.approx(0.55)
    assert found.low < found.mean < found.high
    assert metrics.bootstrap([0.3, 0.3]) == metrics.Interval(*[pytest.approx(0.3)] * 3)
    assert math.isnan(metrics.bootstrap([]).mean)


def test_paired_differences_see_what_separate_intervals_hide():
    theirs = [0.1, 0.5, 0.9]
    found = metrics.paired_difference([t + 0.05 for t in theirs], theirs)
    assert found.low == pytest.approx(0.05)
    assert found.high == pytest.approx(0.05)


rows = st.integers(1, 3).flatmap(
    lambda n: st.builds(
        judged,
        st.just("abc"[:n]),
        st.booleans(),
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


@given(st.lists(rows, max_size=6), st.integers(0, 3))
def test_shares_are_shares_and_no_unsupported_sentence_has_a_correct_citation(sentences, uncited):
    shares = (
        metrics.claim_precision(sentences),
        metrics.citation_precision(sentences),
        metrics.strict_citation_precision(sentences),
        metrics.attribution_recall(sentences, uncited),
    )
    assert all(0 <= share <= 1 for share in shares)
    assert metrics.attribution_recall(sentences, uncited) <= metrics.attribution_recall(sentences, 0)
    for sentence in sentences:
        if not sentence.together:
            assert not any(sentence.correct(place) for place in range(len(sentence.citations)))
