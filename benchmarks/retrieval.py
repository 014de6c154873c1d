"""Recall of the candidate search: `python benchmarks/retrieval.py [--vectors FILE.npy]`.

The 38 focal papers of ../shared/benchmark/rwg/topics.jsonl against its corpus of 8,000, through Library and Index as
they are; the query is title and abstract. Printed is the mean share of the gold references among the first B, 3B, 6B (B:
the number of gold references of the paper), 20, 60 and 120, and how long a search takes. Embedding the corpus takes
some minutes; with --vectors it is kept in a file and taken from there the next time.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from marwg.index import Embedder, Index, hybrid
from marwg.library import Library
from marwg.settings import Settings
from marwg.types import Paper

DATA = Path(__file__).resolve().parents[2] / "shared" / "benchmark" / "rwg"
CUTS = ("B", "3B", "6B", "20", "60", "120")


class Kept(Embedder):
    """The embedding model, with rows that are known already."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, cached=40_000)

    def know(self, texts: Sequence[str], rows: np.ndarray) -> None:
        """Takes over rows for texts, after a look that they are of this model."""
        if np.abs(self.encode(texts[:2]) - rows[:2]).max() > 0.02:
            sys.exit("The file of vectors was made with another model or other texts.")
        real = self._encode_now
        known = dict(zip(texts, rows, strict=True))
        self._encode_now = lambda some: np.stack([known[t] if t in known else real([t])[0] for t in some])  # type: ignore[method-assign]


def read(name: str) -> list[dict[str, Any]]:
    """The rows of a file of the benchmark."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def recalls(found: Sequence[str], gold: Sequence[str]) -> list[float]:
    """The share of the gold that is among the first so many, for each of CUTS."""
    b = len(gold)
    return [len(set(found[:cut]) & set(gold)) / b for cut in (b, 3 * b, 6 * b, 20, 60, 120)]


async def variant(name: str, topics: Sequence[dict[str, Any]], find: Callable[[str, int], Any]) -> None:
    """Prints one line: recall of a way to search, and the time without the embedding of the query."""
    rows, seconds = [], []
    for topic in topics:
        query = f"{topic['title']}\n{topic['abstract']}"
        await find(query, 1)  # the embedding of the query is kept, so that the next call measures the search
        started = time.perf_counter()
        found = await find(query, max(120, 6 * len(topic["gold_refs"])))
        seconds.append(time.perf_counter() - started)
        rows.append(recalls(found, topic["gold_refs"]))
    mean = "".join(f"{value:8.3f}" for value in np.mean(rows, axis=0))
    print(f"{name:44}{mean}{1000 * np.median(seconds):8.0f}{1000 * np.percentile(seconds, 95):6.0f}", flush=True)


async def main(vectors: Path | None, rows: np.ndarray | None) -> None:
    """All variants, worst ones too."""
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not here: nothing to compare with.")
    corpus, topics = read("corpus.jsonl"), read("topics.jsonl")
    papers = [Paper(paper_id=r["id"], key="", title=r["title"], abstract=r.get("abstract") or "") for r in corpus]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), milvus_uri="")
        embedder, library = Kept(settings), Library(Path(folder) / "library.db")
        library.add(papers)
        texts = [f"{p.title}\n{p.abstract}" if p.abstract else p.title for p in papers]
        if rows is not None:
            embedder.know(texts, rows)
        index = Index(settings, embedder, library)
        started = time.perf_counter()
        await index.add(library.ids())
        print(f"{len(library)} papers, {embedder.name}, indexed in {time.perf_counter() - started:.0f} s")
        if rows is None and vectors is not None:
            np.save(vectors, embedder.encode(texts))
        print(f"{'recall at':44}{''.join(f'{c:>8}' for c in CUTS)}{'ms p50':>8}{'p95':>6}")

        async def by_words(query: str, limit: int) -> list[str]:
            return [paper for paper, _ in library.lexical(query, limit)]

        async def by_meaning(query: str, limit: int) -> list[str]:
            return [hit.paper_id for hit in await index.search(query, limit, lexical=False)]

        async def hybrid_search(query: str, limit: int) -> list[str]:
            return [hit.paper_id for hit in await index.search(query, limit)]

        chosen = (hybrid.LEXICAL_WEIGHT, hybrid.PARTS_WEIGHT)
        await variant("BM25", topics, by_words)
        await variant("cosine", topics, by_meaning)
        for lexical, parts in ((0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (0.7, 0.7), (1.0, 0.5), (0.5, 1.0)):
            hybrid.LEXICAL_WEIGHT, hybrid.PARTS_WEIGHT = lexical, parts
            name = f"cosine + {lexical} BM25 + {parts} best sentences"
            await variant(name + (" (in use)" if (lexical, parts) == chosen else ""), topics, hybrid_search)
        await index.close()
        library.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path)
    file = parser.parse_args().vectors
    asyncio.run(main(file, np.load(file) if file is not None and file.is_file() else None))
