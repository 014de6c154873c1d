"""One question to one provider: the only place that knows pydantic-ai and the SDKs below it.

Each provider is asked for JSON in the strictest form that it knows, and in the next one where it refuses that:

    native   the schema is enforced by the server (Gemini, OpenAI, Ollama, vLLM, new llama.cpp)
    json     the schema stands in the prompt, the server promises JSON (DeepSeek; Ollama's cloud)
    text     the schema stands in the prompt, nothing is promised
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from marwg.errors import KeyRefused, ModelError
from marwg.language_models.choice import KEYS, Spec, key_of
from marwg.language_models.troubles import refusal, trouble_of
from marwg.settings import Settings
from marwg.types import Usage

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

Mode = Literal["native", "json", "text"]


@dataclass(frozen=True)
class Question:
    """What is asked; `refused` are earlier answers to it with what was wrong with them."""

    task: str
    system: str
    user: str
    schema: dict[str, Any]
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Answer:
    """What came back, and what it took."""

    text: str
    usage: Usage
    cut_off: bool = False


class Connection:
    """One model of one provider, with its own HTTP client."""

    def __init__(self, spec: Spec, settings: Settings) -> None:
        self.spec = spec
        self._settings = settings
        self._url = _address(spec, settings)
        self._http: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._models: dict[Mode, Model] = {}

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The forms of a reply to try, the strictest first."""
        if self.spec.provider == "deepseek" or (self.spec.provider == "ollama" and self.spec.model.endswith("-cloud")):
            return ("json", "text")
        return ("native", "json", "text")

    async def ask(self, question: Question, mode: Mode) -> Answer:
        """The whole answer; Trouble where there is none."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError

        model, began = self._model(mode), time.monotonic()
        try:
            response = await model_request(
                model,
                _messages(question),
                model_settings=self._model_settings(model),
                model_request_parameters=_form(question, mode, strict=self.spec.provider == "openai"),
            )
        except AgentRunError as error:
            raise trouble_of(error, self.spec, self._url, self._settings) from None
        return self._answer(response, time.monotonic() - began)

    async def stream(self, question: Question, mode: Mode) -> AsyncGenerator[Answer]:
        """The answer as far as it has come, again and again; the last one is whole and knows its usage."""
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import AgentRunError

        model, began = self._model(mode), time.monotonic()
        try:
            async with AsyncExitStack() as stack:
                stream = await stack.enter_async_context(
                    model_request_stream(
                        model,
                        _messages(question),
                        model_settings=self._model_settings(model),
                        model_request_parameters=_form(question, mode, strict=self.spec.provider == "openai"),
                    )
                )
                async for _ in stream:
                    yield Answer(stream.get().text or "", Usage(), cut_off=True)
                yield self._answer(stream.get(), time.monotonic() - began)
        except AgentRunError as error:
            raise trouble_of(error, self.spec, self._url, self._settings) from None

    async def close(self) -> None:
        """Close the HTTP client, if there is one in this event loop."""
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.aclose()
        self._http = None
        self._models.clear()

    # ------------------------------------------------------------ models

    def _model(self, mode: Mode) -> Model:
        loop = asyncio.get_running_loop()
        if self._http is None or loop is not self._loop:  # a client lives in one event loop
            import httpx2

            timeout = httpx2.Timeout(self._settings.timeout_seconds, connect=10)
            self._http = httpx2.AsyncClient(timeout=timeout, trust_env=not is_local(self._url))
            self._loop = loop
            self._models.clear()
        if mode not in self._models:
            self._models[mode] = _build(self.spec, self._settings, self._url, self._http, mode)
        return self._models[mode]

    def _model_settings(self, model: Model) -> ModelSettings:
        seconds = self._settings.timeout_seconds
        settings: ModelSettings = {"request_timeout": seconds, "timeout": seconds, "max_retries": 0}
        if not model.profile.get("openai_supports_reasoning", False):
            settings["temperature"] = self._settings.temperature
        return settings

    # ------------------------------------------------------------ what came

    def _answer(self, response: ModelResponse, seconds: float) -> Answer:
        details = response.provider_details or {}
        if response.finish_reason == "content_filter" or details.get("refusal"):
            raise refusal(self.spec, str(details.get("refusal") or "refused"))
        tokens_in, tokens_out = response.usage.input_tokens, response.usage.output_tokens
        usage = Usage(
            calls=1,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            seconds=seconds,
            dollars=self._dollars(tokens_in, tokens_out),
        )
        return Answer(response.text or "", usage, cut_off=response.finish_reason == "length")

    def _dollars(self, tokens_in: int, tokens_out: int) -> float | None:
        """The price of a call; None where it is not known, nothing for a model on this machine."""
        if self.spec.provider == "ollama" and is_local(self._url) and not self.spec.model.endswith("-cloud"):
            return 0.0
        if self.spec.provider == "compatible" or not tokens_in:
            return None
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price

        try:
            price = calc_price(
                Tokens(input_tokens=tokens_in, output_tokens=tokens_out),
                model_ref=self.spec.model,
                provider_id=self.spec.provider,
            )
        except LookupError:
            return None
        return float(price.total_price)


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def _address(spec: Spec, settings: Settings) -> str:
    if spec.provider == "compatible" and not settings.base_url:
        raise ModelError(f"{spec} has no address.", "Set MARWG_BASE_URL, such as http://127.0.0.1:8080/v1.")
    addresses = {
        "google": settings.gemini_url,
        "openai": settings.openai_url,
        "deepseek": settings.deepseek_url,
        "ollama": f"{settings.ollama_url.rstrip('/')}/v1",
        "compatible": settings.base_url,
    }
    if spec.provider in ("google", "openai", "deepseek") and not key_of(settings, spec.provider):
        raise KeyRefused(f"There is no key for {spec}.", f"Set {KEYS[spec.provider]}, or choose another model.")
    return addresses[spec.provider]


def _build(spec: Spec, settings: Settings, url: str, http: httpx2.AsyncClient, mode: Mode) -> Model:
    """The pydantic-ai model, told what form of reply this connection may ask for."""
    from pydantic_ai.profiles import ModelProfile, merge_profile

    form = ModelProfile(supports_json_schema_output=mode == "native", supports_json_object_output=mode != "text")
    key = key_of(settings, spec.provider)
    if spec.provider == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        google = GoogleProvider(api_key=key, http_client=http, base_url=url or None)
        return GoogleModel(spec.model, provider=google, profile=merge_profile(google.model_profile(spec.model), form))
    from openai import AsyncOpenAI
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    address = url or {"openai": "https://api.openai.com/v1", "deepseek": "https://api.deepseek.com"}[spec.provider]
    client = AsyncOpenAI(base_url=address, api_key=key or "none", http_client=http, max_retries=0)
    if spec.provider == "openai":
        openai = OpenAIProvider(openai_client=client)
        return OpenAIChatModel(
            spec.model, provider=openai, profile=merge_profile(openai.model_profile(spec.model), form)
        )
    # Nobody else enforces OpenAI's "strict", and some refuse the word.
    form = merge_profile(form, OpenAIModelProfile(openai_supports_strict_tool_definition=False))
    if spec.provider == "ollama":
        ollama = OllamaProvider(openai_client=client)
        return OllamaModel(spec.model, provider=ollama, profile=merge_profile(ollama.model_profile(spec.model), form))
    if spec.provider == "deepseek":
        deepseek = DeepSeekProvider(openai_client=client)
        return OpenAIChatModel(
            spec.model, provider=deepseek, profile=merge_profile(deepseek.model_profile(spec.model), form)
        )
    other = OpenAICompatibleProvider("compatible", openai_client=client)
    plain = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False, openai_supports_reasoning=False)
    profile = merge_profile(other.model_profile(spec.model), merge_profile(form, plain))
    return OpenAIChatModel(spec.model, provider=other, profile=profile)


def _form(question: Question, mode: Mode, strict: bool) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    wanted = OutputObjectDefinition(json_schema=question.schema, name=question.task, strict=strict or None)
    return ModelRequestParameters(output_mode="native" if mode == "native" else "prompted", output_object=wanted)


def _messages(question: Question) -> Sequence[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(question.user)], instructions=question.system)]
    for text, problem in question.refused:
        if text.strip():
            messages.append(ModelResponse(parts=[TextPart(text)]))
        again = f"Your last answer cannot be used: {problem}. Answer again, whole, as one JSON object in the form asked for."
        messages.append(ModelRequest(parts=[UserPromptPart(again)], instructions=question.system))
    return messages
