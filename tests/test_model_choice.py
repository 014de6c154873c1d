"""Which model does what: as set, else what is there, else the built-in writer."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marwg.errors import ModelError
from marwg.language_models import Models, choose
from marwg.language_models.choice import BUILT_IN, Spec, parse
from marwg.settings import Settings
from tests.fake_encoder import encode
from tests.model_server import Asked, ModelServer, Said

ROOT = Path(__file__).resolve().parent.parent
NOWHERE = {"ollama_url": "http://127.0.0.1:9"}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("google:gemini-2.5-flash", Spec("google", "gemini-2.5-flash")),
        ("ollama:qwen3:8b", Spec("ollama", "qwen3:8b")),
        (" deepseek ", Spec("deepseek", "deepseek-chat")),
        ("built-in", BUILT_IN),
    ],
)
def test_specs(text: str, spec: Spec) -> None:
    assert parse(text) == spec
    assert parse(str(spec)) == spec


@pytest.mark.parametrize("text", ["gpt-5", "ollama", "compatible:", "built-in:x", "", "Google:gemini"])
def test_what_names_no_model_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ModelError, match=r"names no model\. Write for example google:"):
        parse(text)


def test_keys_of_the_environment_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "g")
    one = choose(Settings())
    assert str(one.generator) == str(one.verifier) == "google:gemini-2.5-flash"
    monkeypatch.setenv("OPENAI_API_KEY", "o")
    monkeypatch.setenv("DEEPSEEK_API_KEY", "d")
    three = choose(Settings())
    assert (str(three.generator), str(three.verifier)) == ("google:gemini-2.5-flash", "deepseek:deepseek-chat")
    assert "DEEPSEEK_API_KEY" in three.reason
    assert str(choose(Settings(generator="deepseek")).verifier) == "google:gemini-2.5-flash"


@pytest.mark.parametrize("local", ["built-in", "ollama:qwen3"])
def test_who_chose_a_local_model_is_not_sent_elsewhere(local: str) -> None:
    choice = choose(Settings(generator=local, openai_api_key="o", **NOWHERE))
    assert str(choice.verifier) == local


def test_without_anything_the_built_in_writer_is_chosen() -> None:
    choice = choose(Settings(**NOWHERE))
    assert choice.generator == choice.verifier == BUILT_IN
    assert "no key is set" in choice.reason
    described = Models(Settings(**NOWHERE), encode, choice).describe()
    assert "Generator: built-in" in described
    assert "rephrase its draft" in described


async def test_an_ollama_that_answers_is_used() -> None:
    listed = [
        {"name": "nomic-embed-text:latest", "size": 9},
        {"name": "qwen3:4b", "size": 3, "details": {"family": "qwen3"}},
        {"name": "llama3.1:8b", "size": 5},
        {"name": "mxbai", "size": 8, "details": {"family": "bert"}},
    ]
    assert await _chosen({"models": listed}, "ollama_url") == ("ollama:llama3.1:8b", "ollama:qwen3:4b")
    assert await _chosen({"models": listed[:2]}, "ollama_url") == ("ollama:qwen3:4b", "ollama:qwen3:4b")
    assert await _chosen({"models": []}, "ollama_url") == ("built-in", "built-in")
    assert await _chosen(["nonsense"], "ollama_url") == ("built-in", "built-in")


async def test_a_server_that_is_named_is_asked_what_it_has() -> None:
    assert await _chosen({"data": [{"id": "tiny"}]}, "base_url", **NOWHERE) == ("compatible:tiny", "compatible:tiny")


async def _chosen(listing: Any, setting: str, **more: Any) -> tuple[str, str]:
    def lists(asked: Asked) -> Said:
        assert asked.path in ("/api/tags", "/models")
        return Said(body=listing)

    async with ModelServer(rule=lists) as server:
        models = await Models.open(Settings(**{setting: server.url, **more}), encode)
    return models.name(), models.name("verifier")


def test_the_same_judge_twice_is_warned_of() -> None:
    one = Models(Settings(generator="ollama:qwen3", verifier="ollama:qwen3"), encode)
    assert not one.independent
    assert "not independent" in one.describe()
    two = Models(Settings(generator="ollama:a", verifier="ollama:b", task_models={"judge_claims": "ollama:c"}), encode)
    assert not two.independent  # the override makes both judges the same
    three = Models(Settings(generator="ollama:a", verifier="ollama:b"), encode)
    assert three.independent
    assert three.warnings == ()


@pytest.mark.parametrize("name", ["sing", "judge:judge_claims", "summarize:generator"])
def test_an_override_of_no_task_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match=f"no task '{name}'"):
        choose(Settings(task_models={name: "built-in"}, **NOWHERE))


def test_importing_loads_no_client() -> None:
    heavy = "pydantic_ai openai google.genai torch httpx2 genai_prices"
    code = f"import sys, marwg.language_models; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
