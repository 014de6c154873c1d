"""Requests to other people's servers: paced, cached, within a budget, each one written down before it is sent.

The clients that exist for these services (`arxiv`, `pyalex`, `semanticscholar`) were read and not taken: nothing in
their source hands on when a server asks for a pause, and `arxiv` sets no time-out. `pyzotero` needs an older
`bibtexparser` than ours.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from marwg.errors import SourceUnavailable
from marwg.settings import Settings

KEPT_DAYS = 7
"""An answer is used again for so long."""
_ATTEMPTS = 3
_MOST_BYTES = 60 * 1024**2
_ACCEPT = {"json": "application/json", "xml": "application/atom+xml", "pdf": "application/pdf"}
_BUSY = frozenset((429, 500, 502, 503, 504))


class Budget:
    """What one errand may use: so many requests, so many seconds."""

    def __init__(self, requests: int, seconds: float) -> None:
        self.requests = requests
        self._until = time.monotonic() + seconds

    @property
    def seconds(self) -> float:
        """What is left of the time."""
        return self._until - time.monotonic()


class Answer:
    """The body of an answer, and its headers in small letters."""

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        self.body, self.headers = body, headers


class Courier:
    """Sends requests, one at a time to each source, and keeps the answers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.home / "live"
        self._turns: dict[str, asyncio.Lock] = {}
        self._free_at: dict[str, float] = {}
        self._client: Any = None

    @property
    def log(self) -> Path:
        """The file that says what was sent where, one JSON object a line."""
        return self._folder / "sent.jsonl"

    async def get(
        self,
        source: str,
        url: str,
        budget: Budget,
        form: str = "json",
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        pause: float = 1.0,
        fresh: bool = False,
    ) -> Answer:
        """The answer to a GET request in the form asked for; SourceUnavailable where none came.

        `pause` is the least time between two requests to this source. Secrets belong into `headers`, which are not
        written down. What must be `fresh` is neither taken from the kept answers nor kept.
        """
        address = f"{url}?{urlencode(params)}" if params else url
        if not fresh and (kept := self._kept(address)):
            return kept
        turn = self._turns.setdefault(source, asyncio.Lock())
        async with turn:
            for attempt in range(_ATTEMPTS):
                await self._wait(source, self._free_at.get(source, 0.0) - time.monotonic(), budget)
                if budget.requests <= 0:
                    raise SourceUnavailable(f"{source} was not asked further: the budget of requests is used up.")
                budget.requests -= 1
                answer, why, wished = await self._send(source, address, form, headers or {}, budget)
                self._free_at[source] = time.monotonic() + pause * self._settings.online_pause
                if answer is not None:
                    if not fresh:
                        self._keep(address, answer)
                    return answer
                if wished is None:
                    break
                backoff = self._settings.retry_seconds * 2**attempt
                self._free_at[source] = time.monotonic() + max(wished, backoff, pause * self._settings.online_pause)
        raise SourceUnavailable(f"{source} {why}.", "Papers that are here and other sources are used.")

    async def _wait(self, source: str, seconds: float, budget: Budget) -> None:
        if seconds <= 0:
            return
        if seconds > min(self._settings.longest_wait, max(budget.seconds, 0)):
            raise SourceUnavailable(f"{source} asks for a pause of {seconds:.0f} seconds, which is too long for now.")
        await asyncio.sleep(seconds)

    async def _send(
        self, source: str, address: str, form: str, headers: Mapping[str, str], budget: Budget
    ) -> tuple[Answer | None, str, float | None]:
        """The answer; or what was wrong, and how long to wait before trying again (None: that would not help)."""
        import httpx2

        seconds = min(self._settings.online_timeout, budget.seconds)
        if seconds <= 0:
            raise SourceUnavailable(f"{source} was not asked further: the time for live search is used up.")
        self._write_down(source, address)
        sent = {"Accept": _ACCEPT[form], "User-Agent": self._name(), **headers}
        try:
            async with asyncio.timeout(seconds), self._opened().stream("GET", address, headers=sent) as reply:
                body = b""
                async for chunk in reply.aiter_bytes():
                    body += chunk
                    if len(body) > _MOST_BYTES:
                        return None, "sends more than can be taken", None
                status, got = reply.status_code, {name.lower(): value for name, value in reply.headers.items()}
        except (TimeoutError, httpx2.TimeoutException):
            return None, f"did not answer within {seconds:.0f} seconds", 0.0
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return None, f"cannot be reached ({type(error).__name__})", 0.0
        if status in _BUSY:
            return None, _said(status), _pause_in(got.get("retry-after", ""))
        if status != 200:
            return None, f"answered with status {status}", None
        if "html" in got.get("content-type", "") or body.lstrip()[:15].lower().startswith(
            (b"<!doctype html", b"<html")
        ):
            return None, "answered with a web page in place of data", None
        return Answer(body, got), "", None

    def _opened(self) -> Any:
        if self._client is None:
            import httpx2

            local = all(urlsplit(url).hostname in ("127.0.0.1", "localhost") for url in self._settings.live_urls)
            self._client = httpx2.AsyncClient(follow_redirects=True, max_redirects=4, trust_env=not local)
        return self._client

    def _name(self) -> str:
        contact = self._settings.contact
        return f"marwg (related-work search{f'; mailto:{contact}' if contact else ''})"

    async def close(self) -> None:
        """Ends all connections; the next request opens new ones."""
        if self._client is not None:
            await self._client.aclose()
        self._client, self._turns = None, {}

    # ------------------------------------------------------------ what is kept

    def _write_down(self, source: str, address: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        line = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "source": source, "sent": address}
        with self.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _file(self, address: str) -> Path:
        return self._folder / "answers" / hashlib.sha256(address.encode()).hexdigest()[:32]

    def _kept(self, address: str) -> Answer | None:
        file = self._file(address)
        try:
            if time.time() - file.stat().st_mtime > KEPT_DAYS * 86_400:
                return None
            head, _, body = file.read_bytes().partition(b"\n")
            return Answer(body, json.loads(head))
        except (OSError, ValueError):  # not there, or half written
            return None

    def _keep(self, address: str, answer: Answer) -> None:
        file = self._file(address)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{id(answer)}")
        part.write_bytes(b"{}\n" + answer.body)
        part.replace(file)


def _said(status: int) -> str:
    return "limits how often it may be asked" if status == 429 else f"is not available (status {status})"


def _pause_in(header: str) -> float:
    """The seconds that a Retry-After header asks for; 0 where it says nothing."""
    if header.strip().isdigit():
        return float(header)
    try:
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return 0.0
