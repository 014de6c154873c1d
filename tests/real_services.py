"""The real services on disk, with the starter library, the built-in writer and a fast encoder."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from marwg.events import Report
from marwg.index import Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.library.starter import seed
from marwg.runs import Runs
from marwg.services import Services
from marwg.settings import Settings
from tests.fake_encoder import DIMENSION, encode


class FastEmbedder:
    """The interface of `Embedder` over the word encoder of the tests."""

    name, dimension = "words", DIMENSION

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return encode(texts)

    async def aencode(self, texts: Sequence[str]) -> np.ndarray:
        return await asyncio.to_thread(encode, texts)


class IndexWithoutTopics(Index):
    """The real index, but for the fit of topics in the background, which takes seconds and has tests of its own."""

    def start_topics(self, report: Report | None = None) -> asyncio.Task[None]:
        return asyncio.create_task(asyncio.sleep(0))


def open_services(home: Path, starter: bool = True, **settings: object) -> Services:
    """Services in `home`; without `starter` the library is empty."""
    chosen = Settings(home=home, generator="built-in", verifier="built-in", **settings)
    home.mkdir(parents=True, exist_ok=True)
    library = Library(home / "library.db")
    if starter:
        seed(library)
    embedder = FastEmbedder()
    models = Models(chosen, embedder.encode)
    return Services(chosen, models, library, IndexWithoutTopics(chosen, embedder, library), Runs(home / "runs.db"))
