"""One suite for every kind of Milvus: Lite in this process, its server, a real server; and what happens between programs."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from marwg.errors import IndexUnavailable, LibraryBusy, OtherEmbedding
from marwg.index import milvus
from marwg.index.locking import FolderLock
from marwg.index.milvus import VectorStore
from marwg.types import Passage

DIMENSION = 8


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def unit(seed: int) -> np.ndarray:
    row = np.random.default_rng(seed).standard_normal(DIMENSION)
    return (row / np.linalg.norm(row)).astype(np.float32)


def passage(paper_id: str, page: int, start: int, text: str = "Some text.") -> Passage:
    return Passage(paper_id=paper_id, page=page, start=start, end=start + len(text), text=text)


def stopped(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def answers(address: str, seconds: float) -> bool:
    from pymilvus import MilvusClient
    from pymilvus.exceptions import MilvusException

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            MilvusClient(uri=address, timeout=3).close()
        except MilvusException:
            time.sleep(0.5)
        else:
            return True
    return False


@pytest.fixture(scope="module")
def lite_server(tmp_path_factory):
    port = free_port()
    command = [sys.executable, "-m", "milvus_lite", "server", "--host", "127.0.0.1", "--port", str(port)]
    data = tmp_path_factory.mktemp("lite-server")
    process = subprocess.Popen(
        [*command, "--data-dir", str(data)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    address = f"http://127.0.0.1:{port}"
    assert answers(address, 20)
    yield address
    stopped(process)


@pytest.fixture(scope="module")
def real_server(tmp_path_factory):
    if address := os.environ.get("TEST_MILVUS_URI"):
        yield address
        return
    program = shutil.which("milvus-server") or Path(sys.executable).with_name("milvus-server")
    if not Path(program).exists():
        pytest.skip("no milvus-server here: pip install milvus==2.3.5, or set TEST_MILVUS_URI")
    data, port = tmp_path_factory.mktemp("milvus-server"), free_port()
    process = subprocess.Popen(
        [str(program), "--data", str(data), "--proxy-port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        assert answers(address, 60), "the server does not answer; is another one running? Only one can on a machine."
        yield address
    finally:
        stopped(process)


@pytest.fixture(params=["lite", "lite server", pytest.param("server", marks=pytest.mark.server)])
def where(request, tmp_path):
    if request.param == "lite":
        return str(tmp_path / "home" / "milvus.db")
    return request.getfixturevalue("lite_server" if request.param == "lite server" else "real_server")


@pytest.fixture
def store(where):
    store = VectorStore(where, "sentence-transformers/A model", DIMENSION)
    yield store
    store.drop([name for name in store.collections() if "model" in name])
    store.close()


# ---------------------------------------------------------------- conformance


def test_settling_changes_nothing_but_the_speed(store):
    store.put({f"p{n}": ("d", unit(n)) for n in range(5)})
    before = store.search(unit(3), 5)
    store.settle()
    assert [i for i, _ in store.search(unit(3), 5)] == [i for i, _ in before]
    assert len(store.digests()) == 5


def test_what_was_put_is_there(store):
    assert store.digests() == {}
    assert store.search(unit(1), 5) == []
    store.put({"pa": ("d1", unit(1)), "pb": ("d2", unit(2)), "pc": ("d3", unit(3))})
    assert store.digests() == {"pa": "d1", "pb": "d2", "pc": "d3"}
    assert store.papers == "marwg_papers_a_model_8"
    vectors = store.vectors(["pc", "nobody", "pa", "pc"])
    assert list(vectors) == ["pc", "pa"]
    np.testing.assert_allclose(vectors["pc"], unit(3), atol=1e-6)
    assert vectors["pc"].dtype == np.float32


def test_search_gives_cosines_in_order(store):
    rows = {f"p{n:03d}": unit(n) for n in range(200)}
    store.put({i: ("d", row) for i, row in rows.items()})
    query = unit(1000)
    expected = sorted(((float(row @ query), i) for i, row in rows.items()), reverse=True)
    hits = store.search(query, 10)
    assert [i for i, _ in hits] == [i for _, i in expected[:10]]
    assert [cosine for _, cosine in hits] == pytest.approx([cosine for cosine, _ in expected[:10]], abs=1e-4)
    assert len(store.search(query, 500)) == 200
    assert store.search(query, 0) == []


def test_a_paper_is_replaced_with_its_passages(store):
    long = "Ein längerer Text mit Ümlauten und 漢字. " * 40
    store.put(
        {"pa": ("d1", unit(1))},
        [(passage("pa", 2, 0), unit(5)), (passage("pa", 1, 40, long), unit(6)), (passage("pa", 1, 9), unit(7))],
    )
    store.put({"pb": ("d1", unit(2))}, [(passage("pb", 1, 0), unit(8))])
    found = store.passages_of("pa")
    assert [(p.page, p.start) for p, _ in found] == [(1, 9), (1, 40), (2, 0)]
    assert found[1][0] == passage("pa", 1, 40, long)
    np.testing.assert_allclose(found[2][1], unit(5), atol=1e-6)
    store.put({"pa": ("d2", unit(3))}, [(passage("pa", 1, 0), unit(9))])
    assert store.digests() == {"pa": "d2", "pb": "d1"}
    assert [(p.page, p.start) for p, _ in store.passages_of("pa")] == [(1, 0)]
    assert len(store.passages_of("pb")) == 1
    assert store.search(unit(3), 1)[0][0] == "pa"


def test_what_was_removed_is_gone(store):
    store.put({"pa": ("d", unit(1)), "pb": ("d", unit(2))}, [(passage("pa", 1, 0), unit(3))])
    store.remove(["pa", "nobody"])
    assert store.digests() == {"pb": "d"}
    assert store.passages_of("pa") == []
    assert [i for i, _ in store.search(unit(1), 5)] == ["pb"]


def test_ids_are_data(store):
    odd = 'p" or paper_id != "'
    store.put({odd: ("d", unit(1)), "pb": ("d", unit(2))})
    assert list(store.vectors([odd])) == [odd]
    store.remove([odd])
    assert store.digests() == {"pb": "d"}


def test_it_is_there_after_closing(store):
    store.put({"pa": ("d", unit(1))}, [(passage("pa", 1, 0), unit(3))])
    store.close()
    assert store.digests() == {"pa": "d"}
    assert [i for i, _ in store.search(unit(1), 5)] == ["pa"]
    assert len(store.passages_of("pa")) == 1


def test_each_embedding_model_has_collections_of_its_own(store, where):
    store.put({"pa": ("d", unit(1))})
    store.close()
    other = VectorStore(where, "Other model", 4)
    assert other.digests() == {}
    other.put({"pa": ("d", np.array([1, 0, 0, 0], dtype=np.float32))})
    assert {"marwg_papers_a_model_8", "marwg_papers_other_model_4"} <= set(other.collections())
    other.drop([other.papers, other.passages])
    assert other.digests() == {}
    other.close()
    assert store.digests() == {"pa": "d"}


# ---------------------------------------------------------------- trouble


def test_a_server_that_is_down_is_said_to_be_down_within_seconds():
    store = VectorStore(f"http://127.0.0.1:{free_port()}", "model", DIMENSION)
    started = time.monotonic()
    with pytest.raises(IndexUnavailable, match=r"does not answer\. Start it, or unset MILVUS_URI"):
        store.digests()
    assert time.monotonic() - started < 7
    store.close()


def test_a_server_that_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(milvus, "PATIENCE", 1.0)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        store = VectorStore(f"http://127.0.0.1:{silent.getsockname()[1]}", "model", DIMENSION)
        started = time.monotonic()
        with pytest.raises(IndexUnavailable, match="does not answer"):
            store.digests()
        assert time.monotonic() - started < 5
        store.close()


def test_vectors_of_another_length_are_said_to_be_so(tmp_path):
    store = VectorStore(str(tmp_path / "m.db"), "model", 8)
    store.digests()
    store.close()
    store = VectorStore(str(tmp_path / "m.db"), "model", 4)
    store.papers, store.passages = "marwg_papers_model_8", "marwg_passages_model_8"
    with pytest.raises(OtherEmbedding, match="vectors of 8 numbers"):
        store.digests()
    store.close()


def test_a_second_user_of_the_folder_shares_the_server_of_the_first(tmp_path):
    first, second = (VectorStore(str(tmp_path / "m.db"), "model", DIMENSION) for _ in range(2))
    first.put({"pa": ("d", unit(1))})
    assert second.digests() == {"pa": "d"}
    second.put({"pb": ("d", unit(2))})
    assert first.digests() == {"pa": "d", "pb": "d"}
    first.close()
    assert second.digests() == {"pa": "d", "pb": "d"}, "the second takes over when the first has ended"
    second.close()


HOLD = """
import sys, time
from marwg.index.milvus import VectorStore
import numpy as np
store = VectorStore(sys.argv[1], "model", 8)
store.put({"pother": ("d", np.eye(8, dtype=np.float32)[0])})
print("ready", flush=True)
time.sleep(60)
"""


def test_two_programs_get_through_and_a_killed_one_leaves_the_folder_usable(tmp_path):
    root = str(Path(milvus.__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "m.db")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": root}, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    store = VectorStore(str(tmp_path / "m.db"), "model", DIMENSION)
    assert store.digests() == {"pother": "d"}
    process.kill()
    process.wait(10)
    process.stdout.close()
    assert store.digests() == {"pother": "d"}
    store.close()


def test_a_program_that_holds_the_folder_without_sharing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(milvus, "PATIENCE", 0.3)
    lock = FolderLock(tmp_path / "m.lock", "marwg add")
    assert lock.acquire()
    store = VectorStore(str(tmp_path / "m.db"), "model", DIMENSION)
    with pytest.raises(LibraryBusy, match=rf"marwg add \(process {os.getpid()}\).*milvus-lite server --data-dir"):
        store.digests()
    lock.release()
    assert store.digests() == {}
    store.close()
