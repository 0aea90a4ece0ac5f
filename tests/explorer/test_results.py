"""The results page: the sentence, the picture of it, and the way to the table, the texts and the values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.explorer.headline import headline
from assay.explorer.queries import Queries
from assay.explorer.standalone import built

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")]
Look = Callable[..., "Page"]
Serve = Callable[[Path], str]


def test_the_sentence_and_the_picture_follow_the_tests(look: Look, serve: Serve, sample: Path) -> None:
    """Filled, hollow and grey dots, and the systems named, are the verdicts of the table."""
    page = look(serve(sample) + "#/overview?on=news&metrics=all")
    queries = Queries([sample])
    verdicts = {one.name: one.verdicts for one in queries.table("news").metrics}
    drawn = page.eval_on_selector_all(
        ".multiples .mark", "all => all.map(one => [one.dataset.tip, one.dataset.system, one.classList[1]])"
    )
    assert drawn
    for tip, system, verdict in drawn:
        metric = tip.split(" · ")[1].split()[0]
        assert verdict == verdicts[metric][system], tip
    directed = [axis.name for axis in queries.overview_page.axes if axis.better and axis.name in verdicts]
    winners = {system for name in directed for system, one in verdicts[name].items() if one == "best"}
    sentence = page.locator("h1").inner_text()
    assert any(sentence.startswith(f"{system} has the best score on ") for system in winners)
    ranked = page.eval_on_selector_all(".multiples .mark", "all => all.map(one => one.dataset.system)")
    tested = queries.tested_table("news")
    assert tested
    assert sentence == headline(tested, list(dict.fromkeys(ranked)))  # that of the plain report
    page.locator("details.how summary").click()
    assert "permutation test" in page.locator("details.how").inner_text()


def test_systems_are_ordered_by_the_chosen_metric(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?on=news")
    overview = Queries([sample]).overview_page
    runs = [
        run
        for run, subset in enumerate(overview.runs.subset)
        if not subset
        and overview.datasets[overview.runs.dataset[run]] == "news"
        and overview.runs.kind[run] != "subset"
    ]
    for name in ("chrf", "rouge1"):
        page.locator("#order-by").focus()
        page.locator("#order-by").select_option(name)
        page.wait_for_url(f"**by={name}**")
        page.wait_for_selector("html[data-ready]")
        expect(page.locator(".multiples .metric").first).to_contain_text(name)
        values = next(axis for axis in overview.axes if axis.name == name).values
        best = sorted(runs, key=lambda run: -(values[run] or 0.0))
        names = [overview.systems[overview.runs.system[run]] for run in best]
        shown = page.locator(".multiples .row title").all_text_contents()
        assert shown[: len(names)] == names
        assert page.evaluate("document.activeElement.id") == "order-by"
    page.locator("#show-table").click()
    page.wait_for_url("**table=1**")
    expect(page.locator(".answer tbody th")).to_have_text(names)  # the table has the order of the picture


def test_values_are_read_by_keyboard_and_cells_open_texts(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?on=news")
    page.locator(".chart .stage").first.focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator(".chart .tip").first
    expect(tip).to_be_visible()
    assert "[" in tip.inner_text()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="results-news as CSV").click()
    assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith("system,")
    page.locator(".heat a").first.click()
    page.wait_for_selector("html[data-ready=examples]")
    assert "where=" in page.url
    assert page.locator(".example").count() > 0


def test_old_addresses_with_a_selection_open_all_scores(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/overview?sets=all")
    assert page.locator("nav[aria-label=Pages] a[aria-current]").inner_text() == "All scores"
    assert page.url.endswith("#/scores?sets=all")
    expect(page.locator(".status")).to_have_text("192 of 192 runs selected")
