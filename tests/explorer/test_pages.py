"""The pages in a browser: served and as one file, with keyboard only, on a phone, and with hostile texts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.explorer.report import write_report
from assay.explorer.standalone import built

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")]
Look = Callable[..., "Page"]
Serve = Callable[[Path], str]
AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
PAGES = {
    "overview": "#/overview?table=1",
    "scores": "#/scores",
    "compare": "#/compare?a=lead&b=template&dataset=news",
    "examples": "#/examples?dataset=dialog",
    "correlation": "#/correlation?dataset=news",
    "cards": "#/cards",
}


@pytest.fixture(scope="module")
def one_file(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("single") / "report.html"
    assert write_report([sample], path).datasets == 4
    return path.as_uri()


def text(page: Page) -> str:
    return page.locator("main").inner_text()


@pytest.mark.parametrize("name", PAGES)
def test_served_and_one_file_pages_have_the_same_text(
    look: Look, serve: Serve, sample: Path, one_file: str, name: str
) -> None:
    served, single = look(serve(sample) + PAGES[name]), look(one_file + PAGES[name])
    for page in (served, single):
        if name == "scores":  # sentences arrive later
            page.wait_for_selector(".sentences p")
        page.wait_for_timeout(300)
    links = "Export all scores: CSV Parquet LaTeX"
    assert text(served).replace(links, "").split() == text(single).replace(links, "").split()


FONT = "document.fonts.ready.then(all => [...all].map(one => one.family + ' ' + one.status))"


def test_all_pages_have_the_same_font(look: Look, serve: Serve, browser: Browser, sample: Path, one_file: str) -> None:
    """Served, as one file and without a script; a name in another letter than the font's falls back."""
    for address in (serve(sample), one_file):
        page = look(address)
        assert [text.replace('"', "") for text in page.evaluate(FONT)] == ["Inter loaded"]
    path = Path(one_file.removeprefix("file://")).with_name("plain.html")
    write_report([sample], path, plain=True)
    page = browser.new_page()
    page.goto(path.as_uri())
    assert [text.replace('"', "") for text in page.evaluate(FONT)] == ["Inter loaded"]
    page.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_accessibility_violation(look: Look, serve: Serve, sample: Path, name: str, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("needs web/node_modules/axe-core")
    page = look(serve(sample) + PAGES[name], scheme=scheme, width=1200 if scheme == "light" else 390)
    page.wait_for_timeout(300)
    assert violations(page) == {}


def violations(page: Page) -> dict[str, str]:
    """Return what axe-core finds, of any level, folded parts included."""
    page.evaluate("document.querySelectorAll('main details').forEach(part => part.open = true)")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(result => result.violations)")
    return {one["id"]: one["nodes"][0]["html"][:200] for one in found}


@pytest.mark.parametrize("plain", [False, True])
def test_themes_have_the_same_colours_in_all_reports(
    browser: Browser, sample: Path, tmp_path: Path, plain: bool
) -> None:
    write_report([sample], tmp_path / "report.html", plain=plain)
    page = browser.new_page(color_scheme="dark", viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "report.html").as_uri())
    if plain and AXE.exists():
        assert violations(page) == {}
    shown = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
    assert page.evaluate(shown) == "rgb(21, 24, 28)rgb(232, 234, 237)"
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert page.evaluate(shown) == "rgb(255, 255, 255)rgb(27, 31, 36)"
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_the_width_of_a_phone(look: Look, serve: Serve, sample: Path, name: str) -> None:
    page = look(serve(sample) + PAGES[name], width=360)
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_overview_to_examples_by_keyboard(look: Look, serve: Serve, sample: Path) -> None:
    """From the overview to a system's texts: skip link, a range, the sentence, the examples page."""
    page = look(serve(sample) + "#/scores")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_label("Add range").focus()
    page.keyboard.type("rouge1")
    page.wait_for_selector(".chip")
    page.get_by_label("rouge1 minimum").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("50")
    page.keyboard.press("Enter")
    expect(page.locator(".status").first).not_to_contain_text("4 of 192")  # runs are selected one frame later
    page.get_by_role("link", name="Texts", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".example")
    page.get_by_label("Search texts").focus()
    page.keyboard.type("tram")
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("2 of 40")


def test_sentences_come_from_paired_tests(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/compare?a=lead&b=template&dataset=news")
    said = text(page)
    assert "lead is significantly better than template on 3 of 5 lexical metrics" in said
    assert "significantly worse than template on 1 (chrf), not significantly different on 1 (rouge2)" in said
    assert "On news: paired permutation test, 1,000 random permutations;" in said
    assert "+3.6 [+1.9, +5.3]" in said
    assert "p < .05 after Westfall-Young max-T correction over 84 tests of all pairs" in said
    page.locator("#compare-metric").select_option("chrf")
    page.wait_for_url("**metric=chrf**")
    page.wait_for_selector(".example .scores:text('chrf')")


def test_server_and_one_file_filter_and_order_examples_alike(
    look: Look, serve: Serve, sample: Path, one_file: str
) -> None:
    """The same question to the server and to the texts in the file has the same answer."""
    question = (
        "#/examples?dataset=news&metric=rouge1&system=lead&against=copy&order=size&low=0.1&text=e&where=language%3Den"
    )
    found = []
    for address in (serve(sample), one_file):
        page = look(address + question)
        found.append((page.locator(".status").inner_text(), page.locator(".listing .entry b").all_inner_texts()))
    assert found[0] == found[1]
    assert len(found[0][1]) == 15


def test_examples_show_inputs_and_word_differences(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/examples?dataset=places&id=places-01")
    assert page.locator(".example").count() == 1
    assert "Blue Kettle" in page.locator("table.input").first.inner_text()
    assert page.locator("ins").count() > 0
    assert page.locator("del").count() > 0
    page.locator("#f-mark").select_option("none")
    expect(page.locator("ins, del")).to_have_count(0)


@pytest.mark.slow
def test_hostile_texts_stay_text_on_every_page(
    look: Look, serve: Serve, hostile: Path, hostile_texts: list[str], tmp_path: Path
) -> None:
    write_report([hostile], tmp_path / "r.html")
    for address in (serve(hostile), (tmp_path / "r.html").as_uri()):
        for route in ("#/overview", "#/examples", "#/correlation", "#/cards", "#/examples?mark=source"):
            page = look(address + route)
            page.wait_for_timeout(200)
            assert "assay" in page.title()
            assert not page.title().startswith("owned")
            assert page.locator("main img, main script, main iframe").count() == 0
            assert page.evaluate("[...document.querySelectorAll('a')].every(a => !a.href.startsWith('javascript:'))")
            loud = (
                "[...document.querySelectorAll('main *')].filter(e => [...e.attributes].some(a => /^on/i.test(a.name)))"
            )
            assert page.evaluate(f"{loud}.length") == 0
    page = look(serve(hostile) + "#/examples")
    for one in hostile_texts:
        assert one in (page.locator("main").text_content() or "")


def test_damaged_files_are_named_in_the_notes(look: Look, serve: Serve, sample: Path, tmp_path: Path) -> None:
    shutil.copytree(sample, tmp_path / "damaged")
    next((tmp_path / "damaged/news/lead/statistics").glob("rouge*")).unlink()
    (tmp_path / "damaged/news/copy/run.json").write_text("{", encoding="utf-8")
    page = look(serve(tmp_path / "damaged") + "#/scores")
    said = page.locator("main .warnings").inner_text()
    assert "could not be read; the rest is shown" in said
    assert "news/copy/run.json" in said
    assert page.locator(".status").inner_text().endswith("runs selected")


def test_plots_and_tables_are_exported(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?sets=all")
    contents = {}
    for form in ("CSV", "SVG", "PNG"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"overview as {form}").click()
        contents[form] = Path(waiting.value.path()).read_bytes()
    assert contents["CSV"].startswith(b"run,n,")
    assert len(contents["CSV"].splitlines()) == 193
    assert b"<path" in contents["SVG"]
    assert b"<script" not in contents["SVG"]
    assert contents["PNG"].startswith(b"\x89PNG")


def test_search_finds_every_published_subset(look: Look, serve: Serve, shared_data: Callable[[str], Path]) -> None:
    address = serve(shared_data("gem/results"))
    page = look(address + "#/overview?system=T5-base+%28Baseline%29")
    expect(page.locator(".status")).to_have_text("970 of 4,851 runs selected")
    page.get_by_label("Search runs").fill("totto table_size_79")
    page.get_by_label("Search runs").press("Enter")
    expect(page.locator(".status")).not_to_contain_text("970")
    page.wait_for_timeout(250)
    assert "table_size_79" in page.locator("h2:text('Selected runs') + div").inner_text()
