"""A library and an index in memory, with the interfaces of the real ones; pages can be made to fail."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from marwg.errors import UnreadableFile
from marwg.types import Page, Paper, PaperId, Passage
from tests.fake_encoder import encode


@dataclass
class FakeLibrary:
    held: list[Paper]
    pages_of: dict[PaperId, list[Page]] = field(default_factory=dict)
    foreign: dict[PaperId, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.held)

    def get(self, paper_id: PaperId) -> Paper:
        return next(p for p in self.held if p.paper_id == paper_id)

    def papers(self, ids: Sequence[PaperId] | None = None) -> list[Paper]:
        held = {p.paper_id: p for p in self.held}
        return [held[i] for i in (held if ids is None else ids) if i in held]

    def pages(self, paper_id: PaperId) -> list[Page]:
        return self.pages_of.get(paper_id, [])

    def by_key(self, key: str) -> Paper | None:
        return next((p for p in self.held if p.key == key), None)

    def found_online(self) -> dict[PaperId, str]:
        return dict(self.foreign)

    def has_full_text(self, paper_id: PaperId) -> bool:
        return bool(self.pages_of.get(paper_id))


class FakeIndex:
    """Exact search over title and abstract; `searched` remembers the queries, `broken` papers have no readable pages."""

    def __init__(self, library: FakeLibrary, broken: Sequence[PaperId] = (), topics: dict[PaperId, str] | None = None):
        self.library, self.broken, self.labels = library, broken, topics or {}
        self.searched: list[tuple[str, int]] = []
        self.embedder = SimpleNamespace(name="fake", aencode=self._aencode)

    async def _aencode(self, texts: Sequence[str]) -> np.ndarray:
        return encode(texts)

    async def vectors(self, paper_ids: Sequence[PaperId]) -> dict[PaperId, np.ndarray]:
        papers = [self.library.get(i) for i in paper_ids]
        rows = encode([f"{p.title} {p.abstract}" for p in papers])
        return {p.paper_id: row for p, row in zip(papers, rows, strict=True)}

    async def search(self, query: str, limit: int, lexical: bool = True, report=None) -> list[SimpleNamespace]:
        self.searched.append((query, limit))
        rows, wanted = await self.vectors([p.paper_id for p in self.library.held]), encode([query])[0]
        near = sorted(((float(row @ wanted), i) for i, row in rows.items()), key=lambda each: (-each[0], each[1]))
        return [SimpleNamespace(paper_id=i, similarity=s, score=s) for s, i in near[:limit]]

    async def passages(self, paper_id: PaperId) -> list[tuple[Passage, np.ndarray]]:
        if paper_id in self.broken:
            raise UnreadableFile("Its pages cannot be read.")
        pages = self.library.pages(paper_id)
        passages = [
            Passage(paper_id=paper_id, page=p.number, start=0, end=len(p.text), text=p.text) for p in pages if p.text
        ]
        return list(zip(passages, encode([p.text for p in passages]), strict=True))

    async def topics(self) -> dict[PaperId, str]:
        return self.labels
