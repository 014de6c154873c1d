"""Replies of models are read whatever stands around them, and their schema asks for every field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marwg.language_models.replies import Growing, Unusable, read, schema_of
from marwg.tasks import (
    TASKS,
    CandidateGrades,
    Cards,
    CitedSentence,
    ClaimVerdicts,
    ParagraphReply,
    Queries,
    SectionReply,
)

QUERIES = Queries(queries=("graph {retrieval}", 'say "what" is [missing]'))
TEXT = QUERIES.model_dump_json()


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"Sure! Here you are:\n{TEXT}\nAnything else?",
        f"The list [as {{you}} asked]:\n```json\n{TEXT}\n```",
        json.dumps(list(QUERIES.queries)),
        json.dumps({"queries": [*QUERIES.queries, None], "thoughts": "many"}),
    ],
)
def test_a_reply_is_found_in_what_a_model_says(text: str) -> None:
    assert read(Queries, text) == QUERIES


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the reply is empty"),
        (" \n\t", "the reply is empty"),
        ("I would rather not.", "no JSON object"),
        ('{"queries": ["a', "not valid JSON"),
        ('{"questions": []}', "queries: Field required"),
        ('{"queries": "a"}', "queries: Input should be a valid tuple"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        read(Queries, text)


def test_null_is_the_default() -> None:
    verdict = {"id": "c1", "label": "supported", "error_type": None, "reason": None}
    assert read(ClaimVerdicts, json.dumps({"verdicts": [verdict]})).verdicts[0].reason == ""


def test_lenient_reading_keeps_what_is_whole_and_never_nothing() -> None:
    good, bad = {"id": "p1", "grade": 1, "role": "data", "reason": ""}, {"id": "p2"}
    assert len(read(CandidateGrades, json.dumps({"papers": [bad, good, bad]}), lenient=True).papers) == 1
    with pytest.raises(Unusable, match="and 3 more"):
        read(CandidateGrades, json.dumps({"papers": [bad, bad, bad]}), lenient=True)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_schemas_are_plain_and_ask_for_every_field(task: Any) -> None:
    def objects(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [found for item in node for found in objects(item)]
        if not isinstance(node, dict):
            return []
        return [node] * (node.get("type") == "object") + [found for value in node.values() for found in objects(value)]

    schema = schema_of(task.reply)
    assert "$ref" not in json.dumps(schema)
    assert '"default"' not in json.dumps(schema)
    assert objects(schema)
    for node in objects(schema):
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False


def test_descriptions_reach_the_model() -> None:
    assert "at most ten" in json.dumps(schema_of(Queries))


def test_a_card_is_shown_when_it_is_whole() -> None:
    cards = {"cards": [{"id": "p1", "problem": {"text": "t"}}, {"id": "p2", "method": {"text": "u"}}]}
    text = json.dumps(cards)
    growing, seen = Growing(Cards), []
    for end in range(1, len(text) + 1):
        if (reply := growing.read(text[:end])) is not None:
            seen.append([card.id for card in reply.cards])
    assert seen == [["p1"], ["p1", "p2"]]


words = st.text(alphabet='ab {}[]",:\\\n', max_size=8)
sentences = st.builds(CitedSentence, sentence=words, cite=st.lists(words, max_size=2).map(tuple), source=words)
sections = st.builds(
    SectionReply,
    paragraphs=st.lists(
        st.builds(ParagraphReply, sentences=st.lists(sentences, max_size=3).map(tuple)), max_size=3
    ).map(tuple),
)


@given(sections, st.integers(1, 9), st.sampled_from(["", "```json\n", "Here: "]))
def test_a_growing_section_holds_whole_sentences_of_the_last_one(section: SectionReply, step: int, before: str) -> None:
    text = before + section.model_dump_json()
    whole = [s for p in section.paragraphs for s in p.sentences]
    growing, shown = Growing(SectionReply), 0
    for end in [*range(1, len(text), step), len(text)]:
        partial = growing.read(text[:end])
        if partial is not None:
            so_far = [s for p in partial.paragraphs for s in p.sentences]
            assert so_far == whole[: len(so_far)]
            assert len(so_far) >= shown
            shown = len(so_far)
    assert shown == len(whole)
    assert read(SectionReply, text) == section
