"""Errors as the user reads them: what happened and what to do. What only the log may know goes there."""

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import chainlit as cl

from marwg.errors import MarwgError

P = ParamSpec("P")

log = logging.getLogger(__name__)

UNEXPECTED = MarwgError(
    "Something went wrong that should not have; what was done before is kept.",
    "Try it again. If it happens again, report it with what the log of the server says.",
)


async def tell(error: MarwgError) -> None:
    """Puts an error on the page."""
    await cl.ErrorMessage(content=f"**{error.message}** {error.hint}".strip()).send()


def told(handler: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """A handler whose errors reach the user; the framework alone would only log them."""

    @functools.wraps(handler)
    async def safe(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await handler(*args, **kwargs)
        except MarwgError as error:
            await tell(error)
        except Exception:
            log.exception("%s failed", handler.__name__)
            await tell(UNEXPECTED)

    return safe
