"""Pages while data are on their way and after a change: the frame at once, focus and place kept, reasons given."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.explorer.payloads import ComparisonPage, TablePage
from assay.explorer.queries import Queries
from assay.explorer.standalone import built
from tests.explorer.conftest import serving

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")]
Look = Callable[..., "Page"]
Serve = Callable[[Path], str]


class SlowQueries(Queries):
    """Tests that take until they are released."""

    def __init__(self, path: Path) -> None:
        super().__init__([path])
        self.released = threading.Event()

    def comparison(self, dataset: str, a: str, b: str) -> ComparisonPage:
        self.released.wait(30)
        return super().comparison(dataset, a, b)

    def table(self, dataset: str) -> TablePage:
        self.released.wait(30)
        return super().table(dataset)


@pytest.fixture
def slow(sample: Path) -> Iterator[tuple[SlowQueries, str]]:
    queries = SlowQueries(sample)
    with serving(queries) as address:
        yield queries, address
        queries.released.set()


def test_a_page_is_there_before_its_tests(browser: Browser, slow: tuple[SlowQueries, str]) -> None:
    queries, address = slow
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.partition("/api/")[2].partition("?")[0]))
    page.goto(address)
    expect(page.locator(".results")).to_contain_text("Testing which systems differ significantly…", timeout=30_000)
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.locator("h1")).to_have_text("template and rewrite", timeout=1500)
    assert page.locator("nav[aria-label=Pages] a[aria-current]").inner_text() == "Compare"
    expect(page.locator("[data-part=tests]")).to_contain_text("Testing the differences…", timeout=1500)
    expect(page.locator("[data-part=tests] table").first).to_contain_text("rouge1")  # scores do not wait for tests
    assert page.locator(".example").count() or page.locator("[data-part=texts]").count()
    queries.released.set()
    expect(page.locator("[data-part=tests]")).to_contain_text("permutation test", timeout=30_000)
    page.wait_for_selector("html[data-ready=compare]")
    assert requests.count("cards") == 0  # cards are loaded when they are opened
    page.get_by_text("About news").click()
    expect(page.locator("details.collapsed .card").first).to_be_visible(timeout=30_000)
    page.close()


def test_tests_and_correlations_are_computed_once_for_a_folder(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from assay.explorer import human_correlation
    from assay.results import many_systems

    folder = tmp_path / "results"
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns(".pages"))

    def pages() -> tuple[Any, ...]:
        queries = Queries([folder])
        return queries.comparison("news", "lead", "copy"), queries.table("news"), queries.correlation("news")

    first = pages()
    with monkeypatch.context() as forbidden:

        def computed(*_: object, **__: object) -> None:
            raise AssertionError("computed again")

        forbidden.setattr(many_systems, "ManySystems", computed)
        forbidden.setattr(human_correlation, "human_page", computed)
        assert pages() == first
    changed = Queries([folder])
    known = changed.library.dataset("news").judgements
    del known[: len(known) // 2]
    assert changed.correlation("news") != first[2]  # other judgements have other correlations
    assert changed.table("news") == first[1]


def test_a_link_out_of_the_folder_is_not_written(sample: Path, tmp_path: Path) -> None:
    import shutil

    folder, outside = tmp_path / "results", tmp_path / "outside"
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns(".pages"))
    outside.mkdir()
    (folder / ".pages").symlink_to(outside)
    assert Queries([folder]).table("news").metrics
    assert list(outside.iterdir()) == []


def test_a_change_keeps_focus_and_place(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/compare?a=lead&b=template&dataset=news")
    control = page.locator("#compare-metric")
    control.focus()
    page.locator(".histogram").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 300)")
    where = page.evaluate("scrollY")
    before = control.bounding_box()
    control.select_option("chrf")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector(".example .scores:text('chrf')")
    assert page.evaluate("document.activeElement.id") == "compare-metric"
    after = page.locator("#compare-metric").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 3
    assert page.evaluate("scrollY") == where > 0
    page.get_by_role("link", name="Cards", exact=True).click()
    page.wait_for_selector("html[data-ready=cards]")
    assert page.evaluate("scrollY") == 0  # another page begins at its top
    examples = look(serve(sample) + "#/examples?dataset=news")
    examples.locator("#f-mark").focus()
    examples.locator("#f-mark").select_option("none")
    expect(examples.locator("ins, del")).to_have_count(0)
    assert examples.evaluate("document.activeElement.id") == "f-mark"


def test_a_range_keeps_the_focus(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/scores?on=news")
    page.locator("#add-range").focus()
    page.locator("#add-range").select_option("rouge1")
    page.wait_for_selector(".brushes .chip")
    assert page.evaluate("document.activeElement.id") == "add-range"
    page.get_by_role("button", name="Clear rouge1", exact=True).press("Enter")
    expect(page.locator(".brushes .chip")).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "add-range"


def test_a_system_compared_with_itself_is_explained(look: Look, serve: Serve, sample: Path) -> None:
    sentence = look(serve(sample) + "#/scores?on=news&a=lead&b=lead").locator(".sentences")
    expect(sentence).to_have_text("lead is compared with itself. Choose another system.")
    assert sentence.count() == 1


def test_the_theme_survives_a_reload(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/cards")
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"


def test_unknown_names_and_empty_results_are_explained(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/compare?a=unknown-system&b=lead&dataset=news")
    assert "unknown-system is no system of these results." in page.locator("main").inner_text()
    other = page.locator("#compare-a").input_value()
    assert other != "lead"
    assert page.locator("#compare-b").input_value() == "lead"
    assert f"{other} minus lead" in (page.locator("main").text_content() or "")
    page = look(serve(sample) + "#/examples?dataset=news&text=zzzz&where=language%3Den")
    assert "No item fits all of these filters" in page.locator(".empty").inner_text()
    page.get_by_role("button", name="Remove text: zzzz").click()
    expect(page.locator(".status")).to_contain_text("28 of 40")
    page = look(serve(sample) + "#/examples?dataset=news&system=unknown-system&metric=rouge1")
    assert "unknown-system is no system of news." in page.locator("main").inner_text()


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    """Two systems on two datasets, and on two halves of one."""
    words = "the cat sat on the mat and then it ran away".split()
    for dataset, halves in (("one", {"a": range(20)}), ("two", {"b": range(20)}),
                            ("three", {"a": range(10), "b": range(10, 20)})):  # fmt: skip
        for system, ids in halves.items():
            examples = [{"id": str(i), "references": [" ".join(words[: 3 + i % 7])]} for i in ids]
            outputs = {str(i): " ".join(words[: 2 + i % 7]) for i in ids}
            assay.score(
                outputs, examples=examples, metrics="rouge", ci=20, system=system, save=tmp_path / dataset / system
            )
    return tmp_path


def test_systems_without_common_items_get_the_right_reason(browser: Browser, serve: Serve, apart: Path) -> None:
    for dataset in ("three", "one"):  # both are on one of them
        page = browser.new_page()  # the server refuses the comparison, which the console says
        page.goto(serve(apart) + f"#/compare?a=a&b=b&dataset={dataset}")
        page.wait_for_selector("html[data-ready]")
        text = page.locator("main").inner_text()
        page.close()
        assert "No statistics are stored" not in text
        assert "no item in common" in text or "share no item" in text, text
    table = Queries([apart]).table("three")
    assert "no statistics are stored" not in table.notes[0]
