"""The one assistant of this process, opened at its first use."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from marwg.settings import Settings

if TYPE_CHECKING:
    from marwg.conversation.assistant import Assistant

Factory = Callable[[Settings], Awaitable["Assistant"]]


class Service:
    """Holds the settings and the assistant; `factory` may be replaced before the first use."""

    def __init__(self) -> None:
        self.factory: Factory = _open
        self._settings: Settings | None = None
        self._assistant: Assistant | None = None
        self._warming: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()

    @property
    def settings(self) -> Settings:
        """The settings as the environment says at the first use."""
        if self._settings is None:
            self._settings = Settings()
        return self._settings

    async def assistant(self) -> "Assistant":
        """The assistant; the first caller opens it and the others wait."""
        async with self._opening:
            if self._assistant is None:
                self._assistant = await self.factory(self.settings)
                self._warming = asyncio.create_task(self._assistant.warm_up())  # while the user reads and writes
            return self._assistant

    async def close(self) -> None:
        """Lets go of what the assistant holds."""
        if self._assistant is not None:
            if self._warming:
                self._warming.cancel()
            await self._assistant.close()
            self._assistant = None


async def _open(settings: Settings) -> "Assistant":
    from marwg.conversation.assistant import Assistant

    return await Assistant.open(settings)


service = Service()
