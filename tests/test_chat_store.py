"""Conversations in SQLite, their files, and who may reach them."""

import asyncio
import os
import stat
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

os.environ.setdefault("CHAINLIT_APP_ROOT", tempfile.mkdtemp())
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import chainlit as cl
    from chainlit.config import config
    from chainlit.context import ChainlitContext, context_var
    from chainlit.emitter import ChainlitEmitter
    from chainlit.session import WebsocketSession
    from chainlit.types import Pagination, ThreadFilter

from sqlalchemy.exc import SQLAlchemyError

from marwg.chat import access
from marwg.chat.data_layer import LocalStorage, SQLiteDataLayer
from marwg.settings import Settings


@pytest_asyncio.fixture
async def layer(tmp_path: Path) -> AsyncIterator[SQLiteDataLayer]:
    layer = SQLiteDataLayer(tmp_path / "chat.db", LocalStorage(tmp_path / "files"))
    yield layer
    await layer.close()


async def sign_in(layer: SQLiteDataLayer, name: str) -> str:
    """Makes this the user of the session, and a conversation of theirs; its id."""
    user = await layer.create_user(cl.User(identifier=name))
    assert user

    async def emit(*_: Any) -> None: ...

    session = WebsocketSession(
        id=str(uuid.uuid4()),
        socket_id=str(uuid.uuid4()),
        emit=emit,
        emit_call=emit,
        user_env={},
        client_type="webapp",
        user=user,
    )
    session.has_first_interaction = True
    context_var.set(ChainlitContext(session, ChainlitEmitter(session)))
    await layer.update_thread(session.thread_id, name=f"of {name}", user_id=user.id, tags=["a", "b"])
    return session.thread_id


def step(thread_id: str, output: str, step_id: str = "") -> dict[str, Any]:
    made = {"id": step_id or str(uuid.uuid4()), "threadId": thread_id, "name": "s", "type": "tool", "output": output}
    return {**made, "streaming": False, "createdAt": "2026-01-01T00:00:00Z", "modes": {"a": "b"}, "autoCollapse": True}


async def test_what_a_step_says_last_is_what_is_kept(layer: SQLiteDataLayer) -> None:
    thread_id = await sign_in(layer, "ann")
    ids = [str(uuid.uuid4()) for _ in range(40)]
    writes = [(layer.create_step, i, "") for i in ids] + [(layer.update_step, i, f"done {i}") for i in ids]
    writes.sort(key=lambda w: w[1])
    await asyncio.gather(*[asyncio.create_task(write(step(thread_id, out, i))) for write, i, out in writes])
    thread = await layer.get_thread(thread_id)
    assert thread
    assert {s["id"]: s["output"] for s in thread["steps"]} == {i: f"done {i}" for i in ids}
    assert thread["tags"] == ["a", "b"]


async def test_an_sql_error_is_raised(layer: SQLiteDataLayer) -> None:
    with pytest.raises(SQLAlchemyError):
        await layer.execute_sql("SELECT nothing FROM nowhere", {})


async def test_an_element_is_changed_by_its_owner_only(
    layer: SQLiteDataLayer, caplog: pytest.LogCaptureFixture
) -> None:
    mine = await sign_in(layer, "ann")
    element = cl.CustomElement(name="ClaimLedger", props={"state": "open"}, for_id="m", thread_id=mine)
    await layer.create_element(element)
    theirs = await sign_in(layer, "bob")
    for thread_id in (mine, theirs):
        forged = cl.CustomElement(
            name="ClaimLedger", props={"state": "forged"}, id=element.id, for_id="m", thread_id=thread_id
        )
        await layer.create_element(forged)
        await layer.delete_element(element.id, thread_id)
    assert [row["props"] for row in await layer.elements(mine, "ClaimLedger")] == [{"state": "open"}]
    assert "refused" in caplog.text


async def test_a_file_is_given_to_the_owner_of_its_conversation(layer: SQLiteDataLayer) -> None:
    thread_id = await sign_in(layer, "ann")
    await layer.create_element(
        cl.File(name="refs.bib", content=b"@misc{a}", for_id="m", thread_id=thread_id, mime="text/plain")
    )
    thread = await layer.get_thread(thread_id)
    assert thread
    key = thread["elements"][0]["objectKey"]
    assert thread["elements"][0]["url"] == f"/blob/{key}"
    assert layer.storage_provider.path(key).read_bytes() == b"@misc{a}"
    assert await layer.owns_blob("ann", key)
    assert not await layer.owns_blob("bob", key)


async def test_conversations_are_listed_newest_first_page_by_page_and_found_by_their_words(
    layer: SQLiteDataLayer,
) -> None:
    ids = []
    for i in range(5):
        ids.append(await sign_in(layer, "ann"))
        await layer.create_step({**step(ids[-1], f"About Retrieval {i}"), "createdAt": f"2026-01-0{i + 1}T00:00:00Z"})
    await sign_in(layer, "bob")
    user = await layer.get_user("ann")
    assert user
    first = await layer.list_threads(Pagination(first=3), ThreadFilter(userId=user.id))
    rest = await layer.list_threads(Pagination(first=3, cursor=first.pageInfo.endCursor), ThreadFilter(userId=user.id))
    assert [t["id"] for t in [*first.data, *rest.data]] == ids[::-1]
    assert (first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage) == (True, False)
    found = await layer.list_threads(Pagination(first=9), ThreadFilter(userId=user.id, search="retrieval 3"))
    assert [t["id"] for t in found.data] == [ids[3]]


@pytest.mark.parametrize("key", ["../../etc/passwd", "a/../../b", "/etc/passwd", "a//b/..", "x/" + "ü<>|:.txt"])
def test_no_key_leads_out_of_the_store(tmp_path: Path, key: str) -> None:
    assert LocalStorage(tmp_path).path(key).is_relative_to(tmp_path)


# ---------------------------------------------------------------- access


@pytest.fixture
def logins(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The framework's login callbacks, empty."""
    monkeypatch.setattr(config.code, "header_auth_callback", None)
    monkeypatch.setattr(config.code, "password_auth_callback", None)
    return config.code


async def test_at_this_machine_nobody_has_to_log_in_but_a_rebound_name_does_not_get_in(
    tmp_path: Path, logins: Any
) -> None:
    access.install(Settings(home=tmp_path), {})
    assert (await logins.header_auth_callback({"host": "127.0.0.1:8000"})).identifier == access.USER
    assert (await logins.header_auth_callback({"host": "localhost"})).identifier == access.USER
    assert (await logins.header_auth_callback({"host": "[::1]:8000"})).identifier == access.USER
    assert await logins.header_auth_callback({"host": "evil.example:8000"}) is None
    assert logins.password_auth_callback is None


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "my-server"])
def test_where_others_can_reach_it_it_does_not_start_without_a_password(tmp_path: Path, logins: Any, host: str) -> None:
    with pytest.raises(access.NoPassword, match="MARWG_PASSWORD"):
        access.install(Settings(home=tmp_path), {"CHAINLIT_HOST": host})
    assert logins.header_auth_callback is None


async def test_with_a_password_only_who_knows_it_gets_in(tmp_path: Path, logins: Any) -> None:
    access.install(Settings(home=tmp_path, password=SecretStr("grün")), {"CHAINLIT_HOST": "0.0.0.0"})
    assert (await logins.password_auth_callback("any", "grün")).identifier == access.USER
    assert await logins.password_auth_callback("any", "") is None
    assert logins.header_auth_callback is None


def test_the_secret_is_made_once_and_is_its_owners(tmp_path: Path, logins: Any) -> None:
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    access.install(Settings(home=tmp_path), first)
    access.install(Settings(home=tmp_path), second)
    assert first == second
    assert len(first["CHAINLIT_AUTH_SECRET"]) >= 64
    assert stat.S_IMODE((tmp_path / "chat_secret").stat().st_mode) == 0o600
