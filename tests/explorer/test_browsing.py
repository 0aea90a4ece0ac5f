"""Reading texts: a sentence of filters, a list with one item, keys; what goes from page to page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from assay.explorer.queries import Queries
from assay.explorer.standalone import built

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
Look = Callable[..., "Page"]
Serve = Callable[..., str]


def numbers(page: Page) -> list[float]:
    return [float(text.replace("−", "-")) for text in page.locator(".listing .entry .number").all_inner_texts()]


def test_items_that_a_system_loses_take_three_choices(look: Look, serve: Serve, sample: Path) -> None:
    """From the results: Texts, "loses most to"; A and B are the two of the comparison before."""
    page = look(serve(sample) + "#/compare?a=lead&b=template&dataset=news&metric=rouge1")
    page.get_by_role("link", name="Texts", exact=True).click()  # 1
    page.locator("#f-how").select_option("loses")  # 2
    page.wait_for_selector("html[data-ready=examples]")
    expect(page.locator(".filter-sentence")).to_contain_text("Items where")
    assert page.locator("#f-system").input_value() == "lead"
    assert page.locator("#f-against").input_value() == "template"
    worst = numbers(page)
    assert worst == sorted(worst)
    assert worst[0] < 0
    page.locator("#f-metric").select_option("chrf")  # 3
    expect(page.locator(".item .gap")).to_contain_text("chrf")
    assert page.locator("#f-how").input_value() == "loses"
    assert page.locator(".output h3").all_inner_texts()[:2] == ["lead", "template"]


def test_keys_go_through_the_list_and_the_address_keeps_the_item(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/examples?dataset=news")
    ids = page.locator(".listing .entry b").all_inner_texts()
    assert len(ids) == 20
    for _ in range(2):
        page.keyboard.press("j")
    expect(page.locator(".item h2")).to_have_text(ids[2])
    page.keyboard.press("k")
    expect(page.locator(".item h2")).to_have_text(ids[1])
    assert f"item={ids[1]}" in page.evaluate("location.hash")
    again = look(page.url)
    expect(again.locator(".item h2")).to_have_text(ids[1])
    for _ in range(19):
        again.keyboard.press("j")  # beyond the end of the list: the next page
    expect(again.locator(".pager")).to_contain_text("21 to 40")
    again.keyboard.press("k")  # and back to the last of the page before
    expect(again.locator(".item h2")).to_have_text(ids[19])
    again.locator("#f-text").fill("jjj")
    again.locator("#f-text").press("j")  # typing is no movement
    expect(again.locator(".item h2")).to_have_text(ids[19])


def test_a_subset_is_faint_where_its_interval_contains_zero(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/compare?a=lead&b=template&dataset=news")
    expect(page.locator(".heat").first).to_contain_text("Faint")
    cells = page.locator(".heat a").all()
    assert cells
    faint = 0
    for cell in cells:
        said = cell.get_attribute("aria-label") or ""
        ends = re.search(r"\[([^,]+), ([^\]]+)\]", said)
        if ends is None:  # too few items: an untested difference is no stronger than one that was tested in vain
            assert cell.locator("text.unsure").count(), said
            continue
        low, high = (float(text.replace("−", "-")) for text in ends.groups())
        unsure = cell.locator("text.unsure").count()
        faint += unsure
        if low > 0 or high < 0:
            assert not unsure, said
        elif low < 0 < high:
            assert unsure, said
    assert faint
    direct = Queries([sample]).subsets("news", "lead", "template")
    turned = Queries([sample]).subsets("news", "template", "lead")
    for name, rows in direct.subsets.items():
        for metric, (low, high) in rows.items():
            assert turned.subsets[name][metric] == pytest.approx((-high, -low), abs=0.02)


def test_a_metric_without_a_better_direction_has_no_colour_of_a_system(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/compare?a=lead&b=template&dataset=news")
    expect(page.locator(".heat p").first).to_contain_text("neither direction is better")
    fills = page.eval_on_selector_all(
        ".heat a", "all => all.map(a => [a.getAttribute('aria-label'), a.querySelector('rect').style.fill])"
    )
    neutral = [fill for name, fill in fills if re.search(r", (compression|density|novel-2|vocab-1) ", name)]
    assert neutral
    assert all("--behind" in fill for fill in neutral), neutral[:3]
    assert not any("--behind" in fill for name, fill in fills if ", chrf " in name)


def test_the_largest_differences_are_those_of_subsets_with_an_interval(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?on=news")
    said = page.locator(".two-boxes .box").first.locator("p.soft").first
    expect(said).to_contain_text("language en (−1.0 chrf, n = 28); 15 subsets of under 10 items")
    assert "language ru" not in said.inner_text()  # two items, and the largest difference


def test_a_saved_picture_looks_as_on_the_page(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?on=news")
    with page.expect_download() as saved:
        page.get_by_role("button", name="results-news as SVG").click()
    drawing = Path(saved.value.path()).read_text(encoding="utf-8")
    shown = page.evaluate(
        "[...document.querySelectorAll('.multiples .mark circle')].map(one => getComputedStyle(one).fill)"
    )
    assert len(set(shown)) > 1
    for colour in set(shown):
        assert colour in drawing


def test_menus_close_and_are_not_in_the_way(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview")
    page.locator("summary", has_text="Export").click()
    link = page.get_by_role("link", name="All scores as CSV")
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).not_to_be_visible()
    page.locator("summary", has_text="Export").click()
    page.locator("h1").click()
    expect(link).not_to_be_visible()
    assert page.locator("details.menu[open]").count() == 0
