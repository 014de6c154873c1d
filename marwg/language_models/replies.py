"""The form of replies: the JSON schema that is asked for, and the reading of what came."""

import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError

from marwg.tasks import Reply

R = TypeVar("R", bound=Reply)

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL | re.IGNORECASE)
_SHOWN_ERRORS = 6


class Unusable(ValueError):
    """A reply that cannot be read; the text says why in words for the model that gave it."""


def schema_of(reply: type[Reply]) -> dict[str, Any]:
    """The schema in its plainest form: no references, no defaults, every field required.

    Every provider's subset of JSON Schema knows this much, and a model that must give each field forgets none.
    """
    whole = reply.model_json_schema()
    schema = _plain(whole, whole.get("$defs", {}))
    assert isinstance(schema, dict)
    return schema


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].removeprefix("#/$defs/")]
        return _plain({**target, **{k: v for k, v in node.items() if k != "$ref"}}, definitions)
    plain = {k: _plain(v, definitions) for k, v in node.items() if k not in ("$defs", "default", "title", "properties")}
    if "properties" in node:
        plain["properties"] = {name: _plain(value, definitions) for name, value in node["properties"].items()}
        plain["required"] = list(node["properties"])
        plain["additionalProperties"] = False
    return plain


def read(reply: type[R], text: str, lenient: bool = False) -> R:
    """The reply in a text, fenced or with words around it; Unusable says what is wrong.

    `lenient` leaves out items of the outermost list that do not validate, as long as one does.
    """
    value = _shaped(reply, _json(text))
    try:
        return reply.model_validate(value)
    except ValidationError as error:
        if lenient and (rest := _without_bad_items(value, error)) is not None:
            return read(reply, json.dumps(rest))
        details = error.errors(include_url=False, include_context=False, include_input=False)
        shown = [f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in details[:_SHOWN_ERRORS]]
        more = len(details) - len(shown)
        raise Unusable("; ".join(shown) + (f"; and {more} more" if more > 0 else "")) from error


def _json(text: str) -> Any:
    """The first JSON value of a text, whatever stands around it."""
    if not text.strip():
        raise Unusable("the reply is empty")
    decoder = json.JSONDecoder(strict=False)  # raw line breaks in strings are common and harmless
    problem = "there is no JSON object in the reply"
    for candidate in (text, *(match[1] for match in _FENCED.finditer(text))):
        start = re.search(r"[{\[]", candidate)
        if start is None:
            continue
        try:
            return decoder.raw_decode(candidate, start.start())[0]
        except json.JSONDecodeError as error:
            problem = f"not valid JSON: {error.msg} at character {error.pos - start.start()}"
    raise Unusable(problem)


def _shaped(reply: type[Reply], value: Any) -> Any:
    """The value with a bare list put under the only field there is, and null fields left to their defaults."""
    fields = list(reply.model_fields)
    if isinstance(value, list) and len(fields) == 1:
        value = {fields[0]: value}
    return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value


def _without_bad_items(value: Any, error: ValidationError) -> dict[str, Any] | None:
    """The value without the items that errors point at; None where that leaves nothing or does not help."""
    bad: dict[str, set[int]] = {}
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        match detail["loc"]:
            case (str(name), int(index), *_):
                bad.setdefault(name, set()).add(index)
            case _:
                return None
    rest = {k: [x for i, x in enumerate(v) if i not in bad[k]] if k in bad else v for k, v in value.items()}
    return rest if all(rest[name] for name in bad) else None


class Growing:
    """Reads a reply while it is written, as far as its list items are whole.

    An item is an object in a list, or a string in a list that is itself a field of the reply.
    """

    def __init__(self, reply: type[Reply]) -> None:
        self._reply = reply
        self._seen = 0
        self._start = -1
        self._stack: list[str] = []
        self._in_string = self._escaped = False
        self._cut: tuple[int, str] | None = None

    def read(self, text: str) -> Reply | None:
        """The reply in a text that begins with the one read before; None when no item was completed since."""
        before = self._cut
        for position in range(self._seen, len(text)):
            self._step(text[position], position)
        self._seen = len(text)
        if self._cut is None or self._cut == before:
            return None
        end, closing = self._cut
        try:
            value = json.loads(text[self._start : end] + closing, strict=False)
            return self._reply.model_validate(_without_nulls(value))
        except ValueError:  # a field after the list is still missing, or this is not the reply yet
            return None

    def _step(self, character: str, position: int) -> None:
        if self._start < 0:
            if character != "{":
                return
            self._start = position
        if self._in_string:
            if self._escaped or character == "\\":
                self._escaped = not self._escaped
            elif character == '"':
                self._in_string = False
                if self._stack == ["}", "]"]:
                    self._cut_after(position)
        elif character == '"':
            self._in_string = True
        elif character in "{[":
            self._stack.append("}" if character == "{" else "]")
        elif character in "}]" and self._stack:
            self._stack.pop()
            if character == "}" and self._stack[-1:] == ["]"]:
                self._cut_after(position)

    def _cut_after(self, position: int) -> None:
        self._cut = position + 1, "".join(reversed(self._stack))
