"""`Models`: tasks in, typed replies out, whoever answers them."""

import asyncio
import copy
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Self, TypeVar, cast

import numpy as np

from marwg import prompts
from marwg.errors import InvalidReply, LimitReached
from marwg.language_models.cache import key_for
from marwg.language_models.choice import BUILT_IN, ROLES, Choice, Role, Spec, choose, parse
from marwg.language_models.providers import Answer, Connection, Mode, Question
from marwg.language_models.replies import Growing, Unusable, read, schema_of
from marwg.language_models.shared import Shared
from marwg.language_models.troubles import Trouble
from marwg.settings import Settings
from marwg.tasks import Reply, Task
from marwg.types import Usage

R = TypeVar("R", bound=Reply)
Encode = Callable[[Sequence[str]], np.ndarray]

REASKED = 2
"""How often an answer that does not validate goes back to its model."""

_log = logging.getLogger(__name__)


class Models:
    """The models of this process by role; one object for a run, `for_run` gives the next one its own account."""

    def __init__(self, settings: Settings, encode: Encode, choice: Choice | None = None) -> None:
        self._settings = settings
        self._encode = encode
        self._choice = choice or choose(settings)
        self._shared = Shared(settings)
        self.usage = Usage()
        self._dollars = 0.0
        self._started = 0

    @classmethod
    async def open(cls, settings: Settings, encode: Encode) -> Self:
        """The models that the settings name or that are there, looked for without holding up the event loop."""
        return cls(settings, encode, await asyncio.to_thread(choose, settings))

    # ------------------------------------------------------------ who answers

    def name(self, role: Role = "generator", task: str = "") -> str:
        """The model of a role, or of a task in it, such as `google:gemini-2.5-flash` or `built-in`."""
        return str(self._choice.of(role, task))

    def is_built_in(self, role: Role = "generator") -> bool:
        """Whether the extractive writer has the role."""
        return self._choice.of(role) == BUILT_IN

    @property
    def independent(self) -> bool:
        """Whether claims are judged by two different models."""
        return self._choice.of("generator", "judge_claims") != self._choice.of("verifier", "judge_claims")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of the choice."""
        if self.is_built_in() and self.is_built_in("verifier"):
            return (
                "The built-in writer copies and rephrases sentences of abstracts and judges by word and vector "
                "agreement: rephrase its draft, and set a key or start Ollama for a real one.",
            )
        if not self.independent:
            return (
                f"Both judges are {self.name()}, so they are not independent; set MARWG_VERIFIER to another model.",
            )
        return ()

    def describe_roles(self) -> dict[str, str]:
        """Role, or task with a model of its own → the model's name."""
        own = {task: str(spec) for task, spec in sorted(self._choice.tasks.items())}
        return {"generator": self.name(), "verifier": self.name("verifier"), **own}

    def describe(self) -> str:
        """Which model does what and why, with warnings, one a line."""
        lines = [
            f"{role.capitalize() if role in ROLES else role}: {name}" for role, name in self.describe_roles().items()
        ]
        if self._choice.reason:
            lines.append(f"Chosen because: {self._choice.reason}.")
        return "\n".join([*lines, *self.warnings])

    # ------------------------------------------------------------ asking

    async def run(self, task: Task[R], role: Role = "generator", fresh: bool = False) -> R:
        """The reply to a task, from the cache if it was answered before and is not to be `fresh`; ModelError where none."""
        spec = self._choice.of(role, task.name)
        if spec == BUILT_IN:
            return await self._built_in(task)
        question, key = self._question(task, spec)
        async with self._shared.lock(key):  # the same question twice at a time is asked once
            kept = None if fresh else await self._kept(task, key)
            if kept is not None:
                return kept
            reply = await self._asked(task, spec, question)
            await self._keep(task, spec, key, reply)
            return reply

    async def stream(self, task: Task[R], role: Role = "generator") -> AsyncIterator[R]:
        """The reply as it grows, with whole list items only; the last one is whole and is what `run` gives."""
        spec = self._choice.of(role, task.name)
        if spec == BUILT_IN:
            yield await self._built_in(task)
            return
        question, key = self._question(task, spec)
        async with self._shared.lock(key):
            reply = await self._kept(task, key)
            if reply is None:
                first: tuple[tuple[str, str], ...] = ()
                try:
                    async with aclosing(self._streamed(task, spec, question)) as stream:
                        async for partial in stream:
                            if isinstance(partial, Answer):
                                reply, first = _judged(task, partial)
                            else:
                                yield partial
                except Trouble as trouble:
                    if not (trouble.again or trouble.form):
                        raise trouble.error from None
                    _log.info("%s did not stream: %s", spec, trouble.detail)
                    if trouble.wait:
                        await self._pause(trouble, 0)
                if reply is None:
                    reply = await self._asked(task, spec, replace(question, refused=first))
                await self._keep(task, spec, key, reply)
            yield reply

    def for_run(self, spent: Usage | None = None) -> Self:
        """The same models, cache and connections with an account of their own, to which limits apply."""
        account = copy.copy(self)
        account.usage = spent or Usage()
        account._dollars = account.usage.dollars or 0.0
        account._started = account.usage.calls
        return account

    def judged_by(self, model: str) -> Self:
        """The same with another model judging claims in the verifier's place; ModelError where the name means none."""
        other = copy.copy(self)
        tasks = self._choice.tasks | {"verifier:judge_claims": parse(model)}
        other._choice = replace(self._choice, tasks=tasks)
        return other

    async def close(self) -> None:
        """Close connections and the cache; the object can still be used afterwards."""
        await self._shared.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ------------------------------------------------------------ one task

    async def _built_in(self, task: Task[R]) -> R:
        if self._shared.writer is None:
            from marwg.extractive import ExtractiveWriter

            self._shared.writer = ExtractiveWriter(self._encode)
        return cast(R, await asyncio.to_thread(self._shared.writer.answer, task))

    def _question(self, task: Task[R], spec: Spec) -> tuple[Question, str]:
        prompt = prompts.render(task)
        question = Question(task.name, prompt.system, prompt.user, schema_of(task.reply))
        key = key_for(
            model=str(spec),
            address=self._settings.base_url if spec.provider == "compatible" else "",
            prompt=prompt.digest,
            system=question.system,
            user=question.user,
            schema=question.schema,
            temperature=self._settings.temperature,
        )
        return question, key

    async def _asked(self, task: Task[R], spec: Spec, question: Question) -> R:
        """Ask until an answer validates, sending back at most REASKED times what was wrong."""
        while True:
            answer = await self._call(spec, question)
            reply, refused = _judged(task, answer, lenient=len(question.refused) >= REASKED)
            if reply is not None:
                return reply
            question = replace(question, refused=(*question.refused, *refused))
            if len(question.refused) > REASKED:
                raise InvalidReply(
                    f"{spec} gave no usable answer to '{task.name}': {question.refused[-1][1]}.",
                    "Try again, or use a stronger model for this task.",
                    attempts=[f"{problem}\n{text}" for text, problem in question.refused],
                )

    async def _call(self, spec: Spec, question: Question) -> Answer:
        """One answer, after as many attempts as a busy server needs and in the form that it knows."""
        for attempt in range(self._settings.attempts):
            try:
                return await self._in_known_form(spec, question)
            except Trouble as trouble:
                _log.warning("%s, attempt %d: %s", spec, attempt + 1, trouble.detail or trouble)
                if not trouble.again or attempt + 1 >= self._settings.attempts:
                    raise trouble.error from None
                await self._pause(trouble, attempt)
        raise AssertionError("settings.attempts is at least 1")

    async def _pause(self, trouble: Trouble, attempt: int) -> None:
        """Wait as long as the server asks for, or a little longer each time; too long a pause ends the call."""
        wait = self._settings.retry_seconds * 2**attempt if trouble.wait is None else trouble.wait
        if wait > self._settings.longest_wait:
            raise trouble.error from None
        await asyncio.sleep(wait)

    async def _in_known_form(self, spec: Spec, question: Question) -> Answer:
        """Ask in the strictest form that this model has not refused; a form that works is remembered."""
        connection = self._shared.connection(spec)
        modes = self._shared.modes.get(spec, connection.modes)
        trouble: Trouble | None = None
        for mode in modes:
            try:
                answer = await self._sent(connection, question, mode)
            except Trouble as now:
                if not now.form:
                    raise
                trouble = trouble or now
            else:
                if trouble is not None:
                    _log.info("%s does not know the form '%s', '%s' is used from now on", spec, modes[0], mode)
                    self._shared.modes[spec] = modes[modes.index(mode) :]
                return answer
        assert trouble is not None
        raise trouble

    async def _sent(self, connection: Connection, question: Question, mode: Mode) -> Answer:
        async with self._shared.gate():
            self._check_limits()
            usage = Usage(calls=1)
            try:
                answer = await connection.ask(question, mode)
                usage = answer.usage
            finally:
                self._spend(usage)
        return answer

    async def _streamed(self, task: Task[R], spec: Spec, question: Question) -> AsyncGenerator[R | Answer]:
        """Growing replies, then the whole answer."""
        connection = self._shared.connection(spec)
        mode = self._shared.modes.get(spec, connection.modes)[0]
        growing = Growing(task.reply)
        async with self._shared.gate():
            self._check_limits()
            usage = Usage(calls=1)
            try:
                async with aclosing(connection.stream(question, mode)) as stream:
                    async for answer in stream:
                        if answer.usage.calls:
                            usage = answer.usage
                            yield answer
                        elif (partial := growing.read(answer.text)) is not None:
                            yield cast(R, partial)
            finally:
                self._spend(usage)

    # ------------------------------------------------------------ account and cache

    def _check_limits(self) -> None:
        calls, dollars = self._settings.limit_calls, self._settings.limit_dollars
        if calls is not None and self._started >= calls:
            raise LimitReached(f"The limit of {calls} calls is reached.", "Raise MARWG_LIMIT_CALLS to go on.")
        if dollars is not None and self._dollars >= dollars:
            raise LimitReached(f"The limit of ${dollars:g} is reached.", "Raise MARWG_LIMIT_DOLLARS to go on.")
        self._started += 1

    def _spend(self, usage: Usage) -> None:
        self.usage += usage
        self._dollars += usage.dollars or 0.0

    async def _kept(self, task: Task[R], key: str) -> R | None:
        text = await asyncio.to_thread(self._shared.cache.get, key)
        if text is None:
            return None
        try:
            reply = cast(R, task.reply.model_validate_json(text))
        except ValueError as error:
            _log.warning("a kept answer to %s does not fit any more: %s", task.name, error)
            return None
        self.usage += Usage(cached=1)
        return reply

    async def _keep(self, task: Task[Any], spec: Spec, key: str, reply: Reply) -> None:
        await asyncio.to_thread(self._shared.cache.put, key, str(spec), task.name, reply.model_dump_json())


def _judged(task: Task[R], answer: Answer, lenient: bool = False) -> tuple[R | None, tuple[tuple[str, str], ...]]:
    """The reply in an answer, or the answer with what is wrong with it."""
    try:
        return cast(R, read(task.reply, answer.text, lenient)), ()
    except Unusable as error:
        problem = f"{error}; it was cut off at the length limit, so be briefer" if answer.cut_off else str(error)
        return None, ((answer.text, problem),)
