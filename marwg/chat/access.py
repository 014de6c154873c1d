"""Who may use the chat: everyone at this machine without a login, anyone else with the password."""

import hmac
import ipaddress
import os
import secrets
from collections.abc import Mapping, MutableMapping
from pathlib import Path

import chainlit as cl
from fastapi import FastAPI, HTTPException
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from marwg.errors import MarwgError
from marwg.settings import Settings

USER = "local"
"""The one account: what it holds is the same with and without a password."""

POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # custom elements are compiled in the page
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "object-src 'self' blob:",
        "frame-src 'self' blob:",
        "worker-src 'self' blob:",
        "frame-ancestors 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    ]
)


class NoPassword(MarwgError):
    """The server would be open to others without a password."""


def install(settings: Settings, environment: MutableMapping[str, str] = os.environ) -> None:
    """Sets up the login that fits where the server listens; NoPassword rather than an open server."""
    environment.setdefault("CHAINLIT_AUTH_SECRET", secret(settings.home / "chat_secret"))
    password = settings.password.get_secret_value()
    if password:

        @cl.password_auth_callback
        async def with_password(_name: str, given: str) -> cl.User | None:
            return cl.User(identifier=USER) if hmac.compare_digest(given.encode(), password.encode()) else None

    elif is_local(environment.get("CHAINLIT_HOST", "127.0.0.1")):

        @cl.header_auth_callback
        async def at_this_machine(headers: Mapping[str, str]) -> cl.User | None:
            return cl.User(identifier=USER) if is_local(host_name(headers.get("host", ""))) else None

    else:
        raise NoPassword(
            f"The chat would listen on {environment['CHAINLIT_HOST']}, where others can reach it, and no password is set.",
            "Set MARWG_PASSWORD, or start it without --host to use it on this machine only.",
        )


def is_local(host: str) -> bool:
    """Whether a host name or address means this machine only; a foreign name in the Host header is a rebound one."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The name in a Host header, without the port."""
    if header.startswith("["):
        return header[: header.find("]") + 1]
    return header.rsplit(":", 1)[0] if ":" in header else header


def secret(path: Path) -> str:
    """The key that signs logins: made once, readable by its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(48))
    return path.read_text(encoding="ascii")


def close_element_routes(app: FastAPI) -> None:
    """Takes away the routes by which a page may write or delete elements: they do not ask who owns one.

    No element of ours needs them, and so what the store holds of an element was written by the server.
    """

    async def closed() -> None:
        raise HTTPException(403, "Elements are changed by the server only.")

    app.add_api_route("/project/element", closed, methods=["PUT", "DELETE"], include_in_schema=False)
    app.router.routes.insert(0, app.router.routes.pop())


class SelfContainedPage:
    """Answers carry a policy that lets the page load from this server only.

    The page of the framework links a style sheet on another server, which would hold up the first paint where that
    server cannot be reached; and an image in a model's answer could carry words of the conversation away.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["Referrer-Policy"] = "no-referrer"
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        await self._app(scope, receive, with_policy)
