"""The outline in a real browser: five changes in words, two in place, a reload in the middle, approval."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.test_browser import LONG, Server, begin, browser, open_page

__all__ = ["browser", "open_page"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]


def outline_of(page: Page) -> Locator:
    """The card that can be changed; older ones are superseded."""
    return page.locator("[data-testid=outline][data-state=open]")


def shown(outline: Locator) -> list[tuple[str, list[str]]]:
    """Title and papers of each topic, in order."""
    topics = outline.locator("[data-topic]").all()
    return [
        (
            (t.locator("input").input_value() if t.locator("input").count() else t.locator(".mw-title").inner_text()),
            [p.get_attribute("data-move") or "" for p in t.locator("[data-move]").all()],
        )
        for t in topics
    ]


def say(page: Page, text: str, told: str) -> None:
    """Sends a message, and waits for what answers it and for the card that follows."""
    before = page.locator("[data-testid=outline]").count()
    page.fill("#chat-input", text)
    page.locator("#chat-submit").click()
    expect(page.locator(".ai-message", has_text=told).last).to_be_visible()
    expect(page.locator("[data-testid=outline]")).to_have_count(before + 1)
    expect(outline_of(page)).to_have_count(1)


def ask(page: Page, text: str, told: str) -> None:
    """Sends a question, which leaves the card as it is."""
    before = shown(outline_of(page))
    page.fill("#chat-input", text)
    page.locator("#chat-submit").click()
    expect(page.locator(".ai-message", has_text=told).last).to_be_visible()
    expect(page.locator("#stop-button")).to_have_count(0)
    assert shown(outline_of(page)) == before


def save(page: Page, told: str) -> None:
    """Sends a change made in place and waits for the difference and the new card."""
    before = page.locator("[data-testid=outline]").count()
    outline_of(page).get_by_test_id("save").click()
    expect(page.locator(".ai-message", has_text=told).last).to_be_visible()
    expect(page.locator("[data-testid=outline]")).to_have_count(before + 1)
    expect(outline_of(page)).to_have_count(1)


def test_an_outline_is_changed_in_words_and_in_place_and_found_again(
    open_page: Callable[..., tuple[Page, Server]],
) -> None:
    page, _ = open_page("chainlit_app.py")
    begin(page)
    expect(outline_of(page)).to_be_visible(timeout=3 * LONG)
    first = shown(outline_of(page))
    assert len(first) >= 2
    papers = sorted(p for _, mine in first for p in mine)

    # in words
    say(
        page,
        "call the first one Evidence for generated text",
        f"Renamed: “{first[0][0]}” → “Evidence for generated text”",
    )
    say(page, "add a topic on human studies and swap the first two", "Added: “Human studies”")
    say(page, "split the first one by year", "Added: ")
    say(page, "drop human studies", "Dropped: “Human studies”")
    say(page, "three topics at most", "at most 3 topics")
    # in place
    outline_of(page).locator("input").first.fill("Changed in place")
    save(page, "“Changed in place”")
    moved = shown(outline_of(page))[1][1][0]
    outline_of(page).locator(f"[data-move={moved}]").select_option("0")
    save(page, "Moved to “Changed in place”")

    before = shown(outline_of(page))
    assert before[0][0] == "Changed in place"
    assert moved in before[0][1]
    assert len(before) <= 3
    placed = [p for _, mine in before for p in mine]
    assert len(placed) == len(set(placed))
    assert set(placed) <= set(papers)

    page.reload()
    expect(outline_of(page)).to_have_count(1)
    assert shown(outline_of(page)) == before
    ask(page, "what is not covered?", "topic")
    say(page, "undo", "“Changed in place”")
    assert moved not in shown(outline_of(page))[0][1]
    say(page, "move everything from topic 2 to topic 1", "Moved to “Changed in place”")
    say(page, "undo", "Moved to")
    titles = [t for t, _ in shown(outline_of(page))]

    page.fill("#chat-input", "looks good, go on")
    page.locator("#chat-submit").click()
    expect(page.get_by_test_id("ledger")).to_be_visible(timeout=3 * LONG)
    headings = [h.inner_text() for h in page.locator(".ai-message:has(a[href^='#claim-']) h3").all()]
    assert headings[: len(titles)] == titles
