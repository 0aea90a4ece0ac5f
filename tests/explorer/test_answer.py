"""The overview opens on the answer: the paper's table of a dataset, then its lines; and it raises alarms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import assay
from assay.explorer.anomalies import anomalies, sentences
from assay.explorer.overview import overview_of
from assay.explorer.queries import Queries
from assay.explorer.report import write_report
from assay.explorer.standalone import built
from assay.metrics.engine.base import Part
from assay.records.types import Score
from assay.store.scored_runs import Axis, ScoredRun

if TYPE_CHECKING:
    from playwright.sync_api import Page

Look = Callable[..., "Page"]
Serve = Callable[[Path], str]


def line(system: str, n: int | None = 200, **values: float) -> ScoredRun:
    return ScoredRun(
        system=system, dataset="d", n=n, scores={name: Score(value=value) for name, value in values.items()}
    )


def test_impossible_scores_raise_an_alarm() -> None:
    axes = [Axis(Part("rouge1", scale=100.0, bounds=(0.0, 1.0))), Axis(Part("ter", "lower", bounds=(0.0, None)))]
    fine = [line("a", rouge1=0.4, rouge2=0.2, rougeL=0.4, ter=130.0)]
    assert anomalies(fine, axes) == []
    wrong = [*fine, line("b", rouge1=0.4, rougeL=0.45), line("c", rouge1=41.0, rouge2=0.1)]
    said = sentences(anomalies(wrong, axes))
    assert said == [
        "rouge1 is outside its bounds for c on d. Check its file.",
        "rougeL is above rouge1 for b on d, which is impossible. Check how it was computed.",
    ]
    assert "rouge2 is exactly 0 for x on d" in sentences(anomalies([line("x", rouge2=0.0)], []))[0]
    sizes = sentences(anomalies([line("a"), line("b", n=199), line("c", n=None)], []))
    assert sizes == [
        "d: systems have different numbers of items (200 of a; 199 of b), so scores are not on the same items."
    ]


def by_size(folder: Path) -> Path:
    """Two systems on items of several sizes, one of them with a shorter reference beside the close one."""
    words = "the cat sat on the mat and then it ran away to the big house".split()
    close = [" ".join(words[: 3 + i % 12]) for i in range(60)]
    examples = [
        {"id": str(i), "references": ["nothing alike", text], "tags": {"size": str(i % 12)}}
        for i, text in enumerate(close)
    ]
    (folder / "e.jsonl").write_text("".join(json.dumps(row) + "\n" for row in examples), encoding="utf-8")
    for name, cut in (("good", 1), ("bad", 2)):
        rows = [{"id": str(i), "output": " ".join(text.split()[:-cut])} for i, text in enumerate(close)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config = """name = "sizes"
ci = 50
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1", "chrf"]
by = ["size"]
[[systems]]
name = "good"
outputs = "good.jsonl"
[[systems]]
name = "bad"
outputs = "bad.jsonl"
"""
    (folder / "c.toml").write_text(config, encoding="utf-8")
    assay.run(folder / "c.toml", folder / "results")
    return folder / "results"


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return by_size(tmp_path_factory.mktemp("sizes"))


def test_subsets_are_in_natural_order(sizes: Path) -> None:
    lines = [one.subset for one in overview_of(Queries([sizes]).library).runs if one.system == "good"]
    assert lines == ["", *(f"size={i}" for i in range(12))]


def test_table_page_report_and_python_have_the_same_verdicts(sizes: Path, tmp_path: Path) -> None:
    queries = Queries([sizes])
    results = queries.library.dataset("d").results
    (held,) = assay.table(results).sets
    page = queries.table("d")
    assert {number.name: number.verdicts for number in page.metrics} == {
        name: {system: held.verdict(name, system) for system in results} for name in held.numbers
    }
    compared = assay.compare(results["good"], results["bad"])
    assert all(row.better == "a" for row in compared.values())
    assert page.metrics[0].verdicts == {"good": "best", "bad": "behind"}
    assert compared.how.words() in page.notes[0]
    for ending in (".md", ".tex", ".html"):
        write_report([sizes], tmp_path / f"r{ending}", plain=True)
        text = (tmp_path / f"r{ending}").read_text(encoding="utf-8")
        value = f"{100 * results['good'].values['rouge1']:.1f}"
        assert any(f"{begin}{value}" in text for begin in ("**", r"\textbf{", "<strong>"))
        assert "over 2 tests" in text
    assert "no statistics are stored" in Queries([sizes]).table("nowhere").notes[0]


pages = [pytest.mark.slow, pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")]


class TestPages:
    pytestmark = pages

    def test_it_opens_on_the_table_and_on_whole_sets(self, look: Look, serve: Serve, sample: Path) -> None:
        page = look(serve(sample) + "#/overview?table=1")
        page.wait_for_selector(".answer b")
        table = page.locator(".answer table")
        assert "4 systems on news, 40 items" in table.inner_text()
        assert table.locator("b").count() >= 5
        assert "Bold: best" in page.locator(".answer").inner_text()
        page.locator(".tabs a", has_text="dialog").click()
        page.wait_for_selector("[data-ready] #show-table[aria-pressed='false']")  # the other dataset, without its table
        page.locator("#show-table").click()
        page.locator(".answer caption", has_text="dialog").wait_for()
        page = look(serve(sample) + "#/scores")
        assert page.locator(".status").inner_text() == "4 of 192 runs selected"
        page.locator("#sets").select_option("all")
        page.locator(".status", has_text="192 of 192 runs selected").wait_for()

    def test_a_legend_that_stays_and_brings_lines_forward(self, look: Look, serve: Serve, sample: Path) -> None:
        page = look(serve(sample) + "#/scores")
        assert page.evaluate("getComputedStyle(document.querySelector('.in-sight')).position") == "sticky"
        while not page.evaluate(
            "window.assayPlot.painter.seen.left === 0"
        ):  # the page's policy forbids to wait by eval
            page.wait_for_timeout(20)
        dark = """() => { const c = document.querySelectorAll('canvas')[1]; const d = c.getContext('2d')
            .getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0;
            return n; }"""
        everything = page.evaluate(dark)
        page.locator(".legend .entry", has_text="lead").hover()
        page.wait_for_timeout(200)
        assert 0 < page.evaluate(dark) < 0.6 * everything
        page.locator(".parallel svg").evaluate("node => node.scrollIntoView({block: 'center'})")
        page.mouse.move(0, 0)
        box = page.locator(".parallel svg").bounding_box()
        assert box is not None
        at = page.evaluate("window.assayPlot.position('rouge1', window.assayPlot.scales[1].high)")
        page.mouse.move(box["x"] + at["x"] + 1, box["y"] + at["y"])
        page.wait_for_selector(".parallel.fading .tip b")
        assert "lead · news" in page.locator(".tip b").inner_text()

    def test_points_curves_and_the_closest_reference(self, look: Look, serve: Serve, sizes: Path) -> None:
        address = serve(sizes)
        page = look(address + "#/overview?y=chrf")
        captions = page.locator(".figures figcaption").all_inner_texts()
        assert captions == ["chrf and chrf", "chrf by number of items", "chrf by size"]
        assert page.locator(".figures path").count() == 2
        page.goto(address + "#/examples?dataset=d&id=11")
        page.wait_for_selector(".example")
        assert page.locator("ins").count() == 0  # words are missing, none is new: not marked against "nothing alike"
        assert page.locator("del").count() > 0
        page.goto(address + "#/compare?a=good&b=bad&dataset=d")
        page.wait_for_selector(".forest circle")
        assert page.locator(".forest circle").count() == 2

    def test_wide_inputs_wrap(self, look: Look, serve: Serve, sample: Path) -> None:
        page = look(serve(sample) + "#/examples?dataset=places", width=360)
        page.wait_for_selector(".example")
        cut = "[...document.querySelectorAll('table.input td')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
        assert page.evaluate(cut) == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
