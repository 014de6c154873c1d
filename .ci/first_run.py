"""The README's first command as a newcomer runs it: the server answers, and the first starter goes to a verified draft.

usage: first_run.py HOME
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aiohttp

from tests.chat_client import Chat, free_port, start_server, until_it_answers


async def converse(home: Path) -> None:
    port = free_port()
    url, started = f"http://127.0.0.1:{port}", time.monotonic()
    server = start_server(home, port)
    try:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
            await until_it_answers(http, server, url)
            print(f"the server answers after {time.monotonic() - started:.1f} s")
            chat = Chat(http)
            await chat.connect(url)
            started = time.monotonic()
            await chat.say(await chat.starter(url))
            await chat.until("OutlineEditor")
            print(f"the outline is there {time.monotonic() - started:.1f} s after the starter was sent")
            await chat.say("approve")
            await chat.until("ClaimLedger")
            print(f"the verified draft with its ledger is there after {time.monotonic() - started:.1f} s")
            await chat.client.disconnect()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    asyncio.run(converse(Path(sys.argv[1])))
