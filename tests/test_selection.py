"""The greedy choice against the formula read off pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.selection import mean_similarity, rank, relevant, select, select_pages

eighths = st.integers(-8, 8).map(lambda n: n / 8)  # exact in binary, so that both ways give the same sums
diversities = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
rules = st.sampled_from(["mmr", "paper"])


@st.composite
def items(draw: st.DrawFn) -> tuple[list[float], list[list[float]]]:
    count = draw(st.integers(0, 12))
    similarities = draw(st.lists(eighths, min_size=count, max_size=count))
    row = st.lists(eighths, min_size=3, max_size=3)
    return similarities, draw(st.lists(row, min_size=count, max_size=count))


def pair_by_pair(similarities, vectors, count, diversity, rule):
    """The formula as it stands, every pair in every step."""
    agg = max if rule == "mmr" else min
    chosen: list[int] = []
    while len(chosen) < min(count, len(similarities)):
        best, best_gain = -1, -np.inf
        for i, s in enumerate(similarities):
            if i in chosen:
                continue
            gain = s
            if chosen:
                near = agg(sum(a * b for a, b in zip(vectors[i], vectors[j], strict=True)) for j in chosen)
                gain = (1 - diversity) * s + diversity * (1 - near)
            if gain > best_gain:
                best, best_gain = i, gain
        chosen.append(best)
    return chosen


@given(items(), st.integers(0, 14), diversities, rules)
def test_greedy_choice_is_the_formula(drawn, count, diversity, rule):
    similarities, vectors = drawn
    assert select(similarities, vectors, count, diversity, rule) == pair_by_pair(
        similarities, vectors, count, diversity, rule
    )


@given(items(), st.integers(0, 14), rules)
def test_no_diversity_is_the_order_of_relevance(drawn, count, rule):
    similarities, vectors = drawn
    by_relevance = sorted(range(len(similarities)), key=lambda i: -similarities[i])  # stable
    assert select(similarities, vectors, count, 0.0, rule) == by_relevance[:count]


@given(items(), diversities)
def test_the_rules_are_the_same_until_two_are_chosen(drawn, diversity):
    assert select(*drawn, 2, diversity, "mmr") == select(*drawn, 2, diversity, "paper")


@given(items(), st.integers(0, 14), diversities, rules, st.data())
def test_a_higher_tier_is_used_up_first(drawn, count, diversity, rule, data):
    similarities, vectors = drawn
    tiers = data.draw(st.lists(st.integers(0, 3), min_size=len(similarities), max_size=len(similarities)))
    chosen = select(similarities, vectors, count, diversity, rule, tiers)
    assert len(set(chosen)) == len(chosen) == min(count, len(similarities))
    levels = [tiers[i] for i in chosen]
    assert levels == sorted(tiers, reverse=True)[: len(chosen)]


def test_mmr_avoids_a_near_copy_that_the_rule_of_the_paper_takes():
    vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.7, 0.7]]  # the third is a copy of the first
    similarities = [0.9, 0.5, 0.85, 0.6]
    assert select(similarities, vectors, 3, 0.5, "mmr") == [0, 1, 3]
    assert select(similarities, vectors, 3, 0.5, "paper") == [0, 1, 2]


def test_copies_are_chosen_in_their_order():
    rows = np.tile(np.random.default_rng(0).standard_normal(384), (7, 1))
    assert select([0.5] * 7, rows, 7, 0.3) == list(range(7))


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="same length"):
        select([0.1, 0.2], [[1.0]], 1, 0.5)


def test_a_page_counts_by_its_best_passage():
    pages = [4, 4, 7, 9]
    rows = [[0.1, 0.0], [0.9, 0.1], [0.5, 0.5], [0.8, 0.0]]
    assert select_pages(pages, rows, [1.0, 0.0], 2) == [(4, 0.9), (9, 0.8)]
    assert select_pages(pages, rows, [1.0, 0.0], 0) == []
    assert select_pages([], [], [1.0, 0.0], 3) == []


def test_diversity_changes_the_pages():
    pages, rows = [1, 2, 3], [[0.8, 0.6], [0.75, 0.65], [0.6, -0.8]]
    assert [p.number for p in select_pages(pages, rows, [1.0, 0.0], 2, 0.0)] == [1, 2]
    assert [p.number for p in select_pages(pages, rows, [1.0, 0.0], 2, 0.5)] == [1, 3]


def test_the_score_is_the_mean_over_abstract_and_pages():
    assert mean_similarity(0.4, []) == 0.4
    assert mean_similarity(0.4, select_pages([1, 2], [[0.8], [0.6]], [1.0], 2)) == pytest.approx(0.6)


@given(st.lists(st.floats(-1, 1), max_size=30))
def test_the_gate_keeps_ten_and_all_that_are_near(similarities):
    passed = relevant(similarities)
    assert sum(passed) >= min(10, len(similarities))
    for i in rank(similarities)[10:]:
        top = np.mean(sorted(similarities, reverse=True)[:5])
        assert passed[i] == (similarities[i] >= 0.75 * top)
