"""Which model does what: from the settings, else from what is there, else the built-in writer."""

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from marwg.errors import ModelError
from marwg.settings import Settings
from marwg.tasks import TASKS

Role = Literal["generator", "verifier"]
Provider = Literal["google", "openai", "deepseek", "ollama", "compatible", "built-in"]

ROLES: tuple[Role, Role] = get_args(Role)
DEFAULTS: dict[Provider, str] = {
    "google": "gemini-2.5-flash",
    "openai": "gpt-5-mini",
    "deepseek": "deepseek-chat",
}
KEYS: dict[Provider, str] = {
    "google": "GEMINI_API_KEY",
    "openai": "OPENAI_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "compatible": "MARWG_API_KEY",
}
"""The environment variable that holds the key of a provider."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Spec:
    """One model of one provider."""

    provider: Provider
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


BUILT_IN = Spec("built-in")


@dataclass(frozen=True)
class Choice:
    """The model of each role, overrides by "task" or "role:task", and why these."""

    generator: Spec
    verifier: Spec
    tasks: dict[str, Spec] = field(default_factory=dict)
    reason: str = ""

    def of(self, role: Role, task: str = "") -> Spec:
        """The model for a task in a role; an override for both beats one for the task alone."""
        default = self.generator if role == "generator" else self.verifier
        return self.tasks.get(f"{role}:{task}", self.tasks.get(task, default))


def parse(text: str) -> Spec:
    """A spec such as `google:gemini-2.5-flash`; a provider alone means its default model."""
    provider, _, model = text.strip().partition(":")
    known = next((p for p in get_args(Provider) if p == provider.strip()), None)
    model = model.strip() or DEFAULTS.get(known, "") if known else ""
    if known is None or (known == "built-in") == bool(model):
        raise ModelError(
            f"'{text}' names no model.",
            "Write for example google:gemini-2.5-flash, openai:gpt-5-mini, deepseek:deepseek-chat, ollama:qwen3, "
            "compatible:NAME (with MARWG_BASE_URL) or built-in.",
        )
    return Spec(known, model)


def choose(settings: Settings) -> Choice:
    """The models of this process; asks local servers what they have, and waits for none longer than a second."""
    tasks = {name: parse(text) for name, text in settings.task_models.items()}
    for name in tasks:
        role, _, task = name.rpartition(":")
        if task not in {t.name for t in TASKS} or role not in ("", *ROLES):
            raise ModelError(f"MARWG_TASK_MODELS: there is no task '{name}'.")
    if settings.generator:
        generator = parse(settings.generator)
        reason = "set in the environment"
        there = [] if settings.verifier else _beside(generator, settings)
    else:
        there, reason = _what_is_there(settings)
        generator = there[0]
    if settings.verifier:
        return Choice(generator, parse(settings.verifier), tasks, reason)
    # The paper's pair is Gemini and DeepSeek; a model of another house is the more independent judge.
    others = [spec for spec in there if spec != generator]
    others.sort(key=lambda spec: (spec.provider == generator.provider, spec.provider != "deepseek"))
    return Choice(generator, others[0] if others else generator, tasks, reason)


def key_of(settings: Settings, provider: Provider) -> str:
    """The key of a provider, empty where there is none."""
    keys = {
        "google": settings.gemini_api_key,
        "openai": settings.openai_api_key,
        "deepseek": settings.deepseek_api_key,
        "compatible": settings.api_key,
    }
    return keys[provider].get_secret_value() if provider in keys else ""


def _what_is_there(settings: Settings) -> tuple[list[Spec], str]:
    """Models that can be used without being named, the best first; the built-in writer is always there."""
    if models := _served(settings):
        return models, f"listed by the server at {settings.base_url}"
    if models := _keyed(settings):
        return models, "keys found: " + ", ".join(KEYS[spec.provider] for spec in models)
    if models := _in_ollama(settings):
        return models, f"Ollama answers at {settings.ollama_url}"
    return [BUILT_IN], "no key is set and no local model server answers"


def _beside(generator: Spec, settings: Settings) -> list[Spec]:
    """Models that may judge beside a named generator: nobody who chose a local one is sent elsewhere unasked."""
    match generator.provider:
        case "built-in":
            return []
        case "ollama":
            return _in_ollama(settings)
        case "compatible":
            return _served(settings)
        case _:
            return _keyed(settings)


def _served(settings: Settings) -> list[Spec]:
    if not settings.base_url:
        return []
    entries = _listed(f"{settings.base_url.rstrip('/')}/models", "data", key_of(settings, "compatible"))
    return [Spec("compatible", str(entry["id"])) for entry in entries if entry.get("id")]


def _keyed(settings: Settings) -> list[Spec]:
    return [Spec(provider, model) for provider, model in DEFAULTS.items() if key_of(settings, provider)]


def _in_ollama(settings: Settings) -> list[Spec]:
    entries = [entry for entry in _listed(f"{settings.ollama_url.rstrip('/')}/api/tags", "models") if _writes(entry)]
    entries.sort(key=lambda entry: (-int(entry.get("size") or 0), str(entry["name"])))
    return [Spec("ollama", str(entry["name"])) for entry in entries]


def _writes(entry: dict[str, Any]) -> bool:
    """Whether a model that Ollama lists generates text; embedding models do not."""
    name, family = str(entry.get("name") or ""), str((entry.get("details") or {}).get("family") or "")
    return bool(name) and "embed" not in name and "bert" not in family


def _listed(url: str, key: str, secret: str = "") -> Iterable[dict[str, Any]]:
    """What a model server lists, nothing where none answers in time."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {secret}"} if secret else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a local server is not behind the proxy
    try:
        with opener.open(request, timeout=1) as answer:
            entries = json.load(answer).get(key) or []
    except (OSError, ValueError, AttributeError) as error:
        _log.info("no model server at %s: %s", url, error)
        return []
    return [entry for entry in entries if isinstance(entry, dict)]
