"""Turns of a conversation, with the real services and the built-in writer: what is said changes what it should."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from marwg.conversation import Answer, Assistant, starters
from marwg.errors import InputError, MarwgError, RunError, UnreadableFile
from marwg.events import Notice, OutlineReady, RunFinished, StageStarted
from marwg.organizing.taxonomy import restricted
from marwg.text.markup import citations_of
from marwg.types import ClaimState, Stage
from tests.real_services import open_services

STARTER = starters.load()[0]
START = f"{STARTER.title}\n\n{STARTER.abstract}"


@pytest_asyncio.fixture
async def assistant(own_home: Path) -> AsyncIterator[Assistant]:
    opened = Assistant(open_services(own_home))
    await opened.set_parameters("t", {"breadth": 10})
    yield opened
    await opened.close()


async def say(assistant: Assistant, text: str, files: tuple[Path, ...] = ()) -> list[Any]:
    return [told async for told in assistant.handle("t", text, files)]


async def press(assistant: Assistant, action: str, payload: dict[str, Any]) -> list[Any]:
    return [told async for told in assistant.act("t", action, payload)]


def answers(told: list[Any]) -> str:
    return "\n".join(t.text for t in told if isinstance(t, Answer))


def titles(assistant: Assistant) -> list[str]:
    return [t.title for t in assistant.run("t").outline.topics]


async def test_a_starter_goes_from_the_outline_in_words_to_a_verified_draft(assistant: Assistant):
    told = await say(assistant, START)
    assert isinstance(told[-1], OutlineReady)
    first, second = titles(assistant)[:2]
    told = await say(assistant, "call the first one Evidence for generated text")
    assert titles(assistant)[0] == "Evidence for generated text"
    assert f"Renamed: “{first}”" in answers(told)
    await say(assistant, "swap the first two")
    assert titles(assistant)[:2] == [second, "Evidence for generated text"]
    told = await say(assistant, "looks good, go on")
    assert isinstance(told[-1], RunFinished)
    assert [s.title for s in assistant.run("t").draft.sections][:2] == titles(assistant)[:2]


async def test_the_outline_edited_in_place_is_what_is_drafted(assistant: Assistant):
    await say(assistant, START)
    topics = [t.model_dump(include={"topic_id", "title", "papers"}) for t in assistant.run("t").outline.topics]
    moved = topics[1]["papers"][0]
    topics[1]["papers"] = topics[1]["papers"][1:]
    topics[0] |= {"title": "My own title", "papers": (*topics[0]["papers"], moved)}
    told = await press(assistant, "approve", json.loads(json.dumps({"outline": topics})))
    assert isinstance(told[-1], RunFinished)
    section = assistant.run("t").draft.sections[0]
    assert section.title == "My own title"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"outline": []},
        {"outline": "x"},
        {"outline": [{"topic_id": "t", "title": "A", "papers": ["nobody"]}]},
        {"outline": [{"topic_id": "t", "title": "A" * 500, "papers": []}]},
    ],
)
async def test_what_a_browser_sends_is_not_trusted(assistant: Assistant, payload: dict[str, Any]):
    await say(assistant, START)
    before = assistant.run("t")
    with pytest.raises(InputError):
        await press(assistant, "approve", payload)
    assert assistant.run("t") == before


async def test_why_is_answered_from_the_ledger_with_quotes(assistant: Assistant):
    await say(assistant, START)
    await say(assistant, "approve")
    run = assistant.run("t")
    entry = next(e for e in run.ledger.entries if e.evidence)
    said = answers(await say(assistant, f"why was claim {entry.claim.number} flagged?"))
    assert f"Claim {entry.claim.number}" in said
    assert entry.state.value in said
    assert entry.evidence[0].passage.text[:40] in said
    with pytest.raises(InputError, match="no claim 99"):
        await say(assistant, "why was claim 99 flagged?")
    shown = await assistant.evidence("t", entry.claim.number)
    assert shown[0].text == entry.evidence[0].passage.text


async def test_a_shorter_version_can_be_undone(assistant: Assistant):
    await say(assistant, START)
    await say(assistant, "approve")
    long = assistant.run("t").draft
    told = await say(assistant, "make it shorter")
    short = assistant.run("t").draft
    assert short.version == 2
    count = [sum(len(s.text.split()) for x in d.sections for s in x.sentences) for d in (long, short)]
    assert count[1] < count[0]
    assert "removed:" in answers(told)
    assert assistant.run("t").ledger.version == 2
    await say(assistant, "undo")
    assert assistant.run("t").draft.sections == long.sections
    assert assistant.run("t").ledger.version == 1
    assert "Version 2" in answers(await say(assistant, "show version 2"))


async def test_a_paper_is_removed_by_its_author(assistant: Assistant):
    await say(assistant, START)
    await say(assistant, "approve")
    run = assistant.run("t")
    gone = citations_of(run.draft.sections[0].sentences[0].text)[0]
    family = assistant.paper_card(gone).cited_as.split()[0]
    await say(assistant, f"remove the paper by {family}")
    after = assistant.run("t")
    assert gone not in {c for s in after.draft.sections for x in s.sentences for c in citations_of(x.text)}
    assert gone not in {s.paper_id for s in after.candidates.shortlist}


async def test_uploaded_papers_enter_the_library_and_bad_entries_are_told(assistant: Assistant, tmp_path: Path):
    bib = tmp_path / "mine.bib"
    bib.write_text(
        "@article{own2024, title={A paper of mine}, author={Doe, Jane}, year={2024}, abstract={We measure things.}}\n"
        "@article{broken, author={Nobody}\n\n@misc{other, title={Another}, year=2020}"
    )
    told = await say(assistant, "", (bib,))
    notice = next(t for t in told if isinstance(t, Notice) and "read" in t.text)
    assert notice.level == "warning"
    assert "broken" in notice.text
    assert assistant._library.by_key("own2024").title == "A paper of mine"


async def test_an_uploaded_draft_is_shown_before_anything_starts(assistant: Assistant, tmp_path: Path):
    path = tmp_path / "draft.md"
    path.write_text(f"# {STARTER.title}\n\n{STARTER.abstract}\n")
    assert STARTER.title in answers(await say(assistant, "", (path,)))
    assert assistant.run("t") is None
    assert isinstance((await say(assistant, "yes"))[-1], OutlineReady)
    (tmp_path / "none.md").write_text("nothing here")
    with pytest.raises(UnreadableFile):
        await say(assistant, "", (tmp_path / "none.md",))


@pytest.mark.parametrize(
    "text", ["approve", "why was claim 1 flagged?", "undo", "shorter", "export", "merge the first two"]
)
async def test_before_there_is_anything_the_user_is_told_what_to_send(assistant: Assistant, text: str):
    try:
        said = answers(await say(assistant, text))
    except MarwgError as refused:
        said = str(refused)
    assert "title" in said
    assert assistant.run("t") is None


@pytest.mark.parametrize("text", ["hello", "what can you do?", "asdf qwer"])
async def test_other_messages_change_nothing_and_get_an_answer(assistant: Assistant, text: str):
    assert answers(await say(assistant, text))
    assert assistant.run("t") is None


async def test_a_paste_of_a_whole_book_is_refused_in_a_sentence(assistant: Assistant):
    with pytest.raises(InputError, match="characters"):
        await say(assistant, "A title\n\n" + "the word and " * 20_000)
    with pytest.raises(InputError, match="characters"):
        await say(assistant, "word" * 50_000)


async def test_one_turn_at_a_time(assistant: Assistant):
    first = assistant.handle("t", START)
    assert isinstance(await anext(first), StageStarted)
    with pytest.raises(RunError, match="still working"):
        await say(assistant, "approve")
    await first.aclose()
    told = await press(assistant, "continue", {})
    assert isinstance(told[-1], OutlineReady)
    assert told[0] == StageStarted(stage=Stage.CANDIDATES)


async def test_decisions_are_kept(assistant: Assistant):
    await say(assistant, START)
    await say(assistant, "approve")
    entry = assistant.run("t").ledger.entries[0]
    await press(assistant, "decide", {"claim": entry.claim.number, "decision": "reject"})
    assert assistant.decisions("t") == {entry.claim.claim_id: "reject"}
    with pytest.raises(InputError):
        await press(assistant, "decide", {"claim": entry.claim.number, "decision": "burn"})
    told = await press(assistant, "recheck", {"claim": entry.claim.number})
    assert isinstance(told[-1], RunFinished)
    assert all(
        e.state is not ClaimState.NOT_CHECKED for e in assistant.run("t").ledger.entries if e.claim.kind == "cited"
    )


async def test_parameters_out_of_range_are_refused_by_name(assistant: Assistant):
    with pytest.raises(InputError, match="breadth"):
        await assistant.set_parameters("t", {"breadth": 0})
    assert (await assistant.set_parameters("t", {"words": 400})).breadth == 10


async def test_files_of_the_draft_are_written_only_when_there_is_one(assistant: Assistant, tmp_path: Path):
    with pytest.raises(RunError):
        await assistant.export("t", tmp_path / "out")
    await say(assistant, START)
    with pytest.raises(RunError):
        await assistant.export("t", tmp_path / "out")
    await say(assistant, "approve")
    assert {p.name for p in await assistant.export("t", tmp_path / "out")} >= {"related_work.tex", "references.bib"}


async def test_wishes_questions_and_refusals_about_the_outline(assistant: Assistant):
    await say(assistant, START)
    first = assistant.run("t").outline
    told = await say(assistant, "split the first by year, and call the second one Checking claims")
    assert "Added: " in answers(told)
    assert "Renamed: " in answers(told)
    assert isinstance(told[-1], OutlineReady)
    changed = assistant.run("t").outline
    assert len(changed.topics) == len(first.topics) + 1

    reasons = {a.paper_id: a.phrase for a in assistant.run("t").taxonomy.assignments}
    number, paper = next((n, p) for n, t in enumerate(changed.topics, 1) for p in t.papers if p in reasons)
    name = assistant.paper_card(paper)
    said = answers(await say(assistant, f"why is “{name.title}” in topic {number}?"))
    assert f"is in topic {number}, “" in said
    assert f"it says “{reasons[paper]}”" in said
    assert "Every paper" in answers(await say(assistant, "what is not covered?"))
    assert assistant.run("t").outline == changed, "questions change nothing"

    with pytest.raises(InputError, match=r"no topic 9|numbered from 1"):
        await say(assistant, "drop topic 9")
    with pytest.raises(InputError, match="cannot be ordered by “beauty”"):
        await say(assistant, "rename 1 to Something else and order by beauty")
    with pytest.raises(InputError, match="No paper of the outline fits"):
        await say(assistant, "move all papers on quantum chemistry to topic 1")
    assert assistant.run("t").outline == changed, "a refused message changes nothing"

    await say(assistant, f"leave out “{name.title}” and order by time")
    assert [u.paper_id for u in assistant.run("t").outline.uncovered if u.by_user] == [paper]
    assert "taken out by the user" in answers(await say(assistant, "which papers are left out?"))
    told = await say(assistant, "undo")
    assert assistant.run("t").outline == changed
    assert "Moved to" in answers(told)
    await say(assistant, "undo")
    assert assistant.run("t").outline == first
    with pytest.raises(InputError, match="first outline"):
        await say(assistant, "undo")


async def test_what_was_changed_survives_another_outline(assistant: Assistant):
    await say(assistant, START)
    await say(assistant, "call the first one Mine, and two topics at most")
    kept = next(t for t in assistant.run("t").outline.topics if t.title == "Mine")
    await say(assistant, f"move paper 1 to topic {assistant.run('t').outline.topics.index(kept) + 1}")
    pinned = next(t for t in assistant.run("t").outline.topics if t.title == "Mine").pinned
    await say(assistant, "give me another outline")
    after = assistant.run("t").outline
    assert len(after.topics) <= 2
    mine = next(t for t in after.topics if t.title == "Mine")
    assert mine.topic_id == kept.topic_id
    assert pinned
    assert set(pinned) <= set(mine.papers)
    await say(assistant, "start over and forget my changes")
    assert "Mine" not in titles(assistant)


async def test_a_changed_library_keeps_the_taxonomy_of_what_did_not_change(assistant: Assistant, tmp_path: Path):
    await say(assistant, START)
    before = assistant.run("t").taxonomy
    bib = tmp_path / "one.bib"
    bib.write_text(
        "@article{own2024, title={Attributed text generation with citations checked}, author={Doe, Jane}, year={2024}, "
        "abstract={We generate text with citations, attribute each sentence to its source, and verify the claims.}}"
    )
    await say(assistant, "", (bib,))
    await say(assistant, START)
    after = assistant.run("t").taxonomy
    there = {p for n in after.nodes for p in n.papers}
    old = restricted(before, there)
    assert {n.node_id: n.label for n in old.nodes}.items() <= {n.node_id: n.label for n in after.nodes}.items()
    now = {n.node_id: set(n.papers) for n in after.nodes}
    assert all(set(n.papers) <= now[n.node_id] for n in old.nodes)


async def test_a_change_in_place_is_told_before_approval(assistant: Assistant):
    await say(assistant, START)
    topics = [t.model_dump(include={"topic_id", "title", "papers"}) for t in assistant.run("t").outline.topics]
    topics[0]["title"] = "By hand"
    told = await press(assistant, "edit_outline", json.loads(json.dumps({"outline": topics})))
    assert "→ “By hand”" in answers(told)
    assert isinstance(told[-1], OutlineReady)
    assert assistant.run("t").outline.topics[0].fixed_by_user
