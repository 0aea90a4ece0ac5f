"""Histogram of per-item differences: its counts, and the texts that a brush or a key selects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import assay
from assay.errors import AssayError
from assay.explorer.differences import BINS, differences, every_difference
from assay.explorer.human_payloads import HumanPage
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built

if TYPE_CHECKING:
    from playwright.sync_api import Page

Look = Callable[..., "Page"]
Serve = Callable[[Path], str]
needs_pages = pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
COMPARED = "#/compare?a=lead&b=template&dataset=news&metric=chrf"


@pytest.fixture(scope="module")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> Queries:
    """Two systems whose numbers of tokens differ by 2, 1, 0, 0 and -3."""
    folder = tmp_path_factory.mktemp("lengths")
    examples = [{"id": str(i), "references": ["a b c d e f"]} for i in range(5)]
    tokens = {"long": (5, 4, 3, 2, 1), "short": (3, 3, 3, 2, 4)}
    for system, counts in tokens.items():
        outputs = {str(i): " ".join("abcdef"[:count]) for i, count in enumerate(counts)}
        assay.score(outputs, examples=examples, metrics="mean_length", save=folder / system, system=system)
    return Queries([folder / system for system in tokens])


def test_counts_are_those_of_the_differences(lengths: Queries) -> None:
    (dataset,) = lengths.library.datasets
    page = differences(lengths.texts(dataset), "mean_length", "long", "short")
    assert (page.n, page.a_higher, page.b_higher) == (5, 2, 1)
    assert page.width == pytest.approx(6 / BINS)
    # bins are 6 / 31 wide and 15 is around zero: -3 is in the first, 1 and 2 are 5 and 10 bins right of zero
    assert {place: count for place, count in enumerate(page.counts) if count} == {0: 1, 15: 2, 20: 1, 25: 1}


def test_exchanged_systems_have_reversed_counts(sample: Path) -> None:
    queries = Queries([sample])
    texts = queries.texts("news")
    for page in every_difference(texts):
        other = differences(texts, page.metric, page.b, page.a)
        assert other.counts == page.counts[::-1]
        assert (other.a_higher, other.b_higher, other.n) == (page.b_higher, page.a_higher, sum(page.counts))


def test_unknown_metric_is_refused(lengths: Queries) -> None:
    (dataset,) = lengths.library.datasets
    with pytest.raises(AssayError, match="no item-level bleu of long"):
        lengths.differences(dataset, "bleu", "long", "short")


def selected(page: Page) -> tuple[int, list[str]]:
    page.wait_for_selector(".selection")
    words = page.locator(".selection b").first.inner_text()
    return int(words.split()[0]), page.locator(".selection .example .gap").all_inner_texts()


@needs_pages
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["served", "one file"])
def test_a_brush_over_losses_selects_their_texts(
    look: Look, serve: Serve, sample: Path, tmp_path: Path, kind: str
) -> None:
    if kind == "served":
        address = serve(sample)
    else:
        write_report([sample], tmp_path / "report.html")
        address = (tmp_path / "report.html").as_uri()
    page = look(address + COMPARED)
    page.wait_for_selector(".histogram")
    page.wait_for_selector("[data-part=tests] table caption", state="attached")
    plot = page.locator(".histogram")
    first, last = plot.locator("[data-bin='0'] .zone"), plot.locator("[data-bin='14'] .zone")
    plot.scroll_into_view_if_needed()
    first.hover(force=True)
    page.mouse.down()
    last.hover(force=True)
    page.mouse.up()
    number, gaps = selected(page)
    expected = differences(Queries([sample]).texts("news"), "chrf", "lead", "template")
    assert number == sum(expected.counts[:15]) > 0
    assert gaps
    assert all(gap.startswith("−") for gap in gaps)
    assert "high=" in page.url
    assert "low=" not in page.url
    again = look(page.url)  # the link has the whole state
    assert selected(again) == (number, gaps)
    again.get_by_role("button", name="Clear selection").click()
    again.wait_for_selector("h3:has-text('loses most')")


@needs_pages
@pytest.mark.slow
def test_the_keyboard_alone_selects_and_extends(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + COMPARED)
    page.wait_for_selector(".histogram")
    page.locator(".chart .stage:has(.histogram)").focus()
    page.keyboard.press("ArrowLeft")  # from the first to the last bar
    page.keyboard.press("Enter")
    last, _ = selected(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+Enter")
    counts = differences(Queries([sample]).texts("news"), "chrf", "lead", "template").counts
    page.wait_for_selector(f".selection b:text-matches('^{sum(counts[-2:])} item')")
    assert last == counts[-1]


@needs_pages
@pytest.mark.slow
def test_correlations_are_ranked_and_headed_by_their_answer(look: Look, serve: Serve, sample: Path) -> None:
    page = look(serve(sample) + "#/correlation?dataset=news")
    page.wait_for_selector(".ranked-r svg")
    human = Queries([sample]).correlation("news")
    best = max(human.correlations, key=lambda name: _oriented(human, sample, name))
    assert best in page.locator("main h1").inner_text()
    assert page.locator(".ranked-r .mark .row").first.text_content() == best
    assert page.locator(".ranked-r .mark").count() == len(human.correlations)


def _oriented(human: HumanPage, sample: Path, name: str) -> float:
    axes = {axis.name: axis.better for axis in Queries([sample]).overview_page.axes}
    both = human.correlations[name]
    r = (both.partial or both.raw).r
    return -2.0 if r is None else -r if axes.get(name) == "lower" else r
