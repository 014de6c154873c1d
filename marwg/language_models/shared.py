"""What the accounts of one process have in common: the cache, connections, and how many calls go out at a time."""

import asyncio
from typing import Any
from weakref import WeakValueDictionary

from marwg.language_models.cache import Cache
from marwg.language_models.choice import Spec
from marwg.language_models.providers import Connection, Mode
from marwg.settings import Settings


class Shared:
    """Made once for a process; everything in it is opened when it is first needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.cache = Cache(settings.home / "cache.db")
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.modes: dict[Spec, tuple[Mode, ...]] = {}
        self.writer: Any = None
        self._connections: dict[Spec, Connection] = {}
        self._gate: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    def connection(self, spec: Spec) -> Connection:
        """The connection to a model, made when it is first needed."""
        if spec not in self._connections:
            self._connections[spec] = Connection(spec, self.settings)
        return self._connections[spec]

    def lock(self, key: str) -> asyncio.Lock:
        """The lock of a question; gone when nobody asks it any more."""
        return self._locks.setdefault(key, asyncio.Lock())

    def gate(self) -> asyncio.Semaphore:
        """Lets so many calls through at a time; belongs to the running event loop."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._gate[0] is not loop:
            self._gate = loop, asyncio.Semaphore(self.settings.concurrency)
        return self._gate[1]

    async def close(self) -> None:
        """Close connections and the cache."""
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()
        self.cache.close()
