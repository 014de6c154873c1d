"""Models against a server on this machine: what providers do, and where they bite."""

import asyncio
import json
import logging
import socket
import time
import traceback
from typing import Any

import pytest

from marwg.errors import (
    InvalidReply,
    KeyRefused,
    LimitReached,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
)
from marwg.language_models import Models
from marwg.settings import Settings
from marwg.tasks import CandidateGrades, Queries, ReadCandidates, RouteTurn, Source
from marwg.types import Focal, PaperRole
from tests.fake_encoder import encode
from tests.model_server import Asked, ModelServer, Said

KEY = "sk-very-secret-0123456789"
TURN = RouteTurn(message="call the second one Evaluation", stage="outline", topics=("Retrieval", "Judging"))
UNDO = json.dumps({"kind": "undo"})
GOOGLE, OPENAI, DEEPSEEK = "google:gemini-2.5-flash", "openai:gpt-5-mini", "deepseek:deepseek-chat"
OLLAMA, OTHER = "ollama:qwen3", "compatible:tiny"


def models(server: ModelServer, generator: str = OPENAI, verifier: str = "built-in", **more: Any) -> Models:
    settings = Settings(
        generator=generator,
        verifier=verifier,
        gemini_api_key=KEY,
        openai_api_key=KEY,
        deepseek_api_key=KEY,
        gemini_url=server.url,
        openai_url=f"{server.url}/v1",
        deepseek_url=f"{server.url}/v1",
        ollama_url=server.url,
        base_url=f"{server.url}/v1",
        **{"retry_seconds": 0.01, "timeout_seconds": 5, **more},
    )
    return Models(settings, encode)


@pytest.mark.parametrize("spec", [GOOGLE, OPENAI, DEEPSEEK, OLLAMA, OTHER])
async def test_every_provider_gives_a_typed_reply_and_its_usage(spec: str) -> None:
    async with ModelServer(UNDO) as server, models(server, spec) as m:
        reply = await m.run(TURN)
    assert reply.kind == "undo"
    assert (m.usage.calls, m.usage.input_tokens, m.usage.output_tokens) == (1, 1000, 100)
    assert m.usage.seconds > 0
    assert "call the second one Evaluation" in server.asked[0].prompt
    assert "material to work on" in server.asked[0].prompt


async def test_prices_are_known_free_or_unknown() -> None:
    costs = {}
    for spec in (GOOGLE, OLLAMA, OTHER, "openai:no-such-model-9"):
        async with ModelServer(UNDO) as server, models(server, spec) as m:
            await m.run(TURN)
            costs[spec] = m.usage.dollars
    assert costs[GOOGLE] == pytest.approx(0.00055)
    assert costs[OLLAMA] == 0
    assert costs[OTHER] is None
    assert costs["openai:no-such-model-9"] is None


# ---------------------------------------------------------------- forms of replies


async def test_openai_is_asked_for_a_strict_schema() -> None:
    async with ModelServer(UNDO) as server, models(server) as m:
        await m.run(TURN)
    form = server.asked[0].form
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    schema = form["json_schema"]["schema"]
    assert schema["required"] == list(schema["properties"])
    assert "temperature" not in server.asked[0].body  # a reasoning model takes none


async def test_gemini_is_asked_in_its_subset_of_json_schema() -> None:
    known = set("type format title description enum items prefixItems minItems maxItems minimum maximum".split())
    known |= set("anyOf oneOf properties additionalProperties required propertyOrdering $ref $defs $id $anchor".split())

    def words(node: Any) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(words, node)) if node else set()
        if not isinstance(node, dict):
            return set()
        inner = [v for k, v in node.items() if k not in ("properties", "enum", "required")]
        return set(node).union(*map(words, [*inner, *node.get("properties", {}).values()]))

    async with ModelServer(UNDO) as server, models(server, GOOGLE) as m:
        await m.run(TURN)
    form = server.asked[0].form
    assert form["responseMimeType"] == "application/json"
    assert words(form["responseJsonSchema"]) <= known
    assert server.asked[0].path.startswith("/v1beta/models/gemini-2.5-flash:generateContent")
    assert server.asked[0].body["generationConfig"]["temperature"] == 0


async def test_deepseek_knows_json_object_only_and_wants_the_word_json() -> None:
    def deepseek(asked: Asked) -> Said | None:
        if asked.form.get("type") != "json_object":
            return Said(status=400, body={"error": {"message": "This response_format type is unavailable now"}})
        if "json" not in asked.prompt.lower():
            return Said(status=400, body={"error": {"message": "Prompt must contain the word 'json'"}})
        return None

    async with ModelServer(UNDO, rule=deepseek) as server, models(server, DEEPSEEK) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert len(server.asked) == 1


async def test_blanks_are_asked_again() -> None:
    async with ModelServer("\n   \n", UNDO) as server, models(server, DEEPSEEK) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert "the reply is empty" in server.asked[1].prompt
    assert m.usage.calls == 2


def stock_llama_cpp(asked: Asked) -> Said | None:
    if asked.form.get("type") == "json_schema":
        return Said(status=500, body={"error": {"message": "Internal Server Error", "type": "internal_server_error"}})
    return None


async def test_a_server_that_fails_on_schemas_is_asked_without_from_then_on() -> None:
    other = TURN.model_copy(update={"message": "another"})
    async with ModelServer(UNDO, UNDO, rule=stock_llama_cpp) as server, models(server, OTHER) as m:
        await m.run(TURN)
        await m.run(other)
    assert [a.form["type"] for a in server.asked] == ["json_schema", "json_object", "json_object"]
    assert '"kind"' in server.asked[1].prompt  # the schema stands in the prompt now


async def test_a_server_that_knows_no_form_gets_plain_text() -> None:
    def bare(asked: Asked) -> Said | None:
        return Said(status=400, body={"error": {"message": "unknown field response_format"}}) if asked.form else None

    async with ModelServer(f"Here it is:\n```json\n{UNDO}\n```", rule=bare) as server, models(server, OTHER) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert [a.form.get("type") for a in server.asked] == ["json_schema", "json_object", None]


async def test_ollama_enforces_schemas_here_and_not_in_its_cloud() -> None:
    async with ModelServer(UNDO, UNDO) as server:
        async with models(server, OLLAMA) as m:
            await m.run(TURN)
        async with models(server, "ollama:qwen3-coder:480b-cloud") as m:
            await m.run(TURN)
            assert m.usage.dollars is None
    assert [a.form["type"] for a in server.asked] == ["json_schema", "json_object"]
    assert server.asked[1].body["model"] == "qwen3-coder:480b-cloud"
    assert "strict" not in server.asked[0].form["json_schema"]


# ---------------------------------------------------------------- answers that cannot be used


async def test_the_validation_error_goes_back() -> None:
    async with ModelServer('{"kind": "dance"}', UNDO) as server, models(server) as m:
        assert (await m.run(TURN)).kind == "undo"
    sent_back = server.asked[1].body["messages"]
    assert sent_back[-2] == {"role": "assistant", "content": '{"kind": "dance"}'}
    assert "kind: Input should be 'start'" in sent_back[-1]["content"]


async def test_three_unusable_answers_are_an_error_with_the_attempts() -> None:
    async with ModelServer("I cannot.", "no", "never") as server, models(server) as m:
        with pytest.raises(InvalidReply, match="no usable answer to 'route_turn'") as error:
            await m.run(TURN)
    assert len(error.value.attempts) == len(server.asked) == 3
    assert "I cannot." in error.value.attempts[0]


async def test_an_answer_that_was_cut_off_is_asked_for_in_brief() -> None:
    async with ModelServer(Said('{"kind": "un', finish="length"), UNDO) as server, models(server) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert "be briefer" in server.asked[1].prompt


async def test_at_last_the_usable_items_of_a_batch_are_taken() -> None:
    good = {"id": "p1", "grade": 2, "role": "data", "reason": "r"}
    batch = json.dumps({"papers": [good, {**good, "id": "p2", "role": "hero"}]})
    papers = (Source(id="p1", title="A"), Source(id="p2", title="B"))
    task = ReadCandidates(focal=Focal(title="T", abstract="A"), papers=papers)
    async with ModelServer(batch, batch, batch) as server, models(server) as m:
        reply = await m.run(task)
    assert [(p.id, p.role) for p in reply.papers] == [("p1", PaperRole.DATA)]
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("spec", "said"),
    [(OPENAI, Said(refusal="I will not.")), (OPENAI, Said(finish="content_filter")), (GOOGLE, Said(finish="safety"))],
)
async def test_a_refusal_is_not_asked_again(spec: str, said: Said) -> None:
    async with ModelServer(said) as server, models(server, spec) as m:
        with pytest.raises(InvalidReply, match="refused to answer"):
            await m.run(TURN)
    assert len(server.asked) == 1


# ---------------------------------------------------------------- servers that fail


@pytest.mark.parametrize(
    ("spec", "status", "message"),
    [
        (OPENAI, 401, f"Incorrect API key provided: {KEY}"),
        (DEEPSEEK, 403, f"no access with {KEY}"),
        (GOOGLE, 400, "API key not valid. Please pass a valid API key."),
        (GOOGLE, 403, f"{KEY} is blocked"),
    ],
)
async def test_a_refused_key_is_one_sentence_without_the_key(
    spec: str, status: int, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    body = {"error": {"message": message, "code": status, "status": "INVALID_ARGUMENT", "details": details}}
    caplog.set_level(logging.DEBUG)
    async with ModelServer(Said(status=status, body=body)) as server, models(server, spec) as m:
        with pytest.raises(KeyRefused) as error:
            await m.run(TURN)
    assert len(server.asked) == 1
    assert "does not accept the key" in str(error.value)
    seen = [caplog.text, *traceback.format_exception(error.value), repr(error.value), repr(m), m.describe()]
    assert not [text for text in seen if KEY in text]


async def test_keys_reach_no_log_repr_or_prompt(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for spec in (GOOGLE, OPENAI, DEEPSEEK):
        async with ModelServer(UNDO) as server, models(server, spec) as m:
            await m.run(TURN)
            settings = m._settings
        assert KEY in "".join(server.asked[0].headers.values())  # it does reach its provider
        assert KEY not in json.dumps(server.asked[0].body)
    assert KEY not in caplog.text + repr(settings) + str(settings) + settings.model_dump_json()


async def test_retry_after_is_honoured() -> None:
    busy = Said(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "1"})
    async with ModelServer(busy, UNDO) as server, models(server) as m:
        began = time.monotonic()
        assert (await m.run(TURN)).kind == "undo"
    assert time.monotonic() - began >= 1
    assert len(server.asked) == 2


async def test_too_long_a_pause_ends_the_call() -> None:
    busy = Said(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "3600"})
    async with ModelServer(busy) as server, models(server) as m:
        with pytest.raises(ModelUnavailable, match="limits how often"):
            await m.run(TURN)
    assert len(server.asked) == 1


@pytest.mark.parametrize("spec", [GOOGLE, OPENAI, OTHER])
async def test_a_failing_server_is_tried_again(spec: str) -> None:
    broken = Said(status=503, body={"error": {"message": "overloaded"}})
    async with ModelServer(broken, broken, UNDO) as server, models(server, spec) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert len(server.asked) == m.usage.calls == 3


async def test_a_server_that_keeps_failing_is_an_error() -> None:
    async with ModelServer() as server, models(server, attempts=2) as m:
        with pytest.raises(ModelUnavailable, match="answered with an error"):
            await m.run(TURN)
    assert len(server.asked) == 2


async def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    broken = Said(UNDO, breaks_off=True)
    async with ModelServer(broken, broken, UNDO) as server, models(server) as m:
        assert [r.kind async for r in m.stream(TURN)] == ["undo"]
    assert len(server.asked) == 3


async def test_no_test_reaches_beyond_this_machine() -> None:
    with pytest.raises((RuntimeError, UserWarning), match=r"192\.0\.2\.1"), socket.socket() as s:
        s.connect(("192.0.2.1", 80))


async def test_a_server_that_is_not_there() -> None:
    async with ModelServer() as server:
        pass
    async with models(server, OTHER, attempts=2) as m:
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await m.run(TURN)


async def test_no_answer_in_time() -> None:
    async with ModelServer(Said(UNDO, delay=2)) as server, models(server, timeout_seconds=0.3, attempts=1) as m:
        with pytest.raises(ModelTimeout, match=r"no answer in 0\.3 seconds"):
            await m.run(TURN)


@pytest.mark.parametrize("spec", [OPENAI, OTHER])
async def test_a_prompt_that_is_too_long_is_said_so(spec: str) -> None:
    message = "This model's maximum context length is 2048 tokens. However, you requested 9000 tokens."
    error = {"message": message, "type": "invalid_request_error", "code": "context_length_exceeded"}
    async with ModelServer(Said(status=400, body={"error": error})) as server, models(server, spec) as m:
        with pytest.raises(ModelError, match="prompt is too long"):
            await m.run(TURN)
    assert len(server.asked) == 1


async def test_a_model_that_is_not_there() -> None:
    body = {"error": {"message": "model 'nix' not found"}}
    async with ModelServer(Said(status=404, body=body)) as server, models(server, "ollama:nix") as m:
        with pytest.raises(ModelError, match="ollama:nix is not there"):
            await m.run(TURN)


async def test_a_provider_without_a_key_is_said_so() -> None:
    async with Models(Settings(generator=OPENAI, verifier="built-in"), encode) as m:
        with pytest.raises(KeyRefused, match="Set OPENAI_API_KEY"):
            await m.run(TURN)


# ---------------------------------------------------------------- cache, account, limits


async def test_a_repeated_run_costs_nothing() -> None:
    async with ModelServer(UNDO) as server:
        async with models(server) as m:
            first = await m.run(TURN)
        async with models(server) as again:
            second = await again.run(TURN)
            streamed = [r async for r in again.stream(TURN)]
    assert first == second == streamed[0]
    assert len(server.asked) == len(streamed) == 1
    assert (again.usage.calls, again.usage.cached, again.usage.dollars) == (0, 2, 0)


async def test_another_model_prompt_or_parameter_is_asked_anew() -> None:
    async with ModelServer(UNDO, UNDO, UNDO, UNDO) as server:
        for spec, task, more in (
            (OTHER, TURN, {}),
            ("compatible:large", TURN, {}),
            (OTHER, TURN.model_copy(update={"claims": 3}), {}),
            (OTHER, TURN, {"temperature": 0.5}),
        ):
            async with models(server, spec, **more) as m:
                await m.run(task)
    assert len(server.asked) == 4


async def test_the_same_question_at_the_same_time_is_asked_once() -> None:
    async with ModelServer(Said(UNDO, delay=0.05)) as server, models(server) as m:
        replies = await asyncio.gather(*(m.run(TURN) for _ in range(5)))
    assert len(server.asked) == 1
    assert {r.kind for r in replies} == {"undo"}
    assert m.usage.cached == 4


async def test_a_cache_that_cannot_be_written_stops_nothing(own_home: Any, caplog: pytest.LogCaptureFixture) -> None:
    own_home.write_text("a file where the folder should be")
    async with ModelServer(UNDO) as server, models(server) as m:
        assert (await m.run(TURN)).kind == "undo"
    assert "could not be kept" in caplog.text


async def test_no_more_calls_at_a_time_than_allowed() -> None:
    tasks = [TURN.model_copy(update={"message": f"message {i}"}) for i in range(6)]
    async with ModelServer(*[Said(UNDO, delay=0.05)] * 6) as server, models(server, concurrency=2) as m:
        await asyncio.gather(*(m.run(t) for t in tasks))
    assert server.most_at_once == 2


async def test_limits_stop_before_the_call() -> None:
    other = TURN.model_copy(update={"message": "another"})
    async with ModelServer(UNDO, UNDO, UNDO) as server:
        async with models(server, limit_calls=1) as m:
            await m.run(TURN)
            await m.run(TURN)  # from the cache
            with pytest.raises(LimitReached, match="limit of 1 calls"):
                await m.run(other)
            await m.for_run().run(other)  # the next run has its own account
        async with models(server, GOOGLE, limit_dollars=0.0005) as m:
            await m.run(TURN)
            with pytest.raises(LimitReached, match="Raise MARWG_LIMIT_DOLLARS"):
                await m.run(other)
    assert len(server.asked) == 3


async def test_roles_and_tasks_have_their_own_models() -> None:
    overrides = {"ask_for_missing": "compatible:a", "verifier:route_turn": "compatible:b"}
    async with ModelServer(UNDO, UNDO) as server, models(server, OTHER, DEEPSEEK, task_models=overrides) as m:
        await m.run(TURN)
        await m.run(TURN, role="verifier")
        assert (m.name("generator"), m.name("verifier")) == (OTHER, DEEPSEEK)
        assert m.describe_roles() == {"generator": OTHER, "verifier": DEEPSEEK, **overrides}
        assert m.name("verifier", "route_turn") == "compatible:b"
        assert m.independent
        assert "verifier:route_turn: compatible:b" in m.describe()
    assert [a.body["model"] for a in server.asked] == ["tiny", "b"]


# ---------------------------------------------------------------- streams

GRADES = [{"id": f"p{i}", "grade": i % 4, "role": "background", "reason": f'it says "{i}" {{['} for i in range(4)]
READ = ReadCandidates(
    focal=Focal(title="T", abstract="A"), papers=tuple(Source(id=f"p{i}", title=f"Paper {i}") for i in range(4))
)


@pytest.mark.parametrize("spec", [GOOGLE, OPENAI, DEEPSEEK, OLLAMA, OTHER])
async def test_streams_grow_by_whole_items(spec: str) -> None:
    async with ModelServer(json.dumps({"papers": GRADES})) as server, models(server, spec) as m:
        replies = [r async for r in m.stream(READ)]
    whole = CandidateGrades.model_validate({"papers": GRADES})
    assert [len(r.papers) for r in replies] == [1, 2, 3, 4, 4]
    assert all(r.papers == whole.papers[: len(r.papers)] for r in replies)
    assert replies[-1] == whole
    assert m.usage.output_tokens == 100
    assert len(server.asked) == m.usage.calls == 1


async def test_a_stream_that_fails_falls_back_to_a_plain_call() -> None:
    async with ModelServer(UNDO, rule=stock_llama_cpp) as server, models(server, OTHER) as m:
        assert [r.kind async for r in m.stream(TURN)] == ["undo"]
    assert [bool(a.body.get("stream")) for a in server.asked] == [True, False, False]


async def test_a_stream_that_does_not_validate_is_asked_again() -> None:
    async with ModelServer('{"kind": "dance"}', UNDO) as server, models(server) as m:
        assert [r.kind async for r in m.stream(TURN)] == ["undo"]
    assert "cannot be used" in server.asked[1].prompt


async def test_a_stream_can_be_left() -> None:
    async with ModelServer(json.dumps({"papers": GRADES}), UNDO) as server, models(server, concurrency=1) as m:
        stream = m.stream(READ)
        assert len((await anext(stream)).papers) == 1
        await stream.aclose()  # type: ignore[attr-defined]
        assert (await m.run(TURN)).kind == "undo"  # nothing is held any more


async def test_the_built_in_writer_answers_through_the_same_door() -> None:
    async with Models(Settings(generator="built-in", verifier="built-in"), encode) as m:
        reply = await m.run(TURN)
        assert [r async for r in m.stream(TURN)] == [reply]
        assert m.is_built_in()
        assert not m.independent
        assert m.usage.calls == 0
        assert "rephrase" in m.describe()


def test_queries_stream_as_strings() -> None:
    from marwg.language_models.replies import Growing

    growing = Growing(Queries)
    assert growing.read('{"queries": ["a') is None
    assert growing.read('{"queries": ["a", "b') == Queries(queries=("a",))
