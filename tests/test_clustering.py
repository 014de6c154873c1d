"""Pseudo-labels to groups: what belongs together is found, and each way to fail is caught."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marwg.organizing.clustering import cluster, mixed, mixed_vectors, normal_form
from tests.fake_encoder import encode

LABELS = Path(__file__).resolve().parents[2] / "shared/notes/labels"


def clustered(labels: list[str], density: int = 5, mode: str = "ward", abstracts: list[str] | None = None):
    papers = [f"p{i}" for i in range(len(labels))]
    rows = dict(zip(papers, encode(labels), strict=True))
    texts = dict(zip(papers, encode(abstracts), strict=True)) if abstracts else {}
    return cluster(dict(zip(papers, labels, strict=True)), rows, mixed_vectors(rows, texts), density, mode)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Multi-hop questions", "multi hop question"),
        ("Studies", "study"),
        ("Évaluation", "evaluation"),
        ("  Dense   Retrieval! ", "dense retrieval"),
    ],
)
def test_labels_that_differ_in_form_only_are_one(one, other):
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize("word", ["analysis", "loss", "corpus", "gas"])
def test_words_that_only_look_like_plurals_stay(word):
    assert normal_form(word) == word


def test_three_themes_are_found():
    themes = ["dense passage retrieval", "citation quality evaluation", "speech synthesis voices"]
    found = clustered([f"{themes[i % 3]} {'abcdefghijklmno'[i]}" for i in range(15)])
    assert [{int(p[1:]) % 3 for p in g} for g in found.groups] == [{0}, {1}, {2}]
    assert found.alone == ()


def test_one_label_for_all_gives_no_group():
    assert clustered(["retrieval"] * 12).groups == ()


def test_two_labels_are_grouped_by_their_words():
    found = clustered(["Retrieval", "ranking", "retrieval"] * 4)
    assert [len(g) for g in found.groups] == [8, 4]


def test_too_few_papers_are_not_grouped():
    found = clustered(["a b", "c d", "a b", "c d"])
    assert found.groups == ()
    assert len(found.alone) == 4
    assert clustered(["a b", "c d", "a b", "c d", "a b"]).groups != (), "δ itself is enough"


def test_a_giant_is_split_while_there_are_groups_left():
    labels = [f"retrieval of documents {c}" for c in "abcdefghijklmnopqr"] + ["speech x", "speech y"]
    sizes = [len(g) for g in clustered(labels).groups]
    assert max(sizes) <= 2 / 3 * len(labels) or len(sizes) >= 6


def test_the_fixed_cut_falls_back_when_most_papers_are_alone():
    words = [f"{a} {b}" for a, b in zip("abcdefghijklmnop", "qrstuvwxyz123456", strict=True)]
    found = clustered(words, mode="cut")
    assert "silhouette" in found.note
    assert len(found.alone) < len(words) / 2


def test_the_fixed_cut_groups_equal_words():
    found = clustered(["dense retrieval", "speech voices"] * 5 + ["dense retrieval models"], mode="cut")
    assert found.note == ""
    assert [len(g) for g in found.groups] == [6, 5]


def test_label_and_abstract_share_the_vector_as_measured():
    label, abstract = encode(["label", "abstract"])
    vector = mixed(label, abstract)
    assert np.linalg.norm(vector[:64]) ** 2 == pytest.approx(0.6)
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert np.linalg.norm(mixed(label, None)) == pytest.approx(1)
    assert not mixed(label * 0, abstract * np.nan).any()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["", "x", "rank", "ranks", "dense rank", "评估", "a b c", "?", "z " * 200]), max_size=30),
    st.sampled_from(["ward", "cut"]),
    st.integers(2, 6),
)
def test_every_paper_is_in_one_group_or_alone(labels, mode, density):
    found = clustered(labels, density, mode)
    assert sorted([*found.alone, *(p for g in found.groups for p in g)]) == sorted(f"p{i}" for i in range(len(labels)))
    assert all(len(g) > 1 for g in found.groups)
    assert len(found.groups) <= max(8, len(set(labels)))
    assert clustered(labels, density, mode) == found


@pytest.mark.benchmark_data
@pytest.mark.skipif(not LABELS.exists(), reason="labels of the study are not here")
def test_labels_of_the_study_are_neither_scattered_nor_one_giant():
    for path in sorted(LABELS.glob("*.json")):
        for sets in json.loads(path.read_text())["labels"].values():
            for items in sets.values():
                if len(items) < 14:
                    continue
                found = clustered([f"{i['label']}: {i['gloss']}" for i in items])
                assert len(found.alone) <= 0.2 * len(items)
                assert max(map(len, found.groups)) <= 2 / 3 * len(items) + 1
