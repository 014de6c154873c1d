"""Conversations in a SQLite file, and the files that belong to them in a folder beside it."""

import asyncio
import json
import logging
import re
import sqlite3
from importlib.resources import files
from pathlib import Path
from typing import Any

from chainlit.context import context
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from chainlit.data.storage_clients.base import BaseStorageClient
from chainlit.element import Element
from chainlit.step import StepDict
from chainlit.types import PageInfo, PaginatedResponse, Pagination, ThreadDict, ThreadFilter
from sqlalchemy import event, text

log = logging.getLogger(__name__)

JSON_COLUMNS = frozenset(
    "metadata tags generation modes props thread_tags thread_metadata step_metadata step_tags step_generation".split()
)


class SQLiteDataLayer(SQLAlchemyDataLayer):
    """Chainlit's SQL data layer made fit for SQLite: JSON columns, writes in order, errors that are not swallowed.

    It also checks what the framework's routes do not: that an element is changed by the owner of its conversation only.
    """

    def __init__(self, path: Path, storage: "LocalStorage") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(files("marwg.chat").joinpath("schema.sql").read_text(encoding="utf-8"))
        connection.close()
        super().__init__(f"sqlite+aiosqlite:///{path}", connect_args={"timeout": 30}, storage_provider=storage)
        self._order = asyncio.Lock()
        event.listen(self.engine.sync_engine, "connect", _wait_for_locks)

    async def execute_sql(self, query: str, parameters: dict[str, Any]) -> list[dict[str, Any]] | int | None:
        """Runs one statement in a transaction of its own; an SQL error is raised, not turned into "nothing found"."""
        bound = {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in parameters.items()}
        async with self.async_session() as session, session.begin():
            result = await session.execute(text(query), bound)
            if not result.returns_rows:
                return int(result.rowcount)
            rows = [dict(row) for row in result.mappings()]
        if "FROM elements WHERE" not in query:  # there the caller parses the columns itself
            for row in rows:
                row.update({k: _parsed(row[k]) for k in JSON_COLUMNS & row.keys()})
        return rows

    # ------------------------------------------------------------ writes in order

    async def create_step(self, step_dict: StepDict) -> None:
        async with self._order:
            await super().create_step(step_dict)

    async def update_step(self, step_dict: StepDict) -> None:
        await self.create_step(step_dict)  # the same upsert; an update that overtakes would lose its output

    async def create_element(self, element: Element) -> None:
        async with self._order:
            if await self._may_change(element.id, element.thread_id):
                await super().create_element(element)

    async def delete_element(self, element_id: str, thread_id: str | None = None) -> None:
        async with self._order:
            if await self._may_change(element_id, thread_id):
                await super().delete_element(element_id, thread_id)

    async def _may_change(self, element_id: str, thread_id: str | None) -> bool:
        """Whether the user of this session owns the conversation, and the element, if it exists, belongs to it."""
        held = await self.execute_sql('SELECT "threadId" FROM elements WHERE "id" = :id', {"id": element_id})
        owner = await self.execute_sql('SELECT "userIdentifier" FROM threads WHERE "id" = :id', {"id": thread_id})
        user = context.session.user.identifier if context.session.user else None
        mine = not isinstance(owner, list) or not owner or owner[0]["userIdentifier"] in (None, user)
        there = not isinstance(held, list) or not held or held[0]["threadId"] == thread_id
        if not (mine and there):
            log.warning("refused to change element %s, which belongs to another conversation", element_id)
        return mine and there

    # ------------------------------------------------------------ reading

    async def list_threads(self, pagination: Pagination, filters: ThreadFilter) -> PaginatedResponse[ThreadDict]:
        """One page of conversations, newest first, without their contents, which can be megabytes."""
        found = await self.execute_sql(
            """
            SELECT t.id, t.createdAt, t.name, t.userId, t.userIdentifier,
                   COALESCE((SELECT MAX(s.createdAt) FROM steps s WHERE s.threadId = t.id), t.createdAt) AS used
            FROM threads t
            WHERE t.userId = :user AND (:search = '' OR EXISTS (
                SELECT 1 FROM steps s WHERE s.threadId = t.id AND instr(lower(s.output), :search)))
            ORDER BY used DESC, t.id
            """,
            {"user": filters.userId, "search": (filters.search or "").lower()},
        )
        rows = found if isinstance(found, list) else []
        ids = [r["id"] for r in rows]
        start = ids.index(pagination.cursor) + 1 if pagination.cursor in ids else 0
        page = rows[start : start + pagination.first]
        threads = [
            ThreadDict(
                id=r["id"],
                createdAt=r["createdAt"],
                name=r["name"],
                userId=r["userId"],
                userIdentifier=r["userIdentifier"],
                tags=[],
                metadata={},
                steps=[],
                elements=[],
            )
            for r in page
        ]
        info = PageInfo(
            hasNextPage=len(rows) > start + len(page),
            startCursor=page[0]["id"] if page else None,
            endCursor=page[-1]["id"] if page else None,
        )
        return PaginatedResponse(pageInfo=info, data=threads)

    async def elements(self, thread_id: str, name: str) -> list[dict[str, Any]]:
        """The custom elements of one kind in a conversation, oldest first, as id, forId and props."""
        async with self._order:  # after what is still being written
            rows = await self.execute_sql(
                'SELECT id, "forId", props FROM elements e WHERE "threadId" = :thread AND name = :name ORDER BY rowid',
                {"thread": thread_id, "name": name},
            )
        return rows if isinstance(rows, list) else []

    async def owns_blob(self, user: str, object_key: str) -> bool:
        """Whether a stored file belongs to a conversation of this user."""
        rows = await self.execute_sql(
            'SELECT 1 FROM elements e JOIN threads t ON t.id = e."threadId" '
            'WHERE e."objectKey" = :key AND t."userIdentifier" = :user',
            {"key": object_key, "user": user},
        )
        return bool(rows)


def _wait_for_locks(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA busy_timeout = 30000")


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


class LocalStorage(BaseStorageClient):
    """Files of conversations under one folder, read again at `/blob/<key>` by their owner."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def path(self, object_key: str) -> Path:
        """Where a key is stored, always inside the folder; a name from outside keeps harmless characters only."""
        parts = [re.sub(r"[^\w.() -]", "_", p).strip(". ") or "_" for p in object_key.split("/") if p]
        path = self.folder.joinpath(*parts).resolve()
        if not path.is_relative_to(self.folder):
            raise ValueError(f"not a key of this store: {object_key!r}")
        return path

    async def upload_file(
        self,
        object_key: str,
        data: bytes | str,
        mime: str = "application/octet-stream",
        overwrite: bool = True,
        content_disposition: str | None = None,
    ) -> dict[str, Any]:
        path = self.path(object_key)
        content = data.encode() if isinstance(data, str) else data

        def write() -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

        await asyncio.to_thread(write)
        return {"object_key": object_key, "url": await self.get_read_url(object_key)}

    async def delete_file(self, object_key: str) -> bool:
        await asyncio.to_thread(self.path(object_key).unlink, missing_ok=True)
        return True

    async def get_read_url(self, object_key: str) -> str:
        return f"/blob/{object_key}"

    async def close(self) -> None:
        """Nothing stays open."""


def serve_blobs(layer: SQLiteDataLayer, storage: LocalStorage) -> None:
    """Adds the route to the server that gives a stored file to the owner of its conversation and to nobody else."""
    from chainlit.auth import get_current_user
    from chainlit.server import app
    from fastapi import Depends, HTTPException
    from fastapi.responses import FileResponse

    async def blob(key: str, user: Any = Depends(get_current_user)) -> FileResponse:  # noqa: B008
        path = storage.path(key)
        if user is None or not await layer.owns_blob(user.identifier, key) or not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, filename=path.name, content_disposition_type="attachment")

    app.add_api_route("/blob/{key:path}", blob, methods=["GET"], include_in_schema=False)
    app.router.routes.insert(0, app.router.routes.pop())  # before the framework's catch-all
