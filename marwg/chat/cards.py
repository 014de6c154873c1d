"""The elements of a conversation that live on: made, found again in the store, and changed there and on the page."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import chainlit as cl

from marwg.chat.data_layer import SQLiteDataLayer

MIME = {".md": "text/markdown", ".tex": "text/x-tex", ".bib": "text/x-bibtex", ".json": "application/json"}


class Cards:
    """The custom elements of one conversation. `state` in their props is "open" for those that can still be used."""

    def __init__(self, layer: SQLiteDataLayer, thread_id: str, folder: Path) -> None:
        self._layer = layer
        self._thread_id = thread_id
        self.folder = folder

    def new(self, name: str, props: dict[str, Any]) -> cl.CustomElement:
        """An element to be sent with a message."""
        return cl.CustomElement(name=name, props=props, display="inline", thread_id=self._thread_id)

    def files(self, paths: Iterable[Path]) -> list[cl.File]:
        """Files to be sent with a message."""
        return [cl.File(name=p.name, path=str(p), mime=MIME.get(p.suffix), display="inline") for p in paths]

    async def open(self, name: str) -> list[dict[str, Any]]:
        """The stored elements of one kind that can still be used, as id, forId and props."""
        return [row for row in await self._layer.elements(self._thread_id, name) if row["props"].get("state") == "open"]

    async def settle(self, name: str, state: str, **changes: Any) -> None:
        """Gives the open elements of one kind another state."""
        for row in await self.open(name):
            await self._update(name, row, {**row["props"], "state": state, **changes})

    async def refresh(self, name: str, props: dict[str, Any], same: tuple[str, ...]) -> bool:
        """Gives the open elements of one kind new props; False where none agrees with them in these fields."""
        rows = [r for r in await self.open(name) if all(r["props"].get(f) == props[f] for f in same)]
        for row in rows:
            await self._update(name, row, row["props"] | props)
        return bool(rows)

    async def _update(self, name: str, row: dict[str, Any], props: dict[str, Any]) -> None:
        element = cl.CustomElement(
            name=name, id=row["id"], for_id=row["forId"], thread_id=self._thread_id, props=props, display="inline"
        )
        await element.update()
