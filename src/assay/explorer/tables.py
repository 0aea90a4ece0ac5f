"""The tables of a report, as every form of it shows them: systems are rows and numbers columns, as papers have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.results.verdict import ARROWS, MARK
from assay.show.numbers import fixed
from assay.show.tables import Cell, Column, Content, Table, score_cell
from assay.store.lines import label_on

if TYPE_CHECKING:
    from assay.explorer.overview import Overview
    from assay.meta.ranking import Ranked
    from assay.results.table_section import TableSection
    from assay.store.lines import Axis, Line


def wholes(overview: Overview, dataset: str) -> list[Line]:
    """The lines of a dataset that are not part of another: whole sets, splits, challenge sets and their parents."""
    return [line for line in overview.on(dataset) if line.kind != "subset"]


def shown_axes(overview: Overview, lines: Sequence[Line]) -> list[Axis]:
    """The numbers a table shows, where any of the lines has a value; all numbers where nothing else is left."""
    used = [axis for axis in overview.ordered() if any(line.value(axis.name) is not None for line in lines)]
    return [axis for axis in used if axis.part.shown] or used


def scores_table(
    overview: Overview, dataset: str, caption: str = "", notes: Sequence[str] = (), tabled: TableSection | None = None
) -> Table:
    """One row a system; where a dataset has several sets of items, one row a system and set. Of whole sets the best is
    bold and who is not told apart from it is marked, as `tabled` says."""
    lines = wholes(overview, dataset)
    axes = shown_axes(overview, lines)
    several = any(line.subset for line in lines)
    columns = [Column("system", "left"), *([Column("set", "left")] if several else [])]
    rows: list[list[Content]] = [
        [
            line.system,
            *([line.subset or "all"] if several else []),
            *(_judged(line, axis, tabled if line.kind == "whole" else None) for axis in axes),
        ]
        for line in lines
    ]
    from assay.results.table_section import notes_on

    said = notes_on([tabled]) if tabled and tabled.rankings else []
    numbers = [Column(label_on(axis, lines), sign=ARROWS[axis.part.better] if tabled else "") for axis in axes]
    return Table([*columns, *numbers], rows, caption, [*said, *notes])


def _judged(line: Line, axis: Axis, tabled: TableSection | None) -> Cell:
    cell = _cell(line, axis)
    said = tabled.verdict(axis.name, line.system) if tabled else ""
    return replace(cell, strong=said == "best", mark=MARK if said == "tied" else "")


def subset_tables(overview: Overview, dataset: str) -> list[Table]:
    """The first number of every system by each property that results are broken down by."""
    whole = wholes(overview, dataset)
    axes = shown_axes(overview, whole)
    systems = list(dict.fromkeys(line.system for line in whole))
    by_key: dict[str, dict[str, dict[str, Line]]] = {}
    for line in overview.on(dataset):
        key, sign, value = line.subset.partition("=")
        if line.kind == "subset" and sign:
            by_key.setdefault(key, {}).setdefault(value, {})[line.system] = line
    if not axes:
        return []
    first = axes[0]
    tables = []
    for key, values in by_key.items():
        rows: list[list[Content]] = []
        for value, lines in values.items():
            cells = [_cell(lines.get(system), first) for system in systems]
            rows.append([value, next(iter(lines.values())).n, *cells])
        tables.append(Table.of(f"{label_on(first, whole)} by {key}", [key, "items", *systems], rows))
    return tables


def _cell(line: Line | None, axis: Axis) -> Cell:
    return score_cell(None if line is None else line.scores.get(axis.name), axis.part)


def people_table(
    systems: Sequence[str], judged: Mapping[str, tuple[int, Sequence[Ranked]]], notes: Sequence[str]
) -> Table:
    """What people said: criteria as rows, with the number of judgements, systems as columns."""
    rows: list[list[Content]] = []
    for criterion, (count, ranked) in judged.items():
        means = {one.system: _mean(one) for one in ranked}
        rows.append([criterion, count, *(means.get(system) for system in systems)])
    headings = ["criterion", "judgements", *systems]
    return replace(Table.of("What people said", headings, rows), notes=notes)


def _mean(one: Ranked) -> Cell:
    low, high = one.low, one.high
    ends = "" if low is None or high is None else f" [{fixed(low, 2, zero=True)}, {fixed(high, 2, zero=True)}]"
    return Cell(fixed(one.mean, 2, zero=True) + ends, one.mean, low, high)
