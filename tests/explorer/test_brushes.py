"""The brush tests of the GEM paper's Table 3 in a real browser: 67 lines, 7 axes, true zeros, 22 missing values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow
Look = Callable[..., "Page"]


@pytest.fixture
def page(look: Look, serve: Callable[[Path], str], table3: Path) -> Page:
    return look(serve(table3) + "#/overview?sets=all")


def settle(page: Page) -> None:
    """What the hand does is drawn a frame later, and on a busy machine a frame takes its time."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_timeout(150)


def chosen(page: Page) -> str:
    settle(page)
    return page.locator(".status").inner_text()


def rows(page: Page) -> set[str]:
    """System and dataset of the chosen lines, as the table under the plot lists them."""
    page.wait_for_timeout(250)  # the table waits until the hand rests
    listed = page.locator("h2:text('Selected runs') + div tbody tr")
    return {" ".join(row.locator("th,td").all_inner_texts()[:2]) for row in listed.all()}


def place(page: Page, axis: str, value: float) -> tuple[float, float]:
    """Where a value stands on the screen."""
    page.locator(".stack svg").scroll_into_view_if_needed()
    box = before = None
    while box is None or box != before:  # parts of the page that load later move it
        before = box
        settle(page)
        box = page.locator(".stack svg").bounding_box()
    at: dict[str, Any] = page.evaluate("([axis, value]) => assayPlot.position(axis, value)", [axis, value])
    return box["x"] + at["x"], box["y"] + at["y"]


def brush(page: Page, axis: str, low: float, high: float) -> None:
    """Drag over an axis, a little past both ends so that they are inside."""
    x, bottom = place(page, axis, low)
    _, top = place(page, axis, high)
    page.mouse.move(x, bottom + 1)
    page.mouse.down()
    page.mouse.move(x, (top + bottom) / 2, steps=4)
    x, top = place(page, axis, high)  # the chip of the range may have moved the plot
    page.mouse.move(x, top - 1, steps=4)
    page.mouse.up()


def test_plot_has_all_runs_and_axis_extents(page: Page) -> None:
    assert chosen(page) == "67 of 67 runs selected"
    extents = {}
    for axis in ("meteor", "rouge1", "rouge2", "rougeL", "bleu", "bertscore", "bleurt"):
        ends = page.locator(f'[data-axis="{axis}"] .end').all_text_contents()
        extents[axis] = (ends[1], ends[0])
    assert extents == {
        "meteor": ("8.9", "64.9"),
        "rouge1": ("7.1", "95.7"),
        "rouge2": ("0.0", "92.9"),
        "rougeL": ("7.1", "95.5"),
        "bleu": ("0.0", "95.1"),
        "bertscore": ("0.648", "0.984"),
        "bleurt": ("−1.355", "0.495"),
    }
    assert "22 missing" in (page.locator('[data-axis="bleurt"]').text_content() or "")


def test_range_on_one_axis(page: Page) -> None:
    brush(page, "bleu", 60, 96)
    assert chosen(page) == "9 of 67 runs selected"
    web = {f"{model} WebNLG (en)" for model in ("mBART", "mT5-small", "mT5-base", "mT5-large", "mT5-XL")}
    assert rows(page) == web | {"BART Turk", "T5 Turk", "BART ASSET", "T5 ASSET"}


def test_ranges_on_two_axes_and_clearing(page: Page) -> None:
    brush(page, "meteor", 0.5, 0.65)
    brush(page, "bleu", 0, 50)
    russian = {f"{model} WebNLG (ru)" for model in ("mBART", "mT5-small", "mT5-base", "mT5-large", "mT5-XL")}
    assert rows(page) == russian
    x, y = place(page, "meteor", 0.6)
    page.mouse.click(x, y)  # a click on a brushed axis clears it
    page.wait_for_timeout(250)
    assert page.locator(".chip").count() == 1
    page.get_by_role("button", name="Clear bleu").click()
    assert chosen(page) == "67 of 67 runs selected"


def test_runs_without_a_score_are_not_within_a_range(page: Page) -> None:
    page.get_by_label("Add range").select_option("bleurt")
    assert chosen(page) == "45 of 67 runs selected"
    page.get_by_label("bleurt minimum").fill("0.15")
    page.get_by_label("bleurt minimum").press("Enter")
    page.get_by_label("bleurt maximum").fill("0.25")
    page.get_by_label("bleurt maximum").press("Enter")
    assert rows(page) == {"BART E2E clean", "T5 ToTTo"}


def test_true_zeros_are_runs_with_a_score(page: Page) -> None:
    page.get_by_label("Add range").select_option("rouge2")
    page.get_by_label("rouge2 maximum").fill("0")
    page.get_by_label("rouge2 maximum").press("Enter")
    czech = {f"{model} Czech Restaurant" for model in ("TGen", "TGen+", "TGen++")}
    assert rows(page) == czech | {"BART DART", "T5 DART"}
    assert "rouge2 is exactly 0" in page.locator(".warnings").inner_text()


def test_select_a_dataset_and_a_metric_category(page: Page) -> None:
    page.get_by_text("Select runs by").click()
    page.locator('input[data-facet="dataset"][value="WebNLG (ru)"]').check()
    expect(page.locator(".status")).to_contain_text("5 of 67")
    page.get_by_text("Select metrics").click()
    page.get_by_role("button", name="only these: semantic metrics").click()
    expect(page.locator("[data-axis]")).to_have_count(2)
    axes = page.locator("[data-axis]").evaluate_all("all => all.map(one => one.dataset.axis)")
    assert axes == ["bertscore", "bleurt"]
    assert chosen(page) == "5 of 67 runs selected"


def test_tooltip_shows_the_run_and_its_scores(page: Page) -> None:
    x, y = place(page, "bleu", 95.1)
    page.mouse.move(x + 1, y)
    settle(page)
    tip = page.locator(".tip")
    assert "T5 · Turk" in tip.inner_text()
    assert "95.1" in tip.inner_text()
    assert "computed by GEM-metrics" in tip.inner_text()
    x, y = place(page, "bertscore", 0.648)
    page.mouse.move(x - 1, y)
    settle(page)
    assert "TGen++ · Czech Restaurant" in tip.inner_text()
    assert "NaN in the file" in tip.inner_text()  # the reason for the gap on BLEURT


def test_ranges_by_keyboard(page: Page) -> None:
    page.get_by_role("slider", name="minimum bleu", exact=True).focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowUp")
    assert int(chosen(page).split()[0]) < 67
    before = page.locator(".status").inner_text()
    page.keyboard.press("ArrowUp")
    settle(page)
    slider = page.get_by_role("slider", name="minimum bleu", exact=True)
    assert slider.get_attribute("aria-valuetext") == "minimum 39.0"
    assert before != "67 of 67 runs selected"
    page.keyboard.press("Escape")
    assert chosen(page) == "67 of 67 runs selected"


def test_axes_move_and_hide_by_keyboard(page: Page) -> None:
    def order() -> list[str]:
        names: list[str] = page.locator("[data-axis]").evaluate_all("all => all.map(one => one.dataset.axis)")
        return names

    first = order()
    page.locator(f'[data-axis="{first[0]}"] .title').focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-axis]").first).to_have_attribute("data-axis", first[1])
    assert order()[:2] == [first[1], first[0]]
    expect(page.locator(f'[data-axis="{first[0]}"] .title')).to_be_focused()  # the focus moves along
    page.keyboard.press("Delete")
    expect(page.locator("[data-axis]")).to_have_count(len(first) - 1)
    assert first[0] not in order()


def test_address_stores_the_selection(page: Page, look: Look) -> None:
    brush(page, "bleu", 60, 96)
    page.wait_for_timeout(250)
    again = look(page.url)
    assert chosen(again) == "9 of 67 runs selected"


@pytest.mark.parametrize("scale", ["log", "rank"])
def test_other_scales_keep_every_run(look: Look, serve: Callable[[Path], str], table3: Path, scale: str) -> None:
    page = look(f"{serve(table3)}#/overview?sets=all&scale={scale}")
    brush(page, "bleu", 60, 95.1)
    assert chosen(page) == "9 of 67 runs selected"
