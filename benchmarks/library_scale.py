"""How import and search grow with the library: `python benchmarks/library_scale.py import [N …]` or `… search [N …]`.

import: N abstracts of ../shared/benchmark/rwg/corpus.jsonl through Index, against a bare `encode` of the same texts (aim:
at most 1.15 times its time), and the same import again, which must embed nothing.
search: N random vectors around centres, as abstracts of some fields lie, in Milvus Lite, or in the server that MILVUS_URI
names or `milvus-server` (pip install milvus==2.3.5) starts with `--server`: recall@100 against exact search, and times.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from marwg.index import Embedder, Index
from marwg.index.milvus import VectorStore
from marwg.library import Library
from marwg.settings import Settings
from marwg.types import Paper

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "benchmark" / "rwg" / "corpus.jsonl"
DIMENSION, CENTRES, QUERIES, FOUND = 384, 400, 100, 100


async def import_times(sizes: list[int]) -> None:
    """Prints for each size the time of a bare encode, of an import, and of a second import."""
    if not CORPUS.is_file():
        sys.exit(f"{CORPUS} is not here: nothing to import.")
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    Embedder(Settings()).encode(["warm"])
    print(f"{'papers':>8}{'encode s':>10}{'import s':>10}{'ratio':>7}{'again s':>9}")
    for size in sizes:
        some = rows[:size]
        texts = [f"{r['title']}\n{r['abstract']}" if r.get("abstract") else r["title"] for r in some]
        model = Embedder(Settings(), cached=0)
        model.encode(["warm"])
        started = time.perf_counter()
        model.encode(texts)
        bare = time.perf_counter() - started
        with tempfile.TemporaryDirectory() as folder:
            library = Library(Path(folder) / "library.db")
            papers = [Paper(paper_id=r["id"], key="", title=r["title"], abstract=r.get("abstract") or "") for r in some]
            index = Index(Settings(home=Path(folder), milvus_uri=""), model, library)
            started = time.perf_counter()
            await index.add(library.add(papers).paper_ids)
            whole = time.perf_counter() - started
            started = time.perf_counter()
            await index.add(library.ids())
            again = time.perf_counter() - started
            await index.close()
            library.close()
        print(f"{size:8}{bare:10.1f}{whole:10.1f}{whole / bare:7.2f}{again:9.2f}", flush=True)


def clustered(count: int, seed: int) -> np.ndarray:
    """Unit rows around centres."""
    centres = np.random.default_rng(1).standard_normal((CENTRES, DIMENSION)).astype(np.float32)
    random = np.random.default_rng(seed)
    rows = centres[random.integers(0, CENTRES, count)] + random.standard_normal((count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def search_times(sizes: list[int], where: str) -> None:
    """Prints for each size how long filling and searching takes, and the recall against exact search."""
    print(f"{'vectors':>8}{'put s':>8}{'ready s':>9}{'p50 ms':>8}{'p95 ms':>8}{'recall@100':>12}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            store = VectorStore(where or str(Path(folder) / "milvus.db"), f"scale_{size}", DIMENSION)
            rows, queries = clustered(size, 2), clustered(QUERIES, 3)
            started = time.perf_counter()
            for first in range(0, size, 5_000):
                part = range(first, min(first + 5_000, size))
                store.put({f"p{i:07d}": ("d", rows[i]) for i in part})
            filled = time.perf_counter() - started
            store.settle()
            started = time.perf_counter()
            deadline = started + 300
            while (seconds := timed(store, queries[0])) > 0.05 and time.perf_counter() < deadline and where:
                time.sleep(2)  # a server builds its index beside
            ready = time.perf_counter() - started
            del seconds
            times, recall = [], []
            for query in queries:
                started = time.perf_counter()
                found = {i for i, _ in store.search(query, FOUND)}
                times.append(1000 * (time.perf_counter() - started))
                exact = np.argpartition(-(rows @ query), FOUND)[:FOUND]
                recall.append(len(found & {f"p{i:07d}" for i in exact}) / FOUND)
            print(
                f"{size:8}{filled:8.1f}{ready:9.1f}{np.median(times):8.1f}{np.percentile(times, 95):8.1f}{np.mean(recall):12.3f}",
                flush=True,
            )
            store.drop([name for name in store.collections() if f"scale_{size}_" in name])
            store.close()


def timed(store: VectorStore, query: np.ndarray) -> float:
    """The median of three searches."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        store.search(query, FOUND)
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[1]


@contextmanager
def server(wanted: bool) -> Iterator[str]:
    """The address of a Milvus server, one of our own if none is named; empty for Milvus Lite."""
    if not wanted or os.environ.get("MILVUS_URI"):
        yield os.environ.get("MILVUS_URI", "") if wanted else ""
        return
    program = shutil.which("milvus-server") or str(Path(sys.executable).with_name("milvus-server"))
    if not Path(program).exists():
        sys.exit("There is no milvus-server here: pip install milvus==2.3.5, or set MILVUS_URI.")
    with socket.socket() as sock, tempfile.TemporaryDirectory() as folder:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        sock.close()
        command = [program, "--data", folder, "--proxy-port", str(port)]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            time.sleep(20)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["import", "search"])
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--server", action="store_true")
    asked = parser.parse_intermixed_args()
    if asked.what == "import":
        asyncio.run(import_times(asked.sizes or [500, 1000]))
    else:
        with server(asked.server) as address:
            search_times(asked.sizes or [8_000], address)
