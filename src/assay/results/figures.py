"""Comparisons drawn: differences around zero in a terminal and as figures, and systems that are not told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.results.verdict import is_sure
from assay.show.numbers import Shown, interval, number
from assay.show.text_forest import Gap, text_forest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from assay.metrics import Part
    from assay.results.comparison import Comparison
    from assay.results.pairs import Standings


def forest_lines(comparisons: Sequence[Comparison], width: int) -> list[str]:
    """All differences to the first system; numbers of one scale stand below one another on it."""
    lines: list[str] = []
    for _, rows in _by_scale(comparisons):
        lines += text_forest([gap for _, gap in rows], width)
    return lines


def forest_figures(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, Figure]]:
    """A figure for the numbers of each scale, with the name of its file."""
    from assay.show.figures import intervals

    for names, rows in _by_scale(comparisons):
        gaps = [gap for _, gap in rows]
        drawn = intervals(
            [gap.name for gap in gaps],
            [(gap.value, gap.low, gap.high) for gap in gaps],
            texts=[gap.text + (" *" if gap.sure else "") for gap in gaps],
            shades=[0 if gap.sure else 6 for gap in gaps],
            x=f"difference to {comparisons[0].a.system} (95 %); * told from chance",
            level=0.0,
        )
        yield f"forest {' '.join(names)}", drawn


def critical_figures(standings: Standings, parts: dict[str, Part]) -> Iterator[tuple[str, Figure]]:
    """For each number the systems by value, joined where they are not told apart."""
    from assay.show.critical import critical_difference

    for name, standing in standings.by_name.items():
        part = parts[name]
        drawn = critical_difference(
            standing.systems,
            [value * part.scale for value in standing.values],
            standing.groups,
            x=f"{name} (a bar joins systems that are not told apart)",
            texts=[number(value, part) for value in standing.values],
        )
        yield f"critical difference {name}", drawn


def _scaled(value: float | None, part: Shown) -> float | None:
    return None if value is None else value * part.scale


def _by_scale(comparisons: Sequence[Comparison]) -> list[tuple[list[str], list[tuple[str, Gap]]]]:
    """The differences by how their numbers are shown: what has one scale can stand below one another."""
    several = len(comparisons) > 1
    scales: dict[tuple[float, int, object], list[tuple[str, Gap]]] = {}
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        for comparison in (each for each in comparisons if name in each):
            row, part = comparison[name], comparison.a.parts[name][1]
            value, low, high = (_scaled(end, part) for end in (row.difference, row.low, row.high))
            digits = f"{number(row.difference, part, signed=True)} {interval(row.low, row.high, part, signed=True)}"
            who = f"{row.label}  {comparison.b.system}" if several else row.label
            gap = Gap(who, value, low, high, is_sure(row.p_adjusted), digits.rstrip())
            of_percent = part.scale == 100 or part.bounds[1] == 100
            key = (100.0, 1, None) if of_percent else (part.scale, part.digits, name)
            scales.setdefault(key, []).append((name, gap))
    return [(list(dict.fromkeys(name for name, _ in rows)), rows) for rows in scales.values()]
