"""Numbers and lines for people: rounded, grouped, as wide as the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence

import click

from assay.metrics.base import Part
from assay.records import Score
from assay.results.measure import Missing
from assay.results.result import Result


def width() -> int:
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 160))


def number(value: float | None, part: Part, signed: bool = False) -> str:
    """As a table shows it: scaled, rounded, without a leading zero where the number is below one by nature."""
    if value is None:
        return "–"
    sign = "+" if signed else ""
    text = f"{value * part.scale:{sign}.{part.digits}f}"
    if part.scale == 1 and part.bounds == (0.0, 1.0) and part.digits:
        text = text.replace("0.", ".", 1) if text.lstrip("+-").startswith("0.") else text
    return text


def probability(p: float | None) -> str:
    if p is None:
        return "–"
    return "1" if p >= 0.9995 else "<.001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def scored(score: Score, part: Part) -> str:
    text = number(score.value, part)
    if score.low is not None and score.high is not None:
        text += f" [{number(score.low, part)}, {number(score.high, part)}]"
    return text


def by_category(result: Result, everything: bool = False) -> dict[str, list[tuple[str, str]]]:
    """The numbers worth showing, grouped by what they measure."""
    lines: dict[str, list[tuple[str, str]]] = {}
    for label, score in result.scores.items():
        measurement, part = result.labels[label]
        if part.shown or everything or measurement.request.wanted is not None:
            lines.setdefault(measurement.metric.category, []).append((label, scored(score, part)))
    return lines


def print_result(result: Result, everything: bool = False, indent: str = "  ") -> None:
    for category, cells in by_category(result, everything).items():
        print_group(category, [f"{label} {text}" for label, text in cells], indent)


def print_group(heading: str, cells: Sequence[str], indent: str = "  ") -> None:
    """Cells side by side under a heading; a cell is never broken."""
    room = width() - len(indent) - 15
    line = ""
    first = True
    for cell in cells:
        if line and len(line) + 3 + len(cell) > room:
            click.echo(f"{indent}{heading if first else '':<14} {line}")
            line, first = cell, False
        else:
            line = f"{line}   {cell}" if line else cell
    click.echo(f"{indent}{heading if first else '':<14} {line}")


def print_missing(heading: str, missing: Iterable[Missing]) -> None:
    for entry in missing:
        print_group(heading, [f"{entry.metric}: {entry.why}"])


def warn(notes: Iterable[str]) -> None:
    """Warnings go to stderr, so that they are seen even when stdout is a file."""
    for note in notes:
        plain = "".join(letter if letter.isprintable() else " " for letter in note)
        click.echo(textwrap.fill(f"! {plain}", width(), subsequent_indent="  "), err=True)
