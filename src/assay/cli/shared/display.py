"""Terminal output: rounded, grouped, as wide as the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from assay.results.measurement import Missing
from assay.results.result import Result
from assay.show.escape import plain
from assay.show.numbers import counted as counted
from assay.show.numbers import scored
from assay.show.tables import Form, Table, write_all
from assay.specs_help import Option


def say(line: object, err: bool = False) -> None:
    """Print a line; control characters in text from files, models or servers are escaped."""
    click.echo(plain(line), err=err)


def width() -> int:
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 160))


def by_category(result: Result, everything: bool = False) -> dict[str, list[tuple[str, str]]]:
    """Return the scores to show, grouped by category."""
    lines: dict[str, list[tuple[str, str]]] = {}
    for name, score in result.scores.items():
        measurement, part = result.parts[name]
        if everything or name in result.shown:
            lines.setdefault(measurement.metric.category, []).append((score.label, scored(score, part)))
    return lines


def print_tables(*tables: Table, form: Form = "text") -> None:
    """Print tables separated by an empty line, as wide as the terminal."""
    click.echo(write_all(tables, form, width(), styled=True))


def print_result(result: Result, everything: bool = False, indent: str = "  ") -> None:
    for category, cells in by_category(result, everything).items():
        print_group(category, [f"{name} {text}" for name, text in cells], indent)


def print_group(heading: str, cells: Sequence[str], indent: str = "  ") -> None:
    """Print cells side by side under a heading, without breaking a cell."""
    heading, cells = plain(heading), list(map(plain, cells))
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


def print_options(options: Iterable[Option], indent: str = "  ") -> None:
    """Print one line per option: default, meaning, values."""
    for option in options:
        head = f"{indent}option     {option.name}={option.default}"
        values = f"({option.values}; changes no result)" if option.setting else f"({option.values})"
        text = f"{head:<35} {option.meaning} {values}" if option.meaning else f"{head:<35} {values}"
        click.echo(textwrap.fill(text, width(), subsequent_indent=" " * 36, break_on_hyphens=False))


def print_preset(name: str, preset: str, values: Mapping[str, Any], indent: str = "  ") -> None:
    listed = ":".join(f"{key}={value}" for key, value in values.items())
    click.echo(f"{indent}preset     {name}:{preset} is {name}:{listed}")


def print_missing(heading: str, missing: Iterable[Missing]) -> None:
    for entry in missing:
        print_group(heading, [f"{entry.metric}: {entry.why}"])


def warn(notes: Iterable[str]) -> None:
    """Print warnings to stderr, visible even if stdout is a file; paths stay whole, to be copied."""
    whole = textwrap.TextWrapper(width(), subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    for note in notes:
        click.echo(whole.fill(f"! {plain(note)}"), err=True)
