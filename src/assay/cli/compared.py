"""How comparisons are shown: two systems side by side, or several below the one they are compared with."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli.display import width
from assay.metrics import Part
from assay.results.compare import Compared, Comparison
from assay.show.escape import plain
from assay.show.numbers import number, probability

SURE = 0.05


def print_table(comparison: Comparison) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in (comparison.a.system, comparison.b.system):
        table.add_column(Text(plain(heading)), justify="right", overflow="fold")
    for heading in ("difference (95 %)", "p", "p adj", "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in comparison.items():
        part = comparison.a.parts[name][1]
        table.add_row(Text(name), number(row.a, part), number(row.b, part), *_test(row, part), str(row.n))
    Console(width=width(), highlight=False).print(table)


def print_several(comparisons: list[Comparison]) -> None:
    """Metric after metric: the value of the first system, and below it all others."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("", overflow="fold")
    for heading in ("value", "difference (95 %)", "p", "p adj", "n"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        first = True
        for comparison in comparisons:
            if name not in comparison:
                continue
            row, part = comparison[name], comparison.a.parts[name][1]
            if first:
                table.add_row(Text(name), Text(plain(comparison.a.system)), number(row.a, part))
                first = False
            table.add_row("", Text(plain(comparison.b.system)), number(row.b, part), *_test(row, part), str(row.n))
    Console(width=width(), highlight=False).print(table)


def _test(row: Compared, part: Part) -> tuple[Text, str, Text]:
    gap = number(row.difference, part, signed=True)
    if row.low is not None:
        gap += f" [{number(row.low, part, signed=True)}, {number(row.high, part, signed=True)}]"
    style = "bold" if _is_sure(row) else ""
    adjusted = Text(probability(row.p_adjusted) + (" *" if _is_sure(row) else "  "), style=style)
    return Text(gap, style=style), probability(row.p), adjusted


def several_as_dict(comparisons: list[Comparison]) -> dict[str, Any]:
    """As `assay compare --json` prints more than two systems."""
    return {
        "a": comparisons[0].a.system,
        "test": comparisons[0].test,
        "comparisons": [comparison.to_dict() for comparison in comparisons],
    }


def conclusion(comparisons: list[Comparison]) -> str:
    """The answer in one or two sentences."""
    tested = [(each, name, row) for each in comparisons for name, row in each.items() if row.p_adjusted is not None]
    several = len(comparisons) > 1
    sure = [f"{name} of {plain(each.b.system)}" if several else name for each, name, row in tested if _is_sure(row)]
    names = len({name for _, name, _ in tested})
    over = f"{names} metric{'s' if names != 1 else ''}"
    if several:
        over = f"{len(tested)} differences ({over}, {len(comparisons)} systems)"
    if sure:
        said = "are" if several else "differ"
        listed = ", ".join(sure[:12]) + (f" and {len(sure) - 12} more" if len(sure) > 12 else "")
        return f"{len(sure)} of {over} {said} beyond chance after correction (marked *): {listed}."
    text = f"No difference survives correction over {over}."
    for each, name, row in tested:
        if row.items_needed and row.difference and row.items_needed > row.n and not several:
            gap = number(row.difference, each.a.parts[name][1], signed=True)
            return f"{text} To tell {gap} {name} from chance you would need about {row.items_needed:,} items."
    return text


def _is_sure(row: Compared) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < SURE
