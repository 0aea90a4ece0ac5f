"""Cards written in Chromium: with and without a script, in two tabs at once, by keyboard, on a phone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.benchmark.cards.template import template
from assay.serving.server import SESSION, Server
from tests.support.card_writers import app, server, session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["app", "server"]

pytestmark = pytest.mark.slow


@pytest.fixture
def address(app: Any) -> Iterator[str]:
    """The real server, on a port of its own."""
    import uvicorn

    from assay.serving.listen import listen

    listener = listen("127.0.0.1", 0)
    web = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=web.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    web.should_exit = True
    thread.join(10)


def entered(browser: Browser, server: Server, address: str, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.add_cookies([{"name": SESSION, "value": session(server, "eve@example.org"), "url": address}])
    return context


def begun(context: BrowserContext, address: str, kind: str = "GEM data card (2021)") -> Page:
    page = context.new_page()
    page.goto(f"{address}/cards")
    page.get_by_label("Template").select_option(label=kind)
    page.get_by_label("Name").fill("Harbours")
    page.get_by_role("button", name="Create").click()
    page.wait_for_selector("#card")
    return page


def test_a_card_is_written_with_the_guide_beside_it(browser: Browser, server: Server, address: str) -> None:
    context = entered(browser, server, address)
    page = begun(context, address)
    field = page.get_by_label("Languages", exact=True)
    guide = page.locator(f"#{(field.get_attribute('aria-describedby') or '').split()[0]}")
    assert guide.inner_text() == template("gem").entry("languages").guide
    beside, box = guide.bounding_box(), field.bounding_box()
    assert beside is not None
    assert box is not None
    assert beside["x"] > box["x"] + box["width"]
    assert page.locator("#percent").inner_text() == "0 %"
    field.focus()
    page.keyboard.type("English (BCP-47: `en`)")
    page.wait_for_selector("#state:text('Saved.')")
    assert page.locator("#percent").inner_text() != "0 %"
    page.reload()
    assert page.get_by_label("Languages", exact=True).input_value() == "English (BCP-47: `en`)"
    page.get_by_role("button", name="Save and preview").click()
    page.wait_for_selector(".rendered")
    assert "BCP-47" in page.locator(".rendered code, .rendered").first.inner_text()
    context.close()


def test_two_tabs_and_a_server_that_is_gone(browser: Browser, server: Server, address: str) -> None:
    context = entered(browser, server, address)
    one = begun(context, address, "Metric card")
    two = context.new_page()
    two.goto(one.url)
    one.locator("#part-2").fill("first tab")
    one.wait_for_selector("#state:text('Saved.')")
    two.locator("#part-2").fill("second tab")
    two.wait_for_selector("#state:text('changed in another tab')")
    two.get_by_role("button", name="Save", exact=True).click()
    two.wait_for_selector("#conflict")
    assert two.locator("#part-2").input_value() == "second tab"
    assert "first tab" in two.locator("pre").all_inner_texts()
    two.get_by_role("button", name="Save as a copy").click()
    two.wait_for_selector(".good")
    assert two.url.partition("?")[0] != one.url
    assert two.locator("#part-2").input_value() == "second tab"
    context.set_offline(True)
    one.locator("#part-3").fill("while nobody answers")
    one.wait_for_selector("#state:text('kept in this browser')")
    context.set_offline(False)
    later = context.new_page()
    later.goto(one.url)
    later.get_by_role("button", name="Restore it").click()
    later.wait_for_selector("#state:text('Saved.')")
    assert later.locator("#part-3").input_value() == "while nobody answers"
    context.close()


def test_without_a_script(browser: Browser, server: Server, address: str) -> None:
    context = entered(browser, server, address, java_script_enabled=False)
    page = begun(context, address, "Hugging Face data card")
    page.get_by_label("Languages", exact=True).fill("Welsh (`cy`)")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector(".good")
    assert page.get_by_label("Languages", exact=True).input_value() == "Welsh (`cy`)"
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download").click()
    assert "Welsh (`cy`)" in Path(waiting.value.path()).read_text(encoding="utf-8")
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (360, "light")])
def test_no_barrier(browser: Browser, server: Server, address: str, width: int, scheme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    context = entered(browser, server, address, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = begun(context, address)
    pages = [page.url, f"{page.url}/preview", f"{address}/cards"]
    for each in pages:
        page.goto(each)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("document.querySelectorAll('main details').forEach(part => part.open = true)")
        found = axe.Axe().run(page).response["violations"]
        assert {one["id"]: one["nodes"][0]["html"] for one in found} == {}
    context.close()


def test_by_keyboard(browser: Browser, server: Server, address: str) -> None:
    """From the first field to the saved card without a mouse."""
    context = entered(browser, server, address)
    page = begun(context, address, "Metric card")
    page.locator("#front-title").focus()
    for word in ("Tide error", "lexical", "lower"):
        page.keyboard.press("Control+A")
        page.keyboard.type(word)
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "rest"
    page.keyboard.press("Tab")
    page.keyboard.type("What it measures.")
    page.wait_for_selector("#state:text('Saved.')")
    page.locator("#front-title").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".good")
    assert page.locator("h1").inner_text() == "Tide error"
    context.close()
