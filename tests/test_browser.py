"""The chat as its users meet it: the real server and a real browser. Skipped where there is no Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
LONG = 60_000
"""Milliseconds that a stage may take on a slow machine, the first loading of the embeddings included."""


expect.set_options(timeout=LONG)


class Server:
    """The chat in a process of its own."""

    def __init__(self, app: str, home: Path, pace: float) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "chainlit", "run", app, "--headless", "--port", str(self.port)]
        root = home.parent / "root"  # servers that share a root delete each other's session files
        for part in (".chainlit", "public"):
            shutil.copytree(ROOT / part, root / part)
        shutil.copyfile(ROOT / "chainlit.md", root / "chainlit.md")
        unwanted = ("CI", "CHAINLIT_HOST", "CHAINLIT_AUTH_SECRET", "CHAINLIT_APP_ROOT")
        self._env = {k: v for k, v in os.environ.items() if k not in unwanted} | {
            "MARWG_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "CHAINLIT_APP_ROOT": str(root),
            "FAKE_PACE": str(pace),
        }
        self._log = home.parent / "server.log"

    def start(self) -> None:
        with self._log.open("a") as log:
            self._process = subprocess.Popen(self._command, cwd=ROOT, env=self._env, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        raise AssertionError(f"the server did not start:\n{self._log.read_text()}")

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill()


@pytest.fixture(scope="module")  # its event loop runs until it is closed, and no asynchronous test can run meanwhile
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        missing = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("MARWG_REQUIRE_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


@contextmanager
def page_of(browser: Browser, url: str) -> Iterator[Page]:
    """A page that fails the test when its scripts fail or when anything is loaded from elsewhere."""
    context = browser.new_context(viewport={"width": 1360, "height": 900})
    page = context.new_page()
    page.set_default_timeout(LONG)
    problems: list[str] = []
    page.on("pageerror", lambda e: None if "Unauthorized" in str(e) else problems.append(str(e)))
    page.on("response", lambda r: None if r.url.startswith((url, "data:", "blob:")) else problems.append(r.url))
    page.goto(url)
    page.wait_for_selector("#chat-input")
    yield page
    context.close()
    assert problems == []


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., tuple[Page, Server]]]:
    """Starts a server for an app and opens its page."""
    opened: list[tuple[Any, Server]] = []

    def start(app: str = "tests/chat_app_fake.py", pace: float = 0.02) -> tuple[Page, Server]:
        server = Server(app, tmp_path / "home", pace)
        server.start()
        manager = page_of(browser, server.url)
        page = manager.__enter__()
        opened.append((manager, server))
        return page, server

    yield start
    for manager, server in opened:
        server.stop()
        manager.__exit__(None, None, None)


def begin(page: Page) -> None:
    page.locator("[id^=starter-]").first.click()


def test_from_the_first_starter_to_a_verified_draft_without_a_key(
    open_page: Callable[..., tuple[Page, Server]],
) -> None:
    page, server = open_page("chainlit_app.py")
    expect(page.locator("#welcome-screen")).to_contain_text("built-in")
    expect(page.locator("[id^=starter-]")).to_have_count(3)
    begin(page)
    expect(page.locator("[data-testid=candidates] [data-paper]").first).to_be_visible(timeout=2 * LONG)
    page.get_by_test_id("approve").click(timeout=2 * LONG)
    ledger = page.get_by_test_id("ledger")
    expect(ledger).to_be_visible(timeout=2 * LONG)
    expect(page.get_by_test_id("outline")).to_have_attribute("data-state", "approved")
    badges = page.locator("a[href^='#claim-']")
    assert badges.count() >= 5
    badges.nth(1).click()
    expect(ledger.locator("[data-open='2']")).to_contain_text("Judgements")
    expect(ledger.locator("[data-open='2'] mark").first).to_be_visible()
    expect(page.get_by_text("Put it in your own words")).to_be_visible()
    expect(page.locator("a.inline-file[download='taxonomy.mmd']")).to_have_count(1)

    page.reload()
    expect(page.get_by_test_id("ledger")).to_be_visible()
    links = {a.get_attribute("download"): a.get_attribute("href") for a in page.locator("a.inline-file").all()}
    assert set(links) >= {"related_work.md", "related_work.tex", "references.bib", "ledger.json", "taxonomy.graphml"}
    answer = page.request.get(f"{server.url}{links['references.bib']}".replace(server.url * 2, server.url))
    assert answer.status == 200
    assert "@" in answer.text()
    with pytest.raises(urllib.error.HTTPError):  # without the login of this page
        urllib.request.urlopen(f"{server.url}{links['references.bib']}")


def test_the_outline_is_edited_and_claims_are_looked_into(open_page: Callable[..., tuple[Page, Server]]) -> None:
    page, _ = open_page()
    begin(page)
    outline = page.get_by_test_id("outline")
    outline.locator("input").first.fill("Renamed")
    outline.locator("[data-move=p12]").select_option("1")
    outline.get_by_title("Move down").first.click()
    page.get_by_test_id("add-topic").click()
    page.get_by_test_id("approve").click()
    expect(outline.get_by_role("alert")).to_contain_text("needs a title")
    outline.locator("input").last.fill("Added")
    page.get_by_test_id("approve").click()
    expect(page.get_by_test_id("ledger")).to_be_visible()
    expect(outline).to_have_attribute("data-state", "approved")
    titles = [h.inner_text() for h in page.locator(".ai-message:has(a[href^='#claim-']) h3").all()]
    assert titles == [
        "Measuring attribution and factuality",
        "Renamed",
        "Claim verification and survey writing",
        "Added",
        "References",
    ]

    ledger = page.get_by_test_id("ledger")
    ledger.locator("[data-filter=disputed]").click()
    expect(ledger.locator("[data-claim]")).to_have_count(1)
    ledger.locator("[data-claim] button").first.click()
    ledger.locator("[data-do=sources]").click()
    expect(page.get_by_test_id("sources")).to_contain_text("page 3")
    ledger.locator("[data-do=accept]").click()
    expect(ledger.locator("[data-claim]").first).to_contain_text("accepted by you")
    ledger.locator("[data-do=why]").click()
    expect(page.get_by_text("was flagged because")).to_be_visible()


def test_words_change_the_outline_while_its_card_is_open(open_page: Callable[..., tuple[Page, Server]]) -> None:
    page, _ = open_page()
    begin(page)
    expect(page.get_by_test_id("outline")).to_be_visible()
    page.fill("#chat-input", "merge the last two")
    page.locator("#chat-submit").click()
    expect(page.locator("[data-testid=outline][data-state=superseded]")).to_have_count(1)
    expect(page.locator("[data-testid=outline][data-state=open] [data-topic]")).to_have_count(2)


def test_a_run_is_stopped_continued_and_followed_over_a_reload(open_page: Callable[..., tuple[Page, Server]]) -> None:
    page, _ = open_page(pace=0.4)
    begin(page)
    expect(page.get_by_test_id("candidates")).to_be_visible()
    page.locator("#stop-button").click()
    page.get_by_test_id("continue").get_by_role("button").click()
    expect(page.get_by_test_id("candidates")).to_have_count(2)
    page.reload()
    expect(page.locator("#stop-button")).to_be_visible()
    expect(page.get_by_test_id("outline")).to_be_visible()
    expect(page.get_by_test_id("candidates")).to_have_count(2)
    page.reload()
    expect(page.get_by_test_id("outline")).to_have_count(1)
    expect(page.get_by_test_id("taxonomy")).to_have_count(1)
    expect(page.get_by_role("complementary").get_by_text("Waiting for you")).to_be_visible()  # the panel of stages


def test_a_run_goes_on_after_the_server_was_killed(open_page: Callable[..., tuple[Page, Server]]) -> None:
    page, server = open_page(pace=0.1)
    begin(page)
    page.get_by_test_id("approve").click()
    expect(page.locator("[data-testid=outline][data-state=approved]")).to_be_visible()
    server.kill()
    server.start()
    page.reload()
    page.get_by_test_id("continue").get_by_role("button").click()
    expect(page.get_by_test_id("ledger")).to_be_visible()
    expect(page.get_by_test_id("continued")).to_be_visible()


def test_settings_hold_and_an_error_says_what_to_do(open_page: Callable[..., tuple[Page, Server]]) -> None:
    page, _ = open_page()
    page.locator("#chat-settings-open-modal").click()
    page.locator("#until").fill("soon")
    page.locator("#confirm").click()
    expect(page.locator("[data-sonner-toast]").first).to_contain_text("until")
    page.fill("#chat-input", "an empty library")
    page.locator("#chat-submit").click()
    expect(page.get_by_text("Upload a .bib file or PDFs first.")).to_be_visible()
