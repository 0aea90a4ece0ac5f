"""From opened results to the board: whole sets, subsets, and challenge sets beside their parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from assay.explorer.foreign.known import axis_of
from assay.explorer.library import Library, Room, Run
from assay.explorer.overview import Axis, Board, Line
from assay.records import Score
from assay.results.index import column_of
from assay.results.result import Result
from assay.runs.groups import group_scores

FEW = 10
"""Resampling fewer items than this says nothing about other items."""
MANY = 5_000
"""Sets above this size get intervals for the whole only; subsets keep their values."""


def board_of(library: Library) -> Board:
    board = Board(library.title)
    for room in library.rooms.values():
        board.about["datasets"][room.name] = room.about
        for run in room.runs.values():
            board.add(_axes(run), _lines(library, room, run))
        for name, scores in group_scores(room.groups, room.results).items():
            board.add([], [Line(system=name, dataset=room.name, n=_size(room), scores=scores)])
        room.judgements  # noqa: B018 - read now, so that what is wrong with them is among the problems
        board.problems += room.problems
        for run in room.runs.values():
            board.problems += run.problems
    board.about["systems"] = dict(library.systems)
    board.add(library.axes, library.lines)
    board.problems[:0] = library.problems
    small = [f"{room.name} ({n})" for room in library.rooms.values() if (n := _size(room)) and n < 100]
    if small:
        board.notes.append(f"below 100 items, differences between systems are unreliable: {', '.join(small)}")
    return board


def _size(room: Room) -> int:
    return max((int(run.manifest.get("n", 0)) for run in room.runs.values()), default=0)


def _axes(run: Run) -> list[Axis]:
    axes = []
    result = run.result
    for label in run.manifest.get("scores", {}):
        if result is not None and label in result.parts:
            measurement, part = result.parts[label]
            metric = measurement.metric
            axes.append(Axis(replace(part, name=label), metric.category, metric.summary, metric.size_dependent))
        else:
            axes.append(axis_of(label))
    return axes


def _lines(library: Library, room: Room, run: Run) -> Iterator[Line]:
    if not run.manifest:
        return
    scores = {label: _stored(score) for label, score in run.manifest["scores"].items()}
    for missing in (*run.manifest.get("skipped", []), *run.manifest.get("failed", [])):
        scores.setdefault(missing["metric"], Score(value=None, why=missing["why"]))
    result = run.result
    language = "" if result is None else _common(result, "language")
    parents = _parents(library, room, run)
    kind = "challenge" if parents is not None else "whole"
    yield Line(
        system=run.system,
        dataset=room.name,
        kind=kind,
        language=language,
        n=run.manifest.get("n"),
        parent=None if parents is None else "parents",
        scores=scores,
    )
    if parents is not None:
        yield _line(room, run, parents, "parents", "parent", language)
    if result is None:
        return
    for key in _keys(room, result):
        for value, group in result.by(key).items():
            spoken = value if key == "language" else language
            yield _line(room, run, group, f"{key}={value}", "subset", spoken, parent="")


def _line(
    room: Room, run: Run, result: Result, subset: str, kind: str, language: str, parent: str | None = None
) -> Line:
    if result.n < FEW or result.n > MANY:
        result = result.with_intervals(0, 0)
    return Line(
        system=run.system,
        dataset=room.name,
        subset=subset,
        kind=kind,
        language=language,
        n=result.n,
        parent=parent,
        scores=dict(result.scores),
    )


def _keys(room: Room, result: Result) -> list[str]:
    """The properties to break results down by: what the config says, else language and split where they differ."""
    known = {name.removeprefix("tags.") for name in result.index.columns}
    if room.by:
        return [key for key in room.by if key.removeprefix("tags.") in known]
    return [key for key in ("language", "split") if result.index[column_of(result.index, key)].n_unique() > 1]


def _parents(library: Library, room: Room, run: Run) -> Result | None:
    """The same system on the original items, when this is a challenge set and they stand in another dataset here."""
    result = run.result
    if result is None or result.index["parent"].null_count() == result.n:
        return None
    wanted = set(result.index["parent"].drop_nulls().to_list())
    for other in library.rooms.values():
        theirs = other.runs.get(run.system)
        if other is room or theirs is None or theirs.result is None:
            continue
        chosen = theirs.result.index["id"].is_in(list(wanted)).to_numpy()
        if chosen.sum() == len(wanted):
            return theirs.result.take(np.flatnonzero(chosen))
    return None


def _common(result: Result, key: str) -> str:
    values = result.index[key].drop_nulls().unique().to_list()
    return str(values[0]) if len(values) == 1 else ("several" if values else "")


def _stored(score: dict[str, Any]) -> Score:
    return msgspec.convert({key: value for key, value in score.items() if key in Score.__struct_fields__}, Score)
