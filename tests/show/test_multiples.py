"""Small multiples of results: dots at the displayed values, filled, hollow or grey by verdict, right is better."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.results.paper_table import table

pytest.importorskip("matplotlib")
WORDS = "the cat sat on the mat and then it ran away to the big old house".split()


def result(system: str, cut: int) -> Any:
    texts = [" ".join(WORDS[: 5 + i % 9]) for i in range(60)]
    outputs = [" ".join(text.split()[:-cut]) for text in texts]
    return assay.score(outputs, [[text] for text in texts], metrics="rouge1,ter", ci=50, system=system)


def dots(axes: Any) -> list[tuple[float, str, str]]:
    """Value, line colour and fill of each dot."""
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    return [(float(line.get_xdata()[0]), str(line.get_color()), str(line.get_markerfacecolor())) for line in marks]


def test_systems_are_rows_and_verdicts_are_colours() -> None:
    results = {name: result(name, cut) for name, cut in (("bad", 3), ("good", 1))}
    (section,) = table(results).sets
    figure = section.plot()
    assert [axes.get_title() for axes in figure.axes] == [section.label(name) for name in section.numbers]
    for axes, name in zip(figure.axes, section.numbers, strict=True):
        part = section.part(name)
        (best, colour, _), (behind, grey, _) = dots(axes)  # the best system is first
        assert best == pytest.approx(results["good"].scores[name].value * part.scale)
        assert behind == pytest.approx(results["bad"].scores[name].value * part.scale)
        assert (colour, grey) == ("#0072b2", "#7f7f7f")
        left, right = axes.get_xlim()
        assert (left > right) == (part.better == "lower")  # right is better


def test_results_and_comparisons_are_drawn() -> None:
    good, bad = result("good", 1), result("bad", 3)
    assert len(good.plot().axes) == len(good.shown)
    compared = assay.compare(good, bad)
    figure = compared.plot()
    assert [axes.get_title() for axes in figure.axes] == [row.label for row in compared.values()]
    for axes, (name, row) in zip(figure.axes, compared.items(), strict=True):
        ((value, colour, _),) = dots(axes)
        assert value == pytest.approx(row.difference * good.parts[name][1].scale)
        assert colour == "#0072b2"


def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(AssayError, match="plots"):
        result("a", 1).plot()
