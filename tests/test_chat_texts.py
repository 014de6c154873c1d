"""What the screen says and shows: pure functions of a run."""

import os
import tempfile
import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

os.environ.setdefault("CHAINLIT_APP_ROOT", tempfile.mkdtemp())
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from marwg.chat import forms

from marwg.chat import props, texts
from marwg.conversation.views import EvidenceView, paper_view
from marwg.errors import InputError
from marwg.types import Dimension, Feedback, Node, Outline, Paper, Parameters, Request, Run, Taxonomy, Usage
from tests.fake_assistant import FULL_TEXT, PAPERS, TOPICS, candidates, draft, ledger, taxonomy


def paper(paper_id: str):
    return paper_view(PAPERS[paper_id], paper_id in FULL_TEXT)


WRITTEN = draft(Outline(topics=TOPICS))
RUN = Run(
    run_id="r",
    request=Request.model_validate({"focal": {"title": "T", "abstract": "A"}}),
    candidates=candidates(),
    outline=Outline(topics=TOPICS),
    draft=WRITTEN,
    ledger=ledger(WRITTEN),
)

spans = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=5)


@given(st.text(max_size=300), spans)
def test_marked_words_are_the_text_again(text: str, marks: list[tuple[int, int]]) -> None:
    words = props.marked_words(text, marks)
    assert "".join(w for w, _ in words) == text
    marked = {i for a, b in marks for i in range(a, min(b, len(text)))}
    assert sum(len(w) for w, is_marked in words if is_marked) == len(marked)


@given(st.text(alphabet="abc ", min_size=80, max_size=300), spans)
def test_an_excerpt_is_a_part_of_the_text_with_its_first_mark(text: str, marks: list[tuple[int, int]]) -> None:
    words = props.marked_words(text, marks, limit=60)
    shown = "".join(w for w, _ in words).removeprefix("… ").removesuffix("…")
    assert shown in text
    assert len(shown) <= 60 or len(text) <= 60
    if any(a < min(b, len(text)) for a, b in marks):
        assert any(is_marked for _, is_marked in words)


@given(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=30))
def test_no_two_nodes_of_a_taxonomy_stand_on_each_other_and_edges_go_right(pairs: list[tuple[int, int]]) -> None:
    edges = sorted({(f"n{min(p)}", f"n{max(p)}") for p in pairs if p[0] != p[1]})
    below = {b for _, b in edges}
    nodes = [Node(node_id="root", dimension=Dimension.TASK, label="Task")]
    nodes += [Node(node_id=f"n{i}", dimension=Dimension.TASK, label=f"{i}") for i in range(15)]
    edges = [("root", n.node_id) for n in nodes[1:] if n.node_id not in below] + edges
    shown = props.taxonomy_graph(Taxonomy(nodes=tuple(nodes), edges=tuple(edges)), paper)["nodes"]
    places = sorted((n["column"], n["row"]) for n in shown)
    assert all(a != b for a, b in pairwise(places))
    column = {n["id"]: n["column"] for n in shown}
    assert all(column[a] < column[b] for a, b in edges)


@given(st.text(max_size=80))
def test_text_of_a_source_is_no_markdown(text: str) -> None:
    shown = texts.plain(text)
    assert not any(shown.startswith(c) for c in "#>*")
    assert "](" not in shown
    assert "\n" not in shown


def test_a_marker_that_is_still_being_written_is_not_shown() -> None:
    assert (
        texts.with_names("Seen in [@p1; @p2] and [@p", paper)
        == "Seen in (Lewis et al., 2020; Karpukhin et al., 2020) and "
    )


def test_every_claim_has_its_badge_and_every_cited_paper_its_reference() -> None:
    shown = texts.draft_markdown(WRITTEN, RUN.ledger, paper)
    assert RUN.ledger
    for entry in RUN.ledger.entries:
        assert shown.count(texts.badge(entry)) == 1
    assert shown.count("\n- ") == 12
    assert "[7 ○](#claim-7-not-checked)" in shown


def test_a_draft_without_ledger_has_no_badges() -> None:
    assert "#claim-" not in texts.draft_markdown(WRITTEN, None, paper)


def test_only_addresses_of_the_web_become_links() -> None:
    assert texts.safe_url("javascript:alert(1)") == ""
    assert texts.safe_url("https://doi.org/10.1/x") == "https://doi.org/10.1/x"


@pytest.mark.parametrize(
    ("usage", "long", "short"),
    [
        (Usage(), "", ""),
        (Usage(calls=1, input_tokens=300, output_tokens=20, dollars=None), "1 call, 320 tokens", "320 tokens"),
        (
            Usage(calls=14, cached=3, input_tokens=46_000, dollars=1.5),
            "14 calls + 3 cached, 46.0k tokens, $1.50",
            "$1.50",
        ),
    ],
)
def test_cost_tells_what_is_known(usage: Usage, long: str, short: str) -> None:
    assert (texts.cost(usage), texts.short_cost(usage)) == (long, short)


def test_feedback_that_asks_for_nothing_says_nothing() -> None:
    assert texts.feedback_markdown([Feedback(topic_id="t1")], {}) == ""
    assert "Critical analysis: Say what" in texts.feedback_markdown(WRITTEN.feedback, {"t1": "Retrieval"})


def test_the_candidate_table_shows_the_taken_papers_first_and_what_is_only_an_abstract() -> None:
    rows = props.candidate_table(candidates(), paper)["rows"]
    assert [r["taken"] for r in rows] == [True] * 11 + [False]
    assert {r["id"] for r in rows if r["full_text"]} == FULL_TEXT
    assert rows[0]["pages"] == [1, 3, 4]


def test_the_ledger_shows_both_judgements_and_the_passage_with_its_page() -> None:
    row = props.ledger_table(RUN, paper, {"c4": "accept"})["rows"][3]
    assert (row["state"], row["decision"]) == ("disputed", "accept")
    assert [j["label"] for j in row["judgements"]] == ["supported", "not supported"]
    assert row["evidence"][0]["where"] == "page 3"
    assert "[@" not in row["sentence"]


def test_a_passage_of_the_side_panel_is_whole() -> None:
    seen = EvidenceView("p1", "T", "Lewis (2020)", 0, "x" * 2000, "javascript:x", False, ((0, 3),))
    (passage,) = props.source_panel([seen])["passages"]
    assert (passage["where"], passage["url"], len(passage["words"][1][0])) == ("abstract", "", 1997)


def test_shared_nodes_are_drawn_once() -> None:
    shown = props.taxonomy_graph(taxonomy(), paper)
    assert [n["id"] for n in shown["nodes"]].count("shared") == 1
    assert [a for a, b in shown["edges"] if b == "shared"] == ["task0", "task2"]


def test_new_topics_of_the_outline_card_are_let_through() -> None:
    form = forms.OutlineForm.model_validate({"outline": [{"topic_id": "new1", "title": "N", "papers": ["p2"]}]})
    assert forms.checked_outline(form, RUN)["outline"][0]["topic_id"] == "new1"


def test_the_settings_panel_gives_back_what_it_shows() -> None:
    shown = {w.id: w.initial for tab in forms.settings_panel(Parameters()) for w in tab.inputs}
    assert Parameters.model_validate(forms.read_settings(shown)) == Parameters()


@pytest.mark.parametrize("values", [{"words": 5}, {"until": "next year"}, {"selection": "luck"}])
def test_a_setting_out_of_range_is_named(values: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(values))):
        forms.read_settings(values)


def test_a_paper_that_left_its_year_open_is_named_all_the_same() -> None:
    view = paper_view(Paper(paper_id="x", key="x", title="T", authors=("Li, A",)), False)
    assert texts.label(view).startswith("Li, ")
