"""Which embedding model is used, and that it gives unit rows, once for each text."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from marwg.errors import MarwgError
from marwg.index.embedding import PACKAGED, PREFERRED, Embedder
from marwg.settings import Settings


@pytest.fixture(scope="module")
def packaged():
    return Embedder(Settings(embedding_model="all-MiniLM-L6-v2"))


@pytest.fixture(autouse=True)
def empty_hub_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def fake_model(folder: Path, dimension: int = 768) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(b"")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": dimension}))
    return folder


def test_the_packaged_model_gives_unit_rows(packaged):
    rows = packaged.encode(["A cat sleeps.", "A kitten is sleeping.", "Stock markets fell sharply.", "A cat sleeps."])
    assert rows.shape == (4, packaged.dimension) == (4, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]
    np.testing.assert_array_equal(rows[0], rows[3])


def test_no_text_gives_no_rows(packaged):
    assert packaged.encode([]).shape == (0, 384)


async def test_a_text_is_encoded_once(packaged, monkeypatch):
    encoded = []
    inner = packaged._encode_now
    monkeypatch.setattr(packaged, "_encode_now", lambda texts: encoded.extend(texts) or inner(texts))
    await packaged.aencode(["one", "two", "one"])
    await packaged.aencode(["two", "three"])
    assert encoded == ["one", "two", "three"]


def test_the_cache_is_bounded(monkeypatch):
    small = Embedder(Settings(embedding_model=PACKAGED), cached=2)
    monkeypatch.setattr(small, "_encode_now", lambda texts: np.ones((len(texts), 384), dtype=np.float32))
    assert small.encode(["a", "b", "c", "d"]).shape == (4, 384)
    assert len(small._cache) == 2


def test_the_default_is_mpnet_where_it_is_on_disk(tmp_path):
    started = time.monotonic()
    assert Embedder(Settings()).name == PACKAGED
    fake_model(tmp_path / "hub" / f"models--sentence-transformers--{PREFERRED}" / "snapshots" / "abc")
    embedder = Embedder(Settings())
    assert (embedder.name, embedder.dimension) == (PREFERRED, 768)
    assert time.monotonic() - started < 0.5


def test_a_folder_or_a_name_can_be_set(tmp_path):
    folder = fake_model(tmp_path / "my-model", 100)
    assert (
        Embedder(Settings(embedding_model=str(folder))).name,
        Embedder(Settings(embedding_model=str(folder))).dimension,
    ) == ("my-model", 100)
    fake_model(tmp_path / "hub" / "models--some--model" / "snapshots" / "abc", 50)
    assert Embedder(Settings(embedding_model="some/model")).dimension == 50


def test_a_model_that_is_not_here_is_not_fetched_unasked():
    with pytest.raises(MarwgError, match=r"some/other is not on this machine.*MARWG_EMBEDDING_DOWNLOAD"):
        Embedder(Settings(embedding_model="some/other"))


def test_a_broken_model_says_so(tmp_path):
    embedder = Embedder(Settings(embedding_model=str(fake_model(tmp_path / "broken"))))
    with pytest.raises(MarwgError, match="broken cannot be loaded"):
        embedder.encode(["x"])


def test_importing_and_choosing_loads_nothing_heavy():
    code = (
        "import sys, marwg.index, marwg.library.importing; marwg.index.Embedder();"
        "print([m for m in ('torch', 'sentence_transformers', 'pymilvus', 'bertopic', 'sklearn', 'pypdfium2', 'bibtexparser') if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
