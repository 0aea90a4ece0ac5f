"""In a real browser: somebody new signs in by link, submits, watches the queue and opens the results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.explorer.standalone import built
from tests.support.made_service import SETTINGS, frozen
from tests.support.made_submissions import good

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOTS = os.environ.get("ASSAY_SHOTS")
"""A folder for pictures of every page, for people to look at."""


@dataclass
class Running:
    address: str
    owner: str
    """The link that was printed."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The command itself, with its worker."""
    if not built():
        pytest.skip("needs the built pages (make pages)")
    folder = tmp_path_factory.mktemp("browser")
    (folder / "server").mkdir()
    (folder / "server" / "assay.toml").write_text(SETTINGS)
    words = [sys.executable, "-m", "assay", "server"]
    home = str(folder / "server")
    subprocess.run([*words, "add", home, str(frozen(folder / "tides"))], check=True, capture_output=True)
    with subprocess.Popen([*words, "start", home, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            printed = server.stdout.readline() + server.stdout.readline()
            link = re.search(r"(http://127\.0\.0\.1:\d+)(/sign-in\?link=\S+)", printed)
            assert link, printed
            yield Running(link[1], link[1] + link[2])
        finally:
            server.terminate()


def opened(browser: Browser, errors: list[str], width: int = 1200, scheme: Any = "light") -> Page:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return page


def shot(page: Page, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def sign_in(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Create sign-in key").click()
    page.locator("#key").wait_for()
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("button", name="Sign out").wait_for()


@pytest.mark.slow
def test_a_new_user_signs_in_submits_watches_and_opens_results(
    browser: Browser, running: Running, tmp_path: Path
) -> None:
    errors: list[str] = []
    owner = opened(browser, errors)
    sign_in(owner, running.owner)
    owner.get_by_role("link", name="Users").click()
    owner.get_by_label("E-mail address").fill("new@example.org")
    owner.get_by_label("Scope").select_option("benchmark:tides")
    owner.get_by_role("button", name="Create sign-in link").click()
    link = owner.locator("#link").inner_text()

    page = opened(browser, errors)
    page.goto(link)
    shot(page, "sign-in")
    sign_in(page, link)
    page.get_by_role("link", name="version 1").click()
    page.get_by_role("link", name="Submit").click()
    bad, whole = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_text(json.dumps(good(param_count="3B", submission_name="newcomer")))
    whole.write_text(json.dumps(good(submission_name="newcomer")))
    page.get_by_label("File").set_input_files(bad)
    page.get_by_role("button", name="Submit").click()
    row = page.locator("#findings tr", has_text="param_count is '3B'")
    assert "write an integer without unit" in row.inner_text()
    shot(page, "findings")
    errors[:] = [error for error in errors if "422" not in error]  # the browser says that a page had this status
    page.get_by_label("File").set_input_files(whole)
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/submissions/*")
    page.locator(".state.scored").wait_for()  # the page renews itself
    page.get_by_role("link", name="Queue").click()
    page.locator(".state.scored").wait_for()
    shot(page, "queue")
    page.get_by_role("link", name="newcomer").click()
    page.get_by_role("link", name="Explore results").click()
    page.wait_for_selector("html[data-ready]")
    assert "newcomer" in page.locator("body").inner_text()
    shot(page, "results")
    page.goto(f"{running.address}/b/tides/1")
    for _ in range(60):
        if page.get_by_role("link", name="Explore results").count():
            break
        page.wait_for_timeout(1000)
        page.reload()
    page.get_by_role("link", name="Explore results").click()
    page.wait_for_selector("html[data-ready]")
    assert "newcomer" in page.locator("body").inner_text()
    page.get_by_role("link", name="Back to the benchmark").click()
    page.wait_for_url("**/b/tides/1")
    looked_at(browser, running, page, errors)
    assert not errors


def looked_at(browser: Browser, running: Running, signed: Page, errors: list[str]) -> None:
    """Every page on a desktop and on a phone, light and dark: nothing sticks out, nothing is out of reach."""
    from axe_playwright_python.sync_playwright import Axe

    cookies: Any = signed.context.cookies()
    signed.goto(f"{running.address}/queue")
    submission = str(signed.locator("#live a").first.get_attribute("href"))
    places = [
        "/",
        "/b/tides",
        "/b/tides/1",
        "/b/tides/1/cards/tides_test",
        "/b/tides/1/submit",
        "/queue",
        "/me",
        submission,
    ]
    for width in (1200, 390):
        for scheme in ("light", "dark"):
            page = opened(browser, errors, width, scheme)
            page.context.add_cookies(cookies)
            for place in places:
                page.goto(running.address + place)
                name = place.strip("/").replace("/", "-")[:20] or "home"
                shot(page, f"{name}-{width}-{scheme}")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (place, width)
                found = Axe().run(page)
                assert found.violations_count == 0, (place, width, scheme, found.generate_report())
            page.context.close()


@pytest.mark.slow
def test_pages_without_a_script(browser: Browser, running: Running) -> None:
    """In German, and told plainly who may not."""
    context = browser.new_context(java_script_enabled=False, locale="de")
    page = context.new_page()
    page.goto(f"{running.address}/")
    assert "Anmelden" in page.content()
    page.goto(f"{running.address}/queue")
    assert "401" in page.content()
    context.close()
