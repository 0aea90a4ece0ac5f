"""Results and comparisons as printed tables and as data frames."""

from __future__ import annotations

import sys

import polars
import pytest

import assay
from assay.errors import AssayError

OUTPUTS = {"good": ["the cat sat", "a dog ran", "it rained"], "bad": ["cat", "dog", "it rained"]}
REFERENCES = ["the cat sat", "a dog ran", "it rained"]


@pytest.fixture(scope="module")
def results() -> dict[str, assay.Result]:
    return assay.score_all(OUTPUTS, REFERENCES, metrics="rouge1,chrf,sari", ci=50)


@pytest.fixture(scope="module")
def comparison(results: dict[str, assay.Result]) -> assay.Comparison:
    return assay.compare(results["good"], results["bad"], samples=50)


def test_a_result_prints_as_its_table(results: dict[str, assay.Result]) -> None:
    lines = str(results["bad"]).splitlines()
    assert lines[0] == "bad · 3 outputs"
    assert lines[1].split() == ["metric", "category", "score", "[95", "%", "CI]"]
    assert lines[2].split()[:3] == ["rouge1", "lexical", "66.7"]
    assert "  skipped: sari: needs sources, and none were given" in lines
    assert all(f"  ! {note}" in lines for note in results["bad"].notes)
    assert repr(results["bad"]) == str(results["bad"])


def test_a_comparison_prints_as_its_table(comparison: assay.Comparison) -> None:
    lines = str(comparison).splitlines()
    assert lines[0].split()[:3] == ["good", "bad", "difference"]
    assert lines[1].split()[:4] == ["rouge1", "100.0", "66.7", "-33.3"]
    verdict = "No significant difference on rouge1, chrf (paired permutation test, all 8 permutations; p < .05"
    assert verdict in " ".join(" ".join(lines).split())
    assert "  ! Small sample (n = 3): only large differences can be detected. See `assay analyze power`." in lines


def test_names_cannot_steer_the_page_or_the_terminal() -> None:
    hostile = "<script>alert(1)</script>\x1b[31m"
    scored = assay.score_all({hostile: OUTPUTS["good"], "b": OUTPUTS["bad"]}, REFERENCES, metrics="rouge1")
    compared = assay.compare(scored[hostile], scored["b"], samples=50)
    for thing in (scored[hostile], compared):
        page = thing._repr_html_()
        assert page.startswith(("<svg", "<table>"))
        assert "<table>" in page
        assert "&lt;script&gt;" in page
        assert "<script" not in page
        assert "\x1b" not in page
        assert "\x1b" not in repr(thing)


def test_frames_have_a_row_a_number(results: dict[str, assay.Result], comparison: assay.Comparison) -> None:
    result = results["bad"]
    frame = result.to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["metric"].to_list() == list(result.scores)
    assert frame["value"].to_list() == [score.value for score in result.scores.values()]
    assert frame["low"].to_list() == [score.low for score in result.scores.values()]
    compared = comparison.to_frame()
    assert compared["metric"].to_list() == list(comparison)
    for column in ("a", "b", "difference", "low", "high", "p", "p_adjusted", "n", "items_needed"):
        assert compared[column].to_list() == [getattr(row, column) for row in comparison.values()]


def test_an_empty_column_keeps_its_kind() -> None:
    frame = assay.score(["a"], ["a"], metrics="rouge1").to_frame()
    assert frame.schema["low"] == polars.Float64
    assert frame.schema["why"] == polars.String
    assert assay.score(["a"], ["a"], metrics="sari").to_frame().shape == (0, 7)


def test_pandas_needs_no_other_package(
    results: dict[str, assay.Result], comparison: assay.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for thing in (results["bad"], comparison):
        frame, own = thing.to_pandas(), thing.to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.columns) == own.columns
        for column in own.columns:
            values = [None if value != value else value for value in frame[column].tolist()]
            assert values == own[column].to_list(), column
    assert str(assay.score(["a"], ["a"], metrics="rouge1").to_pandas()["low"].dtype) == "float64"


def test_without_pandas_it_says_so(comparison: assay.Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(AssayError, match="pip install pandas"):
        comparison.to_pandas()
