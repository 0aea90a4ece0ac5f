"""axe-core, all rules, on every page of all surfaces: three widths, light and dark.

    python -m benchmarks accessibility
    SITE=site python -m benchmarks accessibility          # with the documentation that `make docs` built
    SURFACES=cards,files python -m benchmarks accessibility    # these only

Needs Chromium, the built pages (`make pages`), and axe-core in web/node_modules. Whether a page is wider than its
window is looked at, too. A row is a surface at one width in one theme; every page is opened once and then looked at in
each of them, the explorer's pages, which are drawn by a script, are opened each time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.explorer.standalone import built
from benchmarks.explorer import FLAGS
from benchmarks.released import MissingDataError
from benchmarks.surfaces import ROOT, Place, surfaces
from benchmarks.timing import Result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
Look = tuple[int, Literal["light", "dark"]]
WIDTHS = (390, 1200, 1920)
SETTLED = 500
"""Milliseconds after which the theme of the documentation has faded from one colour to another."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RUN = "axe.run(document, {elementRef: false}).then(result => result.violations)"
"""All rules that axe-core turns on by itself: WCAG A and AA, and best practices."""


def run() -> Iterator[Result]:
    if not built() or not shutil.which("chromium") or not AXE.exists():
        raise MissingDataError("the built pages (make pages), chromium, and web/node_modules/axe-core")
    from playwright.sync_api import sync_playwright

    site = os.environ.get("SITE")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            wanted = [name for name in os.environ.get("SURFACES", "").split(",") if name]
            with surfaces(Path(folder), Path(site).resolve() if site else None, wanted) as places:
                for surface in dict.fromkeys(place.surface for place in places):
                    yield from checked(browser, [place for place in places if place.surface == surface])
        finally:
            browser.close()


def checked(browser: Browser, places: list[Place]) -> Iterator[Result]:
    """Look at the pages of one surface."""
    found: dict[Look, dict[str, list[str]]] = {(width, scheme): {} for width in WIDTHS for scheme in SCHEMES}
    surface = places[0].surface
    for place in places:
        context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="en")
        page = opened(context, place)
        for (width, scheme), own in found.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            if place.surface == "documentation":
                page.wait_for_timeout(SETTLED)
            if place.surface == "explorer":
                page.reload()
                drawn(page)
            if problems := findings(page):
                own[place.name] = problems
                print(f"      {surface}, {place.name}, {width} px, {scheme}: {'; '.join(problems)}", flush=True)
        context.close()
    for (width, scheme), own in found.items():
        yield {
            "name": f"{surface}: {width} px, {scheme}",
            "values": {"pages": len(places), "with_findings": len(own)},
            "equal": not own,
            "note": f"{len(places)} pages, {len(own)} with findings",
        }


def opened(context: BrowserContext, place: Place) -> Page:
    """Return a page as its reader has it, once it is drawn."""
    from assay.serving.server import SESSION

    if place.cookie:
        address = "/".join(place.address.split("/")[:3])
        context.add_cookies([{"name": SESSION, "value": place.cookie, "url": address}])
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(place.address)
    if place.surface == "explorer":
        drawn(page)
    if place.surface == "annotation" and place.name.startswith("task"):
        begin(page)
    return page


def drawn(page: Page) -> None:
    page.wait_for_selector("html[data-ready]")
    page.wait_for_timeout(300)  # what is drawn frame by frame


def begin(page: Page) -> None:
    """Agree to take part, unless this annotator has."""
    if page.locator("input[name=agree]").count():
        page.check("input[name=agree]")
        page.click("[data-next]")
    page.wait_for_selector("fieldset, textarea, [data-next]")


def findings(page: Page) -> list[str]:
    """Return what axe-core finds, folded parts included, and whether the page is wider than its window."""
    page.evaluate("document.querySelectorAll('main details').forEach(part => part.open = true)")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(RUN)
    problems = [f"{one['id']} ({one['impact']}) {one['nodes'][0]['html'][:160]}" for one in found]
    if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        problems.append("wider than its window")
    return problems
