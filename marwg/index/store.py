"""The index of a library: vectors of papers and passages that keep up with it, and hybrid search over them."""

import asyncio
import time
from collections.abc import Mapping, Sequence

import numpy as np

from marwg.errors import EmptyLibrary, MarwgError
from marwg.events import Notice, Progress, Report
from marwg.index.embedding import Embedder
from marwg.index.hybrid import Hit, combined, nearest_sentences, sentences_of
from marwg.index.milvus import VectorStore
from marwg.index.passages import passages_of
from marwg.index.topics import Topics
from marwg.library import Library
from marwg.settings import Settings
from marwg.types import Paper, PaperId, Passage, Stage

_TEXTS_AT_ONCE = 128
_WORTH_SETTLING = 200  # papers; below, a search is fast as it is
_POOL = 150
_MOST = 16_000
_ROWS_KEPT = 60_000  # 90 MB at 384 dimensions


class Index:
    """Finds papers and passages by meaning and words. What the library has and the index lacks is embedded when needed."""

    def __init__(self, settings: Settings, embedder: Embedder, library: Library) -> None:
        self.embedder = embedder
        self.library = library
        where = settings.milvus_uri or str(settings.home / "milvus.db")
        token = settings.milvus_token.get_secret_value()
        self._store = VectorStore(where, embedder.name, embedder.dimension, token)
        self._topics = Topics(library, embedder.name)
        self._changing = asyncio.Lock()
        self._known: dict[PaperId, str] | None = None
        self._checked = -1
        self._rows: dict[PaperId, tuple[str, np.ndarray]] = {}
        self._fit: asyncio.Task[None] | None = None

    async def add(self, paper_ids: Sequence[PaperId], report: Report | None = None) -> None:
        """Embeds these papers with their pages, as far as they are not embedded already."""
        async with self._changing:
            wanted = set(paper_ids)
            await self._embed([i for i in await self._lacking() if i in wanted], report)

    async def remove(self, paper_ids: Sequence[PaperId]) -> None:
        """Forgets the vectors of these papers."""
        async with self._changing:
            await asyncio.to_thread(self._store.remove, list(paper_ids))
            self._known, self._checked = None, -1

    async def pending(self) -> list[PaperId]:
        """The papers of the library that are not embedded as they are now, with the embedding model in use."""
        async with self._changing:
            return await self._lacking()

    async def search(self, query: str, limit: int, lexical: bool = True, report: Report | None = None) -> list[Hit]:
        """The papers nearest to `query` by meaning, and with `lexical` by words too, best first."""
        known = await self._up_to_date(report)
        if not known:
            raise EmptyLibrary(
                "The library is empty, so there is nothing to search in.", "Add a .bib file or PDFs first."
            )
        if limit <= 0 or not query.strip():
            return []
        if not lexical:
            vector = (await self.embedder.aencode([query]))[0]
            return combined(await self._nearest(vector, min(limit, len(known)), known), {}, limit)
        sentences = sentences_of(query)
        encoded = await self.embedder.aencode([query, *sentences])
        vector, parts = encoded[0], encoded[1:]
        # Standard scores of a handful of hits mean little: they are taken over a wider pool than is asked for.
        pool = max(3 * limit, _POOL)
        cosines = await self._nearest(vector, min(pool, len(known)), known)
        bm25 = dict(await asyncio.to_thread(self.library.lexical, query, pool))
        others = [i for i in bm25 if i not in cosines and i in known]
        rows = await self._rows_of([*cosines, *others] if sentences else others, known)
        cosines |= {i: float(rows[i] @ vector) for i in others if i in rows}
        dense_only = [i for i in cosines if i not in bm25]
        bm25 |= dict(await asyncio.to_thread(self.library.lexical, query, len(dense_only), dense_only))
        near = nearest_sentences({i: rows[i] for i in cosines if i in rows}, parts) if sentences else {}
        return combined(cosines, bm25, limit, near)

    async def vectors(self, paper_ids: Sequence[PaperId]) -> dict[PaperId, np.ndarray]:
        """The unit vectors of title and abstract, in this order; papers that are not in the library are left out."""
        known = await self._up_to_date(None)
        return await self._rows_of([i for i in paper_ids if i in known], known)

    async def _rows_of(self, ids: Sequence[PaperId], known: Mapping[PaperId, str]) -> dict[PaperId, np.ndarray]:
        """Vectors of papers, from memory where they were fetched before."""
        fetch = [i for i in ids if self._rows.get(i, ("",))[0] != known[i]]
        if fetch:
            if len(self._rows) + len(fetch) > _ROWS_KEPT:
                self._rows = {i: self._rows[i] for i in ids if i in self._rows}
            found = await asyncio.to_thread(self._store.vectors, fetch)
            self._rows |= {i: (known[i], row) for i, row in found.items()}
        return {i: self._rows[i][1] for i in dict.fromkeys(ids) if self._rows.get(i, ("",))[0] == known[i]}

    async def passages(self, paper_id: PaperId) -> list[tuple[Passage, np.ndarray]]:
        """The passages of a paper's pages with their vectors, in reading order; the abstract is not among them."""
        known = await self._up_to_date(None)
        return await asyncio.to_thread(self._store.passages_of, paper_id) if paper_id in known else []

    async def topics(self) -> dict[PaperId, str]:
        """The BERTopic labels; a paper that was embedded since the fit has the nearest topic. Never waits for a fit."""
        labels = await asyncio.to_thread(self._topics.known)
        known = self._known or {}
        new = [i for i in known if i not in labels] if labels else []
        return labels | self._topics.of_new(await self._rows_of(new, known)) if new else labels

    async def fit_topics(self) -> dict[PaperId, str]:
        """Fits topics where the library changed since the last time; takes seconds, meant for the background."""
        await self._up_to_date(None)
        ids = self.library.ids()
        vectors = await asyncio.to_thread(self._store.vectors, ids)
        return await asyncio.to_thread(self._topics.fit, [i for i in ids if i in vectors], vectors)

    def start_topics(self, report: Report | None = None) -> asyncio.Task[None]:
        """Begins a fit of topics in the background, unless one is running; `topics` has the labels once it is done."""
        if self._fit is None or self._fit.done():
            self._fit = asyncio.create_task(self._fit_in_background(report))
        return self._fit

    async def _fit_in_background(self, report: Report | None) -> None:
        try:
            await self.fit_topics()
        except MarwgError as error:  # topics are a help and nothing waits for them
            if report is not None:
                report(Notice(text=f"The library has no topics: {error}", level="warning"))

    async def other_models(self) -> list[str]:
        """Collections that were made with another embedding model and take up space."""
        ours = {self._store.papers, self._store.passages}
        return [name for name in await asyncio.to_thread(self._store.collections) if name not in ours]

    async def drop(self, collections: Sequence[str]) -> None:
        """Deletes collections, such as those of `other_models`."""
        async with self._changing:
            await asyncio.to_thread(self._store.drop, list(collections))
            self._known, self._checked = None, -1

    async def close(self) -> None:
        """Ends the connection and lets other programs have the local index; a fit of topics comes to its end first."""
        if self._fit is not None and not self._fit.done():
            await asyncio.wait([self._fit])
        await asyncio.to_thread(self._store.close)

    # ------------------------------------------------------------ keeping up

    async def _up_to_date(self, report: Report | None) -> dict[PaperId, str]:
        """The digests of all papers of the library, each of which is embedded now."""
        if self._known is not None and self._checked == self.library.revision():
            return self._known
        if self._changing.locked() and report is not None:
            report(Notice(text="The library is being embedded; this waits for it."))
        async with self._changing:
            revision = self.library.revision()
            lacking = await self._lacking()
            if lacking:
                await self._announce(len(lacking), report)
                await self._embed(lacking, report)
            self._known, self._checked = self.library.digests(), revision
            return self._known

    async def _lacking(self) -> list[PaperId]:
        stored = await asyncio.to_thread(self._store.digests)
        return [i for i, digest in self.library.digests().items() if stored.get(i) != digest]

    async def _announce(self, count: int, report: Report | None) -> None:
        if report is None:
            return
        text = f"{count} paper{'' if count == 1 else 's'} of the library are embedded with {self.embedder.name} first."
        others = [name for name in await self.other_models() if name.startswith("marwg_papers_")]
        if others and count == len(self.library):
            text += " The vectors that are there come from another embedding model, and are kept for it."
        report(Notice(text=text.replace("1 paper of the library are", "1 paper of the library is")))

    async def _embed(self, ids: Sequence[PaperId], report: Report | None) -> None:
        """Embeds papers, those of one length together; each group is stored before the next one begins."""
        digests = self.library.digests()
        papers = {paper.paper_id: paper for paper in self.library.papers(ids)}
        ordered = sorted(papers, key=lambda i: (len(_text(papers[i])), i))
        lengths = {i: len(_text(papers[i])) for i in ordered}
        done, begun, read, whole = 0, time.monotonic(), 0, sum(lengths.values())
        for group in self._groups(ordered):
            passages = [passage for i in group for passage in passages_of(self.library.pages(i))]
            rows = await self.embedder.aencode([_text(papers[i]) for i in group])
            page_rows = await self._encoded([passage.text for passage in passages])
            stored = {i: (digests[i], row) for i, row in zip(group, rows, strict=True)}
            await asyncio.to_thread(self._store.put, stored, list(zip(passages, page_rows, strict=True)))
            done += len(group)
            read += sum(lengths[i] for i in group)
            if report is not None:
                note = "embedding the library" + _left((time.monotonic() - begun) * (whole - read) / max(read, 1))
                report(Progress(stage=Stage.CANDIDATES, done=done, total=len(ordered), note=note))
        if done >= _WORTH_SETTLING:
            await asyncio.to_thread(self._store.settle)

    def _groups(self, ids: Sequence[PaperId]) -> list[list[PaperId]]:
        """Papers in groups of about as many texts as are embedded at once; one with a full text is a group of its own."""
        groups: list[list[PaperId]] = []
        size = _TEXTS_AT_ONCE
        with_pages = self.library.with_full_text()
        for one in ids:
            weight = _TEXTS_AT_ONCE if one in with_pages else 1
            if size + weight > _TEXTS_AT_ONCE:
                groups.append([])
                size = 0
            groups[-1].append(one)
            size += weight
        return groups

    async def _encoded(self, texts: Sequence[str]) -> list[np.ndarray]:
        rows: list[np.ndarray] = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            rows.extend(await self.embedder.aencode(texts[start : start + _TEXTS_AT_ONCE]))
        return rows

    async def _nearest(self, vector: np.ndarray, limit: int, known: dict[PaperId, str]) -> dict[PaperId, float]:
        """The nearest `limit` papers of this library; a server may hold vectors of papers that are not in it."""
        asked = limit
        while True:
            hits = await asyncio.to_thread(self._store.search, vector, asked)
            ours = [(i, cosine) for i, cosine in hits if i in known]
            if len(ours) >= limit or len(hits) < asked or asked >= _MOST:
                return dict(ours[:limit])
            asked = min(2 * asked + limit, _MOST)


def _left(seconds: float) -> str:
    """How long it still takes, where that is worth saying."""
    if seconds < 20:
        return ""
    return f", about {round(seconds / 60)} min left" if seconds >= 90 else f", about {round(seconds, -1):.0f} s left"


def _text(paper: Paper) -> str:
    """What is embedded of a paper: its title and its abstract."""
    return f"{paper.title}\n{paper.abstract}" if paper.abstract else paper.title
