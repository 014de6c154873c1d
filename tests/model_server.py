"""A model server on this machine that speaks the OpenAI and the Gemini protocol and answers as a test says."""

import asyncio
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Said:
    """One answer: a text of the model, or an error with its body."""

    text: str = ""
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    finish: str = "stop"
    refusal: str | None = None
    breaks_off: bool = False


@dataclass(frozen=True)
class Asked:
    """One request as the model sees it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def form(self) -> dict[str, Any]:
        """What form of reply is asked for, in the words of the protocol."""
        if "messages" in self.body:
            return self.body.get("response_format") or {}
        return {k: v for k, v in (self.body.get("generationConfig") or {}).items() if k.startswith("response")}

    @property
    def prompt(self) -> str:
        """All text of the request."""
        if "messages" in self.body:
            return "\n".join(str(m["content"]) for m in self.body["messages"])
        parts = [*(self.body.get("systemInstruction") or {}).get("parts", [])]
        parts += [p for c in self.body.get("contents", []) for p in c["parts"]]
        return "\n".join(p.get("text", "") for p in parts)


class ModelServer:
    """Answers with `replies` in turn; `rule` may answer instead. Remembers what was `asked`."""

    def __init__(self, *replies: str | Said, rule: Callable[[Asked], Said | None] | None = None) -> None:
        self.replies = deque(replies)
        self.rule = rule
        self.asked: list[Asked] = []
        self.at_once = self.most_at_once = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            asked = Asked(head[0].split()[1], headers, json.loads(body or b"{}"))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            await self._answer(asked, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client went away, as one that times out does
        finally:
            self.at_once -= 1
            writer.close()

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        self.asked.append(asked)
        said = self.rule(asked) if self.rule else None
        if said is None:
            said = self.replies.popleft() if self.replies else Said(status=500, body={"error": "nothing left to say"})
        said = Said(said) if isinstance(said, str) else said
        await asyncio.sleep(said.delay)
        streams = said.status == 200 and (asked.body.get("stream") or "streamGenerateContent" in asked.path)
        openai = "messages" in asked.body
        if said.body is not None:
            content = json.dumps(said.body)
        elif streams:
            pieces = [said.text[i : i + 7] for i in range(0, len(said.text), 7)] or [""]
            chunk = _openai_chunk if openai else _gemini
            content = "".join(f"data: {json.dumps(chunk(p, said, p is pieces[-1]))}\n\n" for p in pieces)
            content += "data: [DONE]\n\n" if openai else ""
        else:
            content = json.dumps(_openai(said) if openai else _gemini(said.text, said, True))
        headers = {
            "Content-Type": "text/event-stream" if streams else "application/json",
            "Content-Length": str(len(content.encode())),
            "Connection": "close",
            **said.headers,
        }
        lines = [f"HTTP/1.1 {said.status} Said", *(f"{k}: {v}" for k, v in headers.items()), "", ""]
        sent = content.encode()
        writer.write("\r\n".join(lines).encode() + (sent[: len(sent) // 2] if said.breaks_off else sent))
        await writer.drain()


_USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}


def _openai(said: Said) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    choice = {"index": 0, "message": message, "finish_reason": said.finish}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": _USAGE}


def _openai_chunk(piece: str, said: Said, last: bool) -> dict[str, Any]:
    delta = {"role": "assistant", "content": piece}
    choice = {"index": 0, "delta": delta, "finish_reason": said.finish if last else None}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return {**chunk, "usage": _USAGE} if last else chunk


def _gemini(piece: str, said: Said, last: bool) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}
    if not last:
        return {"candidates": [candidate], "modelVersion": "m"}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 100, "totalTokenCount": 1100}
    return {
        "candidates": [{**candidate, "finishReason": said.finish.upper()}],
        "usageMetadata": usage,
        "modelVersion": "m",
    }
