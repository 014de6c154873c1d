"""From starting the chat to its first answers, over the socket: `python benchmarks/first_answer.py [RUNS]`.

Each run is a new server with an empty home: until it answers, until the first starter shows its candidates (the
embedding model is loaded and the library embedded in between), its outline, and its claim ledger.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aiohttp

from tests.chat_client import Chat, free_port, start_server, until_it_answers


async def one(home: Path) -> dict[str, float]:
    port = free_port()
    url, times, started = f"http://127.0.0.1:{port}", {}, time.perf_counter()
    server = start_server(home, port, quiet=True)
    try:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
            await until_it_answers(http, server, url)
            times["the server answers"] = time.perf_counter() - started
            chat = Chat(http)
            await chat.connect(url)
            sent = time.perf_counter()
            await chat.say(await chat.starter(url))
            for what, element in (("candidates", "CandidateTable"), ("outline", "OutlineEditor")):
                await chat.until(element)
                times[f"{what}, after sending the starter"] = time.perf_counter() - sent
            sent = time.perf_counter()
            await chat.say("approve")
            await chat.until("ClaimLedger")
            times["claim ledger, after approving"] = time.perf_counter() - sent
            await chat.client.disconnect()
    finally:
        server.terminate()
        server.wait(20)
    return times


def main(runs: int) -> None:
    results = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as home:
            results.append(asyncio.run(one(Path(home))))
    print(f"{'seconds, of ' + str(runs) + ' runs':40}{'median':>8}{'min':>8}{'max':>8}")
    for what in results[0]:
        each = [r[what] for r in results]
        print(f"{what:40}{statistics.median(each):8.1f}{min(each):8.1f}{max(each):8.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
