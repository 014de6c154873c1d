"""A chat over the socket without a browser: a server in a process of its own, and one conversation with it."""

import asyncio
import os
import socket
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

import aiohttp
import socketio

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 240


class NoAnswer(Exception):
    """The server or the conversation did not get where it should."""


def start_server(home: Path, port: int, quiet: bool = False) -> "subprocess.Popen[bytes]":
    """The README's first command, on another port and with a home of its own; `quiet` throws away what it logs."""
    environment = {k: v for k, v in os.environ.items() if k != "CI"}  # with CI set, Chainlit invents an OpenAI key
    environment |= {"MARWG_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    command = ["chainlit", "run", "chainlit_app.py", "-h", "--port", str(port)]
    output = subprocess.DEVNULL if quiet else None
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until_it_answers(http: aiohttp.ClientSession, server: "subprocess.Popen[bytes]", url: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            raise NoAnswer(f"the server ended with {server.returncode}")
        try:
            async with http.get(f"{url}/health") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            await asyncio.sleep(0.3)
    raise NoAnswer("the server did not answer")


class Chat:
    """One conversation over the socket; `said` holds the text of every message by id."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self.http = http
        self.client = socketio.AsyncClient(http_session=http)
        self.said: dict[str, str] = {}
        self.elements: list[str] = []
        self.client.on("new_message", self.heard)
        self.client.on("update_message", self.heard)
        self.client.on("element", lambda element: self.elements.append(element.get("name", "")))

    async def connect(self, url: str) -> None:
        """Logs in as the page does and opens a new conversation."""
        async with self.http.post(f"{url}/auth/header") as answer:
            answer.raise_for_status()
        auth = {
            "sessionId": str(uuid.uuid4()),
            "clientType": "webapp",
            "userEnv": "",
            "chatProfile": "",
            "threadId": "",
        }
        await self.client.connect(url, socketio_path="/ws/socket.io", auth=auth, transports=["websocket"])
        await self.client.emit("connection_successful")

    async def starter(self, url: str) -> str:
        """The message that the first starter sends."""
        async with self.http.get(f"{url}/project/settings") as answer:
            return str((await answer.json())["starters"][0]["message"])

    def heard(self, message: dict[str, Any]) -> None:
        self.said[message["id"]] = f"{message.get('name', '')}: {message.get('output', '')}"

    async def say(self, text: str) -> None:
        """Sends a message; `until` waits for what comes of it."""
        message = {"id": str(uuid.uuid4()), "name": "user", "type": "user_message", "output": text, "createdAt": ""}
        await self.client.emit("client_message", {"message": message, "fileReferences": []})

    async def until(self, what: str) -> None:
        """Waits for an element of this name."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if what in self.elements:
                return
            await asyncio.sleep(0.3)
        raise NoAnswer(f"no {what} came; the chat said:\n" + "\n".join(self.said.values()))
