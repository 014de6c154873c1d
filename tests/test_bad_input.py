"""What can go wrong on the way gets one clear sentence with what to do, and loses nothing."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from marwg.conversation import Assistant, starters
from marwg.errors import IndexUnavailable, InvalidReply, KeyRefused, MarwgError, ModelTimeout
from marwg.events import Notice, OutlineReady
from marwg.language_models import Models
from marwg.settings import Settings
from tests.model_server import ModelServer, Said
from tests.real_services import open_services

STARTER = starters.load()[1]
START = f"{STARTER.title}\n\n{STARTER.abstract}"


@asynccontextmanager
async def assistant_with(home: Path, server: ModelServer, **settings: object) -> AsyncIterator[Assistant]:
    """The assistant with a model behind an address."""
    async with server:
        services = open_services(home)
        chosen = Settings(
            home=home,
            generator="compatible:model",
            verifier="compatible:model",
            base_url=f"{server.url}/v1",
            api_key="key-1234567890",
            retry_seconds=0.0,
            attempts=2,
            **settings,
        )
        assistant = Assistant(replace(services, models=Models(chosen, services.index.embedder.encode)))
        await assistant.set_parameters("t", {"breadth": 6})
        yield assistant
        await assistant.close()
        await services.models.close()


async def said(assistant: Assistant, text: str) -> list[object]:
    return [told async for told in assistant.handle("t", text)]


def outline_of(assistant: Assistant) -> dict[str, object]:
    """What the browser sends for an outline that was not touched."""
    topics = assistant.run("t").outline.topics
    return {"outline": [t.model_dump(mode="json", include={"topic_id", "title", "papers"}) for t in topics]}


async def collect(assistant: Assistant, told: list[object]) -> None:
    async for each in assistant.handle("t", START):
        told.append(each)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Said(status=401, body={"error": {"message": "bad key key-1234567890"}}), KeyRefused),
        (Said(text="I am a teapot, short and stout."), InvalidReply),
        (Said(text="{}", delay=1.0), ModelTimeout),
    ],
)
async def test_a_model_that_fails_is_told_and_the_run_goes_on_later(
    own_home: Path, reply: Said, error: type[MarwgError]
):
    server = ModelServer(rule=lambda _: reply)
    async with assistant_with(own_home, server, timeout_seconds=0.2) as assistant:
        with pytest.raises(error) as failed:
            await said(assistant, START)
        assert failed.value.message
        assert failed.value.hint
        assert "key-1234567890" not in str(failed.value)
        kept = assistant.run("t")
        assert kept.request.focal.title == STARTER.title
        assert kept.draft is None
    # the same conversation with a writer that works
    again = Assistant(open_services(own_home))
    told = [t async for t in again.act("t", "continue", {})]
    assert isinstance(told[-1], OutlineReady)
    assert again.run("t").run_id == kept.run_id
    await again.close()


async def test_a_model_that_cannot_read_candidates_leaves_them_by_similarity_and_says_so(own_home: Path):
    def rule(asked):  # type: ignore[no-untyped-def]
        return Said(text="no idea") if "reader" in asked.prompt or "cite" in asked.prompt else Said(status=401, body={})

    async with assistant_with(own_home, ModelServer(rule=rule)) as assistant:
        told: list[object] = []
        with pytest.raises(MarwgError):
            await collect(assistant, told)
        assert any(isinstance(t, Notice) and "similarity" in t.text for t in told)


async def test_a_model_that_answers_with_empty_lists_invents_nothing(own_home: Path):
    names = (
        "papers",
        "cards",
        "topics",
        "queries",
        "sections",
        "verdicts",
        "paragraphs",
        "claims",
        "clusters",
        "pairs",
    )
    empty = json.dumps({name: [] for name in names})
    async with assistant_with(own_home, ModelServer(rule=lambda _: Said(text=empty))) as assistant:
        told = await said(assistant, START)
        assert any(isinstance(t, Notice) and t.level == "warning" for t in told)
        with pytest.raises(MarwgError, match="nothing was written"):
            [t async for t in assistant.act("t", "approve", outline_of(assistant))]
        assert assistant.run("t").draft is None


async def test_a_milvus_that_is_down_is_said_so(own_home: Path):
    services = open_services(own_home, milvus_uri="http://127.0.0.1:9")
    assistant = Assistant(services)
    with pytest.raises(IndexUnavailable) as failed:
        await said(assistant, START)
    assert "127.0.0.1:9" in failed.value.message
    assert failed.value.hint
    assert assistant.run("t").request.focal.title == STARTER.title
    await assistant.close()


async def test_more_papers_wanted_than_there_are(own_home: Path):
    services = open_services(own_home, starter=False)
    bib = own_home / "few.bib"
    bib.write_text(
        "\n".join(
            f"@misc{{k{n}, title={{Verification of claims, part {n}}}, year={{2020}}, "
            f"abstract={{{STARTER.abstract[60 * n :]} We verify claims, number {n}.}}}}"
            for n in range(4)
        )
    )
    assistant = Assistant(services)
    [t async for t in assistant.handle("t", "", (bib,))]
    told = await said(assistant, START)
    assert isinstance(told[-1], OutlineReady)
    assert len(assistant.run("t").candidates.shortlist) <= 4
    assert any(isinstance(t, Notice) for t in told)
    await assistant.close()
