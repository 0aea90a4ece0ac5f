"""The one read model: from opened results to lines and axes, which every page, export and report is made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np

from assay.explorer.anomalies import Anomaly, anomalies, sentences
from assay.explorer.dialogues import lines_of, notes_of
from assay.records.types import Score
from assay.results.comparable import reference_mismatches
from assay.results.index import column_of
from assay.results.result import Result
from assay.store.foreign.known import axis_of
from assay.store.library import DatasetResults, Library, Run
from assay.store.lines import (
    Axis,
    Line,
    finite,
    mixed_signatures,
)
from assay.store.repeated_runs import group_scores

CATEGORIES = (
    "lexical", "semantic", "faithfulness", "diversity", "simplification", "source", "descriptive", "other",
)  # fmt: skip
"""Axes stand in this order, as tables do everywhere else."""
FEW = 10
"""Resampling fewer items than this says nothing about other items."""
MANY = 5_000
"""Sets above this size get intervals for the whole only; subsets keep their values."""
SMALL = 100


@dataclass
class Overview:
    """Axes and lines, with what a reader must know before believing them."""

    title: str
    axes: dict[str, Axis] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    systems: dict[str, str] = field(default_factory=dict)
    """What the folders say of a system."""
    about: dict[str, str] = field(default_factory=dict)
    """What they say of a dataset."""
    problems: list[str] = field(default_factory=list)
    """What could not be read, in one sentence each."""
    notes: dict[str, list[str]] = field(default_factory=dict)
    """What to keep in mind, by dataset."""
    apart: dict[str, list[str]] = field(default_factory=dict)
    """Which systems may not be compared, and why, by dataset; it is among the notes, too."""

    def add(self, axes: Iterable[Axis], lines: Iterable[Line]) -> None:
        for axis in axes:
            known = self.axes.setdefault(axis.name, axis)
            if known.label != axis.label:  # computed with other options elsewhere: then none of them is in the name
                self.axes[axis.name] = replace(known, label="")
        self.lines += lines

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(line.dataset for line in self.lines))

    def on(self, dataset: str) -> list[Line]:
        return [line for line in self.lines if line.dataset == dataset]

    def ordered(self) -> list[Axis]:
        """Axes by category, then by name: the same whichever file was read first."""
        rank = {category: i for i, category in enumerate(CATEGORIES)}
        return sorted(self.axes.values(), key=lambda axis: (rank.get(axis.category, len(rank)), axis.name))

    def notes_of_all(self) -> list[str]:
        """Every note once, with the datasets it is about."""
        places: dict[str, list[str]] = {}
        for dataset, notes in self.notes.items():
            for note in notes:
                places.setdefault(note, []).append(dataset)
        return [f"{', '.join(datasets)}: {note}" for note, datasets in places.items()]

    def anomalies(self) -> list[Anomaly]:
        return anomalies(self.lines, self.ordered())

    def alarms(self) -> list[str]:
        """Values that cannot be, or hardly."""
        return sentences(self.anomalies())


def overview_of(library: Library) -> Overview:
    overview = Overview(library.title, systems=dict(library.systems))
    for held in library.datasets.values():
        overview.about[held.name] = held.about
        for run in held.runs.values():
            overview.add(_axes(run), _lines(library, held, run))
        for name, scores in group_scores(held.groups, held.results).items():
            overview.add([], [Line(system=name, dataset=held.name, n=_size(held), scores=scores)])
        held.judgements  # noqa: B018 - read now, so that what is wrong with them is among the problems
        overview.problems += held.problems
        for run in held.runs.values():
            overview.problems += run.problems
    overview.add(library.axes, library.lines)
    for name, dialogues in library.dialogues.items():
        overview.add(*lines_of(name, dialogues))
    overview.lines = _in_order(overview.lines)
    overview.problems[:0] = library.problems
    axes = overview.ordered()
    for dataset in overview.datasets:
        stored = library.datasets.get(dataset)
        overview.apart[dataset] = _apart(stored, overview.on(dataset), axes)
        said = notes_of(library.dialogues[dataset]) if dataset in library.dialogues else []
        overview.notes[dataset] = [*_notes(stored), *said, *overview.apart[dataset]]
    return overview


def _in_order(lines: list[Line]) -> list[Line]:
    """Subsets in natural order, 2 before 10, within the lines of a system on a dataset; those stay as they came."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.dataset, line.system), []).append(line)
    return [line for group in groups.values() for line in sorted(group, key=lambda line: _natural(line.subset))]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Sorts texts as people do: 2 before 10."""
    pieces = re.split(r"(\d+)", text)
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces if piece]


def _notes(held: DatasetResults | None) -> list[str]:
    if held is None:
        return []
    notes: dict[str, None] = {}
    for run in held.runs.values():
        notes |= dict.fromkeys(run.manifest.get("warnings", []) if run.result is None else run.result.notes)
    if 0 < (n := _size(held)) < SMALL:
        notes[f"{n} items: below {SMALL}, differences between systems are unreliable"] = None
    return list(notes)


def _apart(held: DatasetResults | None, lines: list[Line], axes: list[Axis]) -> list[str]:
    """What may not be compared: by signatures, which foreign results have too, and by what they were judged against."""
    mixed = mixed_signatures(lines, axes)
    apart = [f"signatures differ, so values are not comparable between systems: {', '.join(mixed)}"] if mixed else []
    return [*apart, *(reference_mismatches(held.results) if held else ())]


def _size(held: DatasetResults) -> int:
    return max((int(run.manifest.get("n", 0)) for run in held.runs.values()), default=0)


def _axes(run: Run) -> list[Axis]:
    axes = []
    result = run.result
    for name in run.manifest.get("scores", {}):
        if result is not None and name in result.parts:
            measurement, part = result.parts[name]
            metric = measurement.metric
            shown = replace(part, name=name)
            axes.append(Axis(shown, metric.category, metric.summary, metric.sized(part), result.labels[name]))
        else:
            axes.append(axis_of(name))
    return axes


def _lines(library: Library, held: DatasetResults, run: Run) -> Iterator[Line]:
    if not run.manifest:
        return
    scores = {name: _stored(score) for name, score in run.manifest["scores"].items()}
    for missing in (*run.manifest["skipped"], *run.manifest["failed"]):
        scores.setdefault(missing["metric"], Score(value=None, why=missing["why"]))
    result = run.result
    language = "" if result is None else _common(result, "language")
    parents = _parents(library, held, run)
    kind = "challenge" if parents is not None else "whole"
    yield Line(
        system=run.system,
        dataset=held.name,
        kind=kind,
        language=language,
        n=run.manifest.get("n"),
        parent=None if parents is None else "parents",
        scores=scores,
    )
    if parents is not None:
        yield _line(held, run, parents, "parents", "parent", language)
    if result is None:
        return
    for key in _keys(held, result):
        for value, group in result.by(key).items():
            spoken = value if key == "language" else language
            yield _line(held, run, group, f"{key}={value}", "subset", spoken, parent="")


def _line(
    held: DatasetResults, run: Run, result: Result, subset: str, kind: str, language: str, parent: str | None = None
) -> Line:
    if result.n < FEW or result.n > MANY:
        result = result.with_intervals(0, 0)
    return Line(
        system=run.system,
        dataset=held.name,
        subset=subset,
        kind=kind,
        language=language,
        n=result.n,
        parent=parent,
        scores=dict(result.scores),
    )


def _keys(held: DatasetResults, result: Result) -> list[str]:
    """The properties to break results down by: what the config says, else language and split where they differ."""
    known = {name.removeprefix("tags.") for name in result.index.columns}
    if held.by:
        return [key for key in held.by if key.removeprefix("tags.") in known]
    return [key for key in ("language", "split") if result.index[column_of(result.index, key)].n_unique() > 1]


def _parents(library: Library, held: DatasetResults, run: Run) -> Result | None:
    """The same system on the original items, when this is a challenge set and they stand in another dataset here."""
    result = run.result
    if result is None or result.index["parent"].null_count() == result.n:
        return None
    wanted = set(result.index["parent"].drop_nulls().to_list())
    for other in library.datasets.values():
        theirs = other.runs.get(run.system)
        if other is held or theirs is None or theirs.result is None:
            continue
        chosen = theirs.result.index["id"].is_in(list(wanted)).to_numpy()
        if chosen.sum() == len(wanted):
            return theirs.result.take(np.flatnonzero(chosen))
    return None


def _common(result: Result, key: str) -> str:
    values = result.index[key].drop_nulls().unique().to_list()
    return str(values[0]) if len(values) == 1 else ("several" if values else "")


def _stored(score: dict[str, Any]) -> Score:
    return finite(msgspec.convert(score, Score))
