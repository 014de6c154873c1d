"""What every test stands on: no network beyond this machine, no keys, a home of its own."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from pytest_socket import enable_socket, socket_allow_hosts

from tests.fake_encoder import encode as fake_encode

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_BASE_URL", "OLLAMA_BASE_URL")


def pytest_runtest_setup() -> None:
    """Sockets to other machines raise SocketConnectBlockedError, which names the address."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


def pytest_runtest_teardown() -> None:
    enable_socket()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty MARWG_HOME and no settings of the person who runs the tests."""
    for name in list(os.environ):
        if name.startswith(("MARWG_", "MILVUS_")) or name in KEYS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("MARWG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)  # no .env of the working directory either
    return tmp_path / "home"


@pytest.fixture(scope="session")
def encode() -> Callable[[Sequence[str]], np.ndarray]:
    """A fast deterministic encoder of 64 dimensions."""
    return fake_encode
