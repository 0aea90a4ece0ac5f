"""The tables of a report, the same in every format: systems are rows and metrics columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.results.verdict import ARROWS
from assay.show.numbers import fixed
from assay.show.tables import Cell, Column, Content, Table, score_cell
from assay.store.scored_runs import label_on

if TYPE_CHECKING:
    from assay.explorer.overview import Overview
    from assay.meta.ranking import Ranked
    from assay.results.table_section import TableSection
    from assay.store.scored_runs import Axis, ScoredRun


def wholes(overview: Overview, dataset: str) -> list[ScoredRun]:
    """Return the runs of a dataset without subsets: all items, splits, challenge sets and their original items."""
    return [run for run in overview.on(dataset) if run.kind != "subset"]


def shown_axes(overview: Overview, runs: Sequence[ScoredRun]) -> list[Axis]:
    """Return the metrics a table shows that any of the runs has a score on; all metrics if none of them has."""
    used = [axis for axis in overview.ordered() if any(run.value(axis.name) is not None for run in runs)]
    return [axis for axis in used if axis.part.shown] or used


def best_first(overview: Overview, dataset: str) -> Overview:
    """Return the runs on all items of a dataset, ordered by its first metric that has a better direction."""
    runs = wholes(overview, dataset)
    axis = next((axis for axis in shown_axes(overview, runs) if axis.part.better), None)
    if axis is None:
        return overview
    sign = 1 if axis.part.better == "lower" else -1

    def key(run: ScoredRun) -> tuple[bool, float]:
        value = run.value(axis.name)
        return value is None, sign * (value or 0.0)

    return replace(overview, runs=sorted(runs, key=key))


def scores_table(
    overview: Overview,
    dataset: str,
    caption: str = "",
    notes: Sequence[str] = (),
    tested: TableSection | None = None,
    arrows: bool = False,
) -> Table:
    """Return one row for each system, and each set where a dataset has several.

    With `tested`, on all items: best score in bold, † = not significantly different from the best; directions as
    arrows. With `arrows` these are there without a test, too.
    """
    runs = wholes(overview, dataset)
    axes = shown_axes(overview, runs)
    several = any(run.subset for run in runs)
    columns = [Column("system", "left"), *([Column("set", "left")] if several else [])]
    rows: list[list[Content]] = [
        [
            run.system,
            *([run.subset or "all"] if several else []),
            *(_tested_cell(run, axis, tested if run.is_all_items else None) for axis in axes),
        ]
        for run in runs
    ]
    from assay.results.table_section import notes_on

    explained = notes_on([tested]) if tested and tested.rankings else []
    if tested and explained and any(run.n != tested.n for run in runs if run.is_all_items):
        explained.append(f"Scores: of all items of a system. Tests: on the {tested.n:,} items that all systems have.")
    metrics = [Column(label_on(axis, runs), sign=ARROWS[axis.part.better] if tested or arrows else "") for axis in axes]
    return Table([*columns, *metrics], rows, caption, [*explained, *notes])


def _tested_cell(run: ScoredRun, axis: Axis, tested: TableSection | None) -> Cell:
    cell = _cell(run, axis)
    return tested.marked(cell, axis.name, run.system) if tested else cell


def subset_tables(overview: Overview, dataset: str) -> list[Table]:
    """Return the first metric of every system by each property of subsets."""
    whole = wholes(overview, dataset)
    axes = shown_axes(overview, whole)
    systems = list(dict.fromkeys(run.system for run in whole))
    by_key: dict[str, dict[str, dict[str, ScoredRun]]] = {}
    for run in overview.on(dataset):
        key, sign, value = run.subset.partition("=")
        if run.kind == "subset" and sign:
            by_key.setdefault(key, {}).setdefault(value, {})[run.system] = run
    if not axes:
        return []
    first = axes[0]
    tables = []
    for key, values in by_key.items():
        rows: list[list[Content]] = []
        for value, runs in values.items():
            cells = [_cell(runs.get(system), first) for system in systems]
            rows.append([value, next(iter(runs.values())).n, *cells])
        tables.append(Table.of(f"{label_on(first, whole)} by {key}", [key, "items", *systems], rows))
    return tables


def _cell(run: ScoredRun | None, axis: Axis) -> Cell:
    return score_cell(None if run is None else run.scores.get(axis.name), axis.part)


def judgements_table(
    systems: Sequence[str], judged: Mapping[str, tuple[int, Sequence[Ranked]]], notes: Sequence[str]
) -> Table:
    """Return mean human judgements: criteria as rows, with the number of judgements, systems as columns."""
    rows: list[list[Content]] = []
    for criterion, (count, ranked) in judged.items():
        means = {one.system: _mean(one) for one in ranked}
        rows.append([criterion, count, *(means.get(system) for system in systems)])
    headings = ["criterion", "judgements", *systems]
    return replace(Table.of("Human judgements", headings, rows), notes=notes)


def _mean(one: Ranked) -> Cell:
    low, high = one.low, one.high
    ends = "" if low is None or high is None else f" [{fixed(low, 2, zero=True)}, {fixed(high, 2, zero=True)}]"
    return Cell(fixed(one.mean, 2, zero=True) + ends, one.mean, low, high)
