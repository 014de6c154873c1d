"""The index of a benchmark's corpus: `Index` itself over vectors in memory, exact, and kept in a file of the evaluation."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from marwg.index import Embedder, Index
from marwg.index.passages import passages_of
from marwg.library import Library
from marwg.settings import Settings
from marwg.types import Paper, PaperId, Passage

_TEXTS_AT_ONCE = 256


class Encoder(Protocol):
    """What is needed of an embedding model."""

    name: str
    dimension: int

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...

    async def aencode(self, texts: Sequence[str]) -> np.ndarray: ...


class CorpusIndex(Index):
    """Searches a library that does not change, as `Index` does. Every system of an evaluation works on the same one."""

    def __init__(self, library: Library, embedder: Encoder, rows: np.ndarray, ids: Sequence[PaperId]) -> None:
        # The vector database opens nothing before its first use, and is never used.
        super().__init__(Settings(home=library.path.parent), cast(Embedder, embedder), library)
        self._store = cast(Any, _Vectors(library, embedder, rows, ids))

    @classmethod
    async def open(
        cls, library: Library, embedder: Encoder, kept: Path, report: Callable[[str], None] = lambda text: None
    ) -> "CorpusIndex":
        """The index of all papers; what `kept` holds already, by text, is not embedded again."""
        papers = library.papers()
        rows = await asyncio.to_thread(_embedded, papers, embedder, kept, report)
        return cls(library, embedder, rows, [p.paper_id for p in papers])

    async def topics(self) -> dict[PaperId, str]:
        """None: topics label candidates for readers, and an evaluation has none."""
        return {}


class _Vectors:
    """What `Index` asks of its vector database, from arrays."""

    def __init__(self, library: Library, embedder: Encoder, rows: np.ndarray, ids: Sequence[PaperId]) -> None:
        self._library, self._embedder = library, embedder
        self._rows, self._ids = rows, list(ids)
        self._place = {paper_id: place for place, paper_id in enumerate(ids)}
        self._passages: dict[PaperId, list[tuple[Passage, np.ndarray]]] = {}

    def digests(self) -> dict[PaperId, str]:
        return self._library.digests()

    def search(self, vector: np.ndarray, limit: int) -> list[tuple[PaperId, float]]:
        cosines = self._rows @ vector
        return [(self._ids[i], float(cosines[i])) for i in np.argsort(-cosines, kind="stable")[:limit]]

    def vectors(self, paper_ids: Sequence[PaperId]) -> dict[PaperId, np.ndarray]:
        return {i: self._rows[self._place[i]] for i in paper_ids if i in self._place}

    def passages_of(self, paper_id: PaperId) -> list[tuple[Passage, np.ndarray]]:
        if paper_id not in self._passages:
            passages = passages_of(self._library.pages(paper_id))
            rows = self._embedder.encode([p.text for p in passages])
            self._passages[paper_id] = list(zip(passages, rows, strict=True))
        return self._passages[paper_id]

    def close(self) -> None:
        """Nothing is open."""


def _embedded(papers: Sequence[Paper], embedder: Encoder, kept: Path, report: Callable[[str], None]) -> np.ndarray:
    texts = [f"{p.title}\n{p.abstract}" if p.abstract else p.title for p in papers]
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    known: dict[str, np.ndarray] = {}
    if kept.is_file():
        with np.load(kept) as stored:
            known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))
    wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    lacking = sorted(wanted.items(), key=lambda item: len(item[1]))
    for start in range(0, len(lacking), _TEXTS_AT_ONCE):
        report(f"Corpus: {start} of {len(lacking)} papers embedded with {embedder.name}")
        batch = lacking[start : start + _TEXTS_AT_ONCE]
        known |= zip([key for key, _ in batch], embedder.encode([text for _, text in batch]), strict=True)
        if start % (8 * _TEXTS_AT_ONCE) == 0 or start + _TEXTS_AT_ONCE >= len(lacking):
            _keep(kept, known)
    return np.stack([known[key] for key in keys]).astype(np.float32)


def _keep(path: Path, known: dict[str, np.ndarray]) -> None:
    """Written beside and moved into place, so that a stop leaves the last whole file."""
    beside = path.with_name(f"{path.stem}.part.npz")
    np.savez(beside, keys=np.array(list(known)), rows=np.stack(list(known.values())))
    beside.replace(path)
