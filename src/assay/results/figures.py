"""Small multiples of scores, forest plots of differences (also in the terminal), and critical-difference plots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.results.verdict import is_significant
from assay.show.multiples import Panel, multiples
from assay.show.numbers import Shown, interval, number
from assay.show.text_forest import Gap, text_forest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from assay.metrics import Part
    from assay.records.types import Score
    from assay.results.comparison import Comparison
    from assay.results.rankings import Rankings
    from assay.results.table_section import TableSection


def forest_lines(comparisons: Sequence[Comparison], width: int) -> list[str]:
    """Return a text forest plot of all differences to the first system, grouped by scale."""
    lines: list[str] = []
    for _, rows in _by_scale(comparisons):
        lines += text_forest([row for _, row in rows], width)
    return lines


def score_panels(section: TableSection) -> tuple[list[str], list[Panel]]:
    """Return systems, ordered by the first metric with a better direction, and a panel for each score."""
    first = next((name for name in section.numbers if section.part(name).better), None)
    systems = list(section.results)
    if first is not None:
        sign = 1 if section.part(first).better == "lower" else -1
        systems.sort(key=lambda system: sign * section.results[system].values.get(first, 0.0))
    panels = []
    for name in section.numbers:
        part = section.part(name)
        scores = [section.results[system].scores.get(name) for system in systems]
        panels.append(
            Panel(
                section.label(name),
                [(None, None, None) if one is None else _ends(one, part) for one in scores],
                ["" if one is None else number(one.value, part) for one in scores],
                [section.verdict(name, system) for system in systems],
                part.better == "lower",
            )
        )
    return systems, panels


def score_figure(section: TableSection) -> Figure:
    """Draw all scores of all systems as small multiples."""
    return multiples(*score_panels(section))


def _ends(score: Score, part: Shown) -> tuple[float | None, float | None, float | None]:
    return _scaled(score.value, part), _scaled(score.low, part), _scaled(score.high, part)


def difference_panels(comparison: Comparison) -> tuple[list[str], list[Panel]]:
    """Return the difference of every metric around zero; right is always where the second system is better."""
    panels = []
    for name, row in comparison.items():
        part = comparison.a.parts[name][1]
        ends = _scaled(row.difference, part), _scaled(row.low, part), _scaled(row.high, part)
        text = number(row.difference, part, signed=True)
        verdict = "best" if is_significant(row.p_adjusted) else "behind"
        panels.append(Panel(row.label, [ends], [text], [verdict], part.better == "lower", 0.0))
    return [f"{comparison.b.system} − {comparison.a.system}"], panels


def difference_figure(comparison: Comparison) -> Figure:
    """Draw the difference of every metric around zero."""
    return multiples(*difference_panels(comparison))


def forest_figures(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, Figure]]:
    """Yield a forest plot for the metrics of each scale, with its file name."""
    from assay.show.figures import intervals

    for names, rows in _by_scale(comparisons):
        lines = [line for _, line in rows]
        drawn = intervals(
            [line.name for line in lines],
            [(line.value, line.low, line.high) for line in lines],
            texts=[line.text + (" *" if line.sure else "") for line in lines],
            shades=[0 if line.sure else -1 for line in lines],
            x=f"difference to {comparisons[0].a.system} [95 % CI]; * significant",
            level=0.0,
        )
        yield f"forest {' '.join(names)}", drawn


def critical_figures(rankings: Rankings, parts: dict[str, Part]) -> Iterator[tuple[str, Figure]]:
    """Yield a critical-difference plot for each metric, with its file name."""
    from assay.show.critical import critical_difference

    for name, ranking in rankings.by_name.items():
        part = parts[name]
        drawn = critical_difference(
            ranking.systems,
            [value * part.scale for value in ranking.values],
            ranking.groups,
            x=f"{name} (a bar joins systems that are not significantly different)",
            texts=[number(value, part) for value in ranking.values],
        )
        yield f"critical difference {name}", drawn


def _scaled(value: float | None, part: Shown) -> float | None:
    return None if value is None else value * part.scale


def _by_scale(comparisons: Sequence[Comparison]) -> list[tuple[list[str], list[tuple[str, Gap]]]]:
    """Return the differences grouped by display scale, so that one axis fits each group."""
    several = len(comparisons) > 1
    scales: dict[tuple[float, int, object], list[tuple[str, Gap]]] = {}
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        for comparison in (each for each in comparisons if name in each):
            row, part = comparison[name], comparison.a.parts[name][1]
            value, low, high = (_scaled(end, part) for end in (row.difference, row.low, row.high))
            digits = f"{number(row.difference, part, signed=True)} {interval(row.low, row.high, part, signed=True)}"
            who = f"{row.label}  {comparison.b.system}" if several else row.label
            line = Gap(who, value, low, high, is_significant(row.p_adjusted), digits.rstrip())
            of_percent = part.scale == 100 or part.bounds[1] == 100
            key = (100.0, 1, None) if of_percent else (part.scale, part.digits, name)
            scales.setdefault(key, []).append((name, line))
    return [(list(dict.fromkeys(name for name, _ in rows)), rows) for rows in scales.values()]
