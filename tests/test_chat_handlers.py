"""The chat's handlers with a real session and store, a stand-in for the assistant, and no browser."""

import asyncio
import os
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

os.environ.setdefault("CHAINLIT_APP_ROOT", tempfile.mkdtemp())  # the framework makes files there when it is imported

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what the framework imports warns of its own future
    import chainlit as cl
    from chainlit.config import config
    from chainlit.context import ChainlitContext, context_var, local_steps
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession

from marwg.errors import InputError, LibraryBusy
from marwg.types import ClaimState
from tests.fake_assistant import TOPICS, FakeAssistant

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOCAL = "Towards attributed generation\n\nWe study how sources are cited and verified in generated text."


class Page:
    """A browser tab: what was sent to it, in order."""

    def __init__(self, app: Any, thread_id: str) -> None:
        self.app, self.thread_id, self.events = app, thread_id, []

        async def emit(event: str, data: Any) -> None:
            self.events.append((event, data))

        self.session = WebsocketSession(
            id=str(uuid.uuid4()),
            socket_id=str(uuid.uuid4()),
            emit=emit,
            emit_call=emit,
            user_env={},
            client_type="webapp",
            thread_id=thread_id,
        )
        self.session.has_first_interaction = True
        self.look()

    def look(self) -> None:
        """Makes this tab the one that handlers speak to."""
        context_var.set(ChainlitContext(self.session, ChainlitEmitter(self.session)))
        local_steps.set(None)

    async def say(self, text: str) -> None:
        self.look()
        await config.code.on_message(cl.Message(content=text, type="user_message"))

    async def press(self, name: str, payload: Any) -> dict[str, Any]:
        """Presses a button and waits for the turn that it began."""
        self.look()
        answer = await config.code.action_callbacks[name](cl.Action(name=name, payload=payload))
        await self.app.turns.follow(self.thread_id)
        return answer

    def names(self, kind: str) -> list[str]:
        return [d["name"] for e, d in self.events if e == kind and "name" in d]

    def element_seen(self, name: str) -> bool:
        return name in self.names("element")

    async def until_drawn(self, name: str) -> None:
        while not self.element_seen(name):  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    def texts(self) -> list[str]:
        """Messages of the assistant as they stand in the end."""
        last = {
            d["id"]: d
            for e, d in self.events
            if e in ("new_message", "update_message") and d["type"] == "assistant_message"
        }
        return [d["output"] for d in last.values()]

    def steps(self) -> list[str]:
        last = {d["id"]: d for e, d in self.events if e in ("new_message", "update_message") and d["type"] == "tool"}
        return [d["name"] for d in last.values()]

    def element(self, name: str) -> dict[str, Any]:
        """The newest props of one kind of element."""
        return [d for e, d in self.events if e == "element" and d["name"] == name][-1]["props"]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """The chat itself, imported with a home of its own and the stand-in for the assistant."""
    from marwg.chat.service import service

    home = tmp_path_factory.mktemp("chat")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARWG_HOME", str(home))
        patch.setenv("CHAINLIT_AUTH_SECRET", "x" * 64)
        patch.delenv("CHAINLIT_HOST", raising=False)
        patch.setattr(service, "factory", FakeAssistant.open)
        import chainlit_app

        yield chainlit_app
    await chainlit_app.layer.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(app: Any) -> AsyncIterator[Page]:
    FakeAssistant.pace = 0.0
    tab = Page(app, str(uuid.uuid4()))
    yield tab
    await asyncio.sleep(0.05)  # writes that the framework started
    await tab.session.delete()


async def stored(app: Any, thread_id: str, name: str) -> list[dict[str, Any]]:
    await asyncio.sleep(0.05)
    return [row["props"] for row in await app.layer.elements(thread_id, name)]


async def test_a_message_is_drawn_stage_by_stage_up_to_the_outline(page: Page) -> None:
    await page.say(FOCAL)
    assert page.steps() == [
        "Candidate Construction · 1 s",
        "Contextual Summarization · 5 s",
        "Taxonomy Organization · under 1 s",
    ]
    assert [n for n in page.names("element") if n != "tasklist"] == ["CandidateTable", "TaxonomyGraph", "OutlineEditor"]
    assert page.element("OutlineEditor")["state"] == "open"
    assert [t["title"] for t in page.element("OutlineEditor")["topics"]] == [t.title for t in TOPICS]
    summaries = [d["output"] for e, d in page.events if e == "update_message" and d["name"].startswith("Contextual")][
        -1
    ]
    assert summaries.count("- **") == 11


async def test_approving_draws_sections_draft_ledger_and_files(page: Page, app: Any) -> None:
    await page.say(FOCAL)
    outline = [{"topic_id": t.topic_id, "title": t.title, "papers": list(t.papers)} for t in TOPICS]
    outline[0]["title"] = "Renamed"
    assert await page.press("outline_approve", {"outline": outline}) == {"started": True}
    draft = next(t for t in page.texts() if t.startswith("## Related work"))
    assert "### Renamed" in draft
    assert "(Lewis et al., 2020)" in draft
    assert "@p1" not in draft
    for claim in page.element("ClaimLedger")["rows"]:
        assert draft.count(f"](#claim-{claim['number']}-{claim['state'].replace(' ', '-')})") == 1
    assert set(page.names("element")) >= {"related_work.md", "related_work.tex", "references.bib", "ledger.json"}
    cards = await stored(app, page.thread_id, "OutlineEditor")
    assert [c["state"] for c in cards] == ["approved"]
    assert cards[0]["topics"][0]["title"] == "Renamed"


async def test_a_new_outline_supersedes_the_old_one(page: Page, app: Any) -> None:
    await page.say(FOCAL)
    await page.say("merge the last two")
    assert [c["state"] for c in await stored(app, page.thread_id, "OutlineEditor")] == ["superseded", "open"]


@pytest.mark.parametrize(
    ("button", "payload"),
    [
        ("outline_approve", {"outline": [{"topic_id": "t9", "title": "x", "papers": ["p1"]}]}),
        ("outline_approve", {"outline": [{"topic_id": "t1", "title": "x", "papers": ["p99"]}]}),
        ("outline_approve", {"outline": [{"topic_id": "t1", "title": "x", "papers": ["p1", "p1"]}]}),
        ("outline_approve", {"outline": [{"topic_id": "t1", "title": "", "papers": []}]}),
        ("outline_approve", {"outline": [{"topic_id": "t1", "title": "x", "papers": [], "run": "other"}]}),
        ("outline_approve", {"outline": []}),
        ("outline_approve", {"outline": "not a list"}),
        ("claim_why", {"claim": 1}),
        ("claim_decide", {"claim": 1, "decision": "delete everything"}),
        ("claim_sources", {"claim": "../../etc/passwd"}),
        ("run_continue", {"thread_id": "another"}),
    ],
)
async def test_what_the_browser_may_not_send_starts_nothing(page: Page, app: Any, button: str, payload: Any) -> None:
    await page.say(FOCAL)
    asked = len((await app.service.assistant()).asked)
    answer = await page.press(button, payload)
    assert answer["started"] is False
    assert answer["problem"]
    assert len((await app.service.assistant()).asked) == asked


async def test_decisions_and_rechecks_change_the_ledger_in_place(page: Page, app: Any) -> None:
    await page.say(FOCAL)
    await page.say("approve")
    await page.press("claim_decide", {"claim": 8, "decision": "reject"})
    assert sum("[8 ✗]" in t for t in page.texts()) == 1
    await page.press("claim_recheck", {"claim": 8})
    assert [t.count("[8 ✓]") for t in page.texts() if t.startswith("## Related work")] == [1]
    ledgers = await stored(app, page.thread_id, "ClaimLedger")
    assert len(ledgers) == 1
    assert (ledgers[0]["rows"][7]["decision"], ledgers[0]["rows"][7]["state"]) == ("reject", ClaimState.SUPPORTED.value)
    await page.press("claim_why", {"claim": 4})
    assert any("Claim 4 was flagged because the number is not in (Karpukhin et al., 2020)." in t for t in page.texts())


async def test_sources_open_beside_the_conversation(page: Page) -> None:
    await page.say(FOCAL)
    await page.say("approve")
    assert (await page.press("claim_sources", {"claim": 1}))["started"]
    kinds = [e for e, _ in page.events]
    assert kinds.index("set_sidebar_elements") < kinds.index("set_sidebar_title")
    passage = page.element("SourcePanel")["passages"][0]
    assert passage["where"] == "page 3"
    assert [words for words, marked in passage["words"] if marked] == ["passages", "mine what it ca"]


async def test_a_stopped_run_is_kept_and_can_be_continued(page: Page, app: Any) -> None:
    FakeAssistant.pace = 0.03
    talk = asyncio.create_task(page.say(FOCAL))
    await page.until_drawn("CandidateTable")
    page.look()
    await app.stop()
    await talk
    assert "Contextual Summarization · stopped" in page.steps()
    assert page.element("ContinueCard") == {"state": "open"}
    FakeAssistant.pace = 0.0
    assert (await page.press("run_continue", {}))["started"]
    assert page.element("OutlineEditor")["state"] == "open"
    assert [c["state"] for c in await stored(app, page.thread_id, "ContinueCard")] == ["used"]


async def test_a_new_tab_takes_a_run_over_without_drawing_twice(page: Page, app: Any) -> None:
    FakeAssistant.pace = 0.05
    talk = asyncio.create_task(page.say(FOCAL))
    await page.until_drawn("CandidateTable")
    tab = Page(app, page.thread_id)
    await app.chat_resume({})
    await talk
    assert tab.element("OutlineEditor")["state"] == "open"
    assert tab.steps()[0].startswith("Candidate Construction")  # what was drawn before it came
    assert ("task_start", {}) in tab.events
    assert not page.element_seen("OutlineEditor")
    for name in ("CandidateTable", "TaxonomyGraph", "OutlineEditor"):
        assert len(await stored(app, page.thread_id, name)) == 1
    await tab.session.delete()


async def test_after_a_crash_the_conversation_offers_to_continue_once(page: Page, app: Any) -> None:
    await page.say(FOCAL)
    assistant = await app.service.assistant()
    run = assistant.run(page.thread_id)
    assistant._save(page.thread_id, run, outline_approved=True)  # the server went down while it was drafting
    for _ in range(2):
        tab = Page(app, page.thread_id)
        await app.chat_resume({})
        await tab.session.current_task
        assert "tasklist" in tab.names("element")
        await tab.session.delete()
    assert [c["state"] for c in await stored(app, page.thread_id, "ContinueCard")] == ["open"]


async def test_a_known_error_says_what_to_do(page: Page) -> None:
    await page.say("empty library")
    assert page.texts()[-1] == "**The library is empty.** Upload a .bib file or PDFs first."


async def test_an_unknown_error_is_logged_and_told_without_its_inside(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    await page.say("surprise")
    assert "what only the log may know" in caplog.text
    assert "Traceback" in caplog.text
    assert "Try it again." in page.texts()[-1]
    assert "only the log" not in page.texts()[-1]


async def test_a_busy_conversation_says_so(page: Page, app: Any) -> None:
    FakeAssistant.pace = 0.03
    talk = asyncio.create_task(page.say(FOCAL))
    await page.until_drawn("CandidateTable")
    other = Page(app, page.thread_id)
    answer = await app.run_continue(cl.Action(name="run_continue", payload={}))
    assert "still at work" in answer["problem"]
    page.look()
    await app.stop()
    await talk
    await other.session.delete()


async def test_settings_hold_for_this_conversation(page: Page, app: Any) -> None:
    page.look()
    await app.settings_update({"breadth": 12.0, "until": "", "words": 400, "unknown": 1})
    parameters = (await app.service.assistant()).parameters(page.thread_id)
    assert (parameters.breadth, parameters.words, parameters.until) == (12, 400, None)
    await app.settings_update({"breadth": 0})
    event, toast = page.events[-1]
    assert (event, toast["type"]) == ("toast", "error")
    assert "'breadth'" in toast["message"]


async def test_uploads_keep_their_names(page: Page, app: Any, tmp_path: Path) -> None:
    source = tmp_path / "3f2a.bib"
    source.write_text("@misc{a, title={A}}")
    message = cl.Message(content="my library", elements=[cl.File(name="../refs.bib", path=str(source))])
    page.look()
    await app.message(message)
    (_, files) = (await app.service.assistant()).asked[-1]
    assert files == [app.HOME / "uploads" / page.thread_id / "refs.bib"]
    assert files[0].read_text() == source.read_text()


async def test_an_id_that_is_no_uuid_names_no_folder(app: Any) -> None:
    tab = Page(app, "../../etc")
    with pytest.raises(InputError):
        app.this_thread()
    await tab.session.delete()


async def test_the_empty_page_says_what_it_is_and_how_to_begin(app: Any) -> None:
    (profile,) = await app.profiles(None)
    assert "built-in writer" in profile.markdown_description
    assert len(await app.starters(None)) == 3


async def test_an_assistant_that_cannot_be_opened_is_told_on_the_page_and_at_each_message(
    page: Page, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_settings: Any) -> Any:
        raise LibraryBusy("Another process holds the library.", "Close it and load the page again.")

    monkeypatch.setattr(app.service, "factory", refuse)
    monkeypatch.setattr(app.service, "_assistant", None)
    (profile,) = await app.profiles(None)
    assert "Close it and load the page again." in profile.markdown_description
    assert await app.starters(None) == []
    await page.say(FOCAL)
    assert page.texts() == ["**Another process holds the library.** Close it and load the page again."]
