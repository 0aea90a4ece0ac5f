"""The read model of every page, export and report: runs and axes from opened results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from assay.explorer.anomalies import Anomaly, anomalies, sentences
from assay.explorer.dialogues import notes_of, runs_of
from assay.explorer.run_notes import joined_notes
from assay.records.types import Score
from assay.results.comparable import reference_mismatches, small_samples
from assay.results.index import column_of
from assay.results.result import Result
from assay.results.result_record import ScoreRecord
from assay.store.foreign.known import axis_of
from assay.store.library import DatasetResults, Library, Run, without_folders
from assay.store.repeated_runs import group_scores
from assay.store.scored_runs import (
    Axis,
    ScoredRun,
    finite,
    mixed_signatures,
)
from assay.text.integers import is_integer

CATEGORIES = (
    "lexical", "semantic", "faithfulness", "diversity", "simplification", "source", "descriptive", "other",
)  # fmt: skip
"""Order of axes, the same as in all tables."""
FEW = 10
"""Number of items below which there are no bootstrap intervals."""
MANY = 5_000
"""Number of items above which subsets have no confidence intervals."""


@dataclass
class Overview:
    """Axes and runs, with problems and caveats."""

    title: str
    axes: dict[str, Axis] = field(default_factory=dict)
    runs: list[ScoredRun] = field(default_factory=list)
    systems: dict[str, str] = field(default_factory=dict)
    """Description of each system."""
    about: dict[str, str] = field(default_factory=dict)
    """Description of each dataset."""
    problems: list[str] = field(default_factory=list)
    """What could not be read, one sentence each."""
    skipped: list[str] = field(default_factory=list)
    """Systems without outputs, one sentence for each dataset; also among the notes."""
    notes: dict[str, list[str]] = field(default_factory=dict)
    """Notes and caveats, by dataset."""
    not_comparable: dict[str, list[str]] = field(default_factory=dict)
    """Scores that are not comparable, with the reason, by dataset; also among the notes."""

    def add(self, axes: Iterable[Axis], runs: Iterable[ScoredRun]) -> None:
        for axis in axes:
            known = self.axes.setdefault(axis.name, axis)
            if known.label != axis.label:  # computed with different options: the name then has none of them
                self.axes[axis.name] = replace(known, label="")
        self.runs += runs

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(run.dataset for run in self.runs))

    def on(self, dataset: str) -> list[ScoredRun]:
        return [run for run in self.runs if run.dataset == dataset]

    def ordered(self) -> list[Axis]:
        """Return axes by category, then by name, independent of the order of files."""
        rank = {category: i for i, category in enumerate(CATEGORIES)}
        return sorted(self.axes.values(), key=lambda axis: (rank.get(axis.category, len(rank)), axis.name))

    def notes_of_all(self) -> list[str]:
        """Return every note once, with its datasets."""
        places: dict[str, list[str]] = {}
        for dataset, notes in self.notes.items():
            for note in notes:
                places.setdefault(note, []).append(dataset)
        return [f"{', '.join(datasets)}: {note}" for note, datasets in places.items()]

    def anomalies(self) -> list[Anomaly]:
        return anomalies(self.runs, self.ordered())

    def alarms(self) -> list[str]:
        """Return sentences about impossible or implausible scores."""
        return sentences(self.anomalies())


def overview_of(library: Library) -> Overview:
    overview = Overview(library.title, systems=dict(library.systems))
    for dataset in library.datasets.values():
        overview.about[dataset.name] = dataset.about
        for run in dataset.runs.values():
            overview.add(_axes(run), _scored_runs(library, dataset, run))
        for name, scores in group_scores(dataset.groups, dataset.results).items():
            overview.add([], [ScoredRun(system=name, dataset=dataset.name, n=_size(dataset), scores=scores)])
        dataset.judgements  # noqa: B018 - read now, so that its problems are listed
        overview.problems += dataset.problems
        for run in dataset.runs.values():
            overview.problems += run.problems
    overview.add(library.axes, library.runs)
    for name, dialogues in library.dialogues.items():
        overview.add(*runs_of(name, dialogues))
    overview.runs = _in_order(overview.runs)
    for name in sorted(set(library.datasets) - set(overview.datasets)):
        overview.problems += [f"{name}: {sentence}" for sentence in _skipped(library.datasets[name])]
    overview.problems[:0] = library.problems
    axes = overview.ordered()
    for name in overview.datasets:
        stored = library.datasets.get(name)
        overview.not_comparable[name] = _not_comparable(stored, overview.on(name), axes)
        dialogue_notes = notes_of(library.dialogues[name]) if name in library.dialogues else []
        skipped = _skipped(stored)
        overview.skipped += [f"{name}: {sentence}" for sentence in skipped]
        overview.notes[name] = [*skipped, *_notes(stored), *dialogue_notes, *overview.not_comparable[name]]
    return overview


def _in_order(runs: list[ScoredRun]) -> list[ScoredRun]:
    """Sort the subsets of each system and dataset in natural order, 2 before 10."""
    groups: dict[tuple[str, str], list[ScoredRun]] = {}
    for run in runs:
        groups.setdefault((run.dataset, run.system), []).append(run)
    return [run for group in groups.values() for run in sorted(group, key=lambda run: _natural(run.subset))]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a sort key of natural order: 2 before 10."""
    pieces = re.split(r"(\d+)", text)
    return [(0, int(piece), "") if is_integer(piece) else (1, 0, piece) for piece in pieces if piece]


def _notes(dataset: DatasetResults | None) -> list[str]:
    if dataset is None:
        return []
    names = {name for run in dataset.runs.values() for name in run.manifest.get("scores", {})}
    own = [
        (
            run.system,
            list(map(without_folders, run.manifest.get("warnings", []) if run.result is None else run.result.notes)),
        )
        for run in dataset.runs.values()
    ]
    notes = joined_notes(own, names)
    if small := small_samples(dataset.results.values(), _size(dataset)):
        notes.append(small)
    return list(dict.fromkeys(notes))


def _skipped(dataset: DatasetResults | None) -> list[str]:
    """Return a sentence about systems without outputs, with the reason of the first."""
    if dataset is None or not dataset.skipped:
        return []
    reason = next(iter(dataset.skipped.values()))
    example = reason if len(dataset.skipped) == 1 else f"the first: {reason}"
    return [f"no run of {listed(dataset.skipped, 4)} ({example})"]


def listed(values: Iterable[object], most: int = 12) -> str:
    """Return distinct values in words, the first of them if there are many."""
    unique = [str(value) for value in dict.fromkeys(values) if value]
    return ", ".join(unique[:most]) + (f" and {len(unique) - most} more" if len(unique) > most else "")


def _not_comparable(dataset: DatasetResults | None, runs: list[ScoredRun], axes: list[Axis]) -> list[str]:
    """Return notes on scores that are not comparable: different signatures, or different references."""
    mixed = mixed_signatures(runs, axes)
    notes = [f"signatures differ, so scores are not comparable between systems: {', '.join(mixed)}"] if mixed else []
    return [*notes, *(reference_mismatches(dataset.results) if dataset else ())]


def _size(dataset: DatasetResults) -> int:
    return max((int(run.manifest.get("n", 0)) for run in dataset.runs.values()), default=0)


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


def _scored_runs(library: Library, dataset: DatasetResults, run: Run) -> Iterator[ScoredRun]:
    if not run.manifest:
        return
    scores = {name: _stored(score) for name, score in run.manifest["scores"].items()}
    for missing in (*run.manifest["skipped"], *run.manifest["failed"]):
        scores.setdefault(missing["metric"], Score(value=None, why=missing["why"]))
    result = run.result
    language = "" if result is None else _common(result, "language")
    parents = _parents(library, dataset, run)
    kind = "challenge" if parents is not None else "whole"
    yield ScoredRun(
        system=run.system,
        dataset=dataset.name,
        kind=kind,
        language=language,
        n=run.manifest.get("n"),
        parent=None if parents is None else "parents",
        scores=scores,
    )
    if parents is not None:
        yield _scored_run(dataset, run, parents, "parents", "parent", language)
    if result is None:
        return
    for key in subset_keys(dataset, result):
        for value, group in result.by(key).items():
            subset_language = value if key == "language" else language
            yield _scored_run(dataset, run, group, f"{key}={value}", "subset", subset_language, parent="")


def _scored_run(
    dataset: DatasetResults, run: Run, result: Result, subset: str, kind: str, language: str, parent: str | None = None
) -> ScoredRun:
    if result.n < FEW or result.n > MANY:
        result = result.with_intervals(0, 0)
    return ScoredRun(
        system=run.system,
        dataset=dataset.name,
        subset=subset,
        kind=kind,
        language=language,
        n=result.n,
        parent=parent,
        scores=dict(result.scores),
    )


def subset_keys(dataset: DatasetResults, result: Result) -> list[str]:
    """Return the properties of subsets: those of the config, by default language and split where they vary."""
    known = {name.removeprefix("tags.") for name in result.index.columns}
    if dataset.by:
        return [key for key in dataset.by if key.removeprefix("tags.") in known]
    return [key for key in ("language", "split") if result.index[column_of(result.index, key)].n_unique() > 1]


def _parents(library: Library, dataset: DatasetResults, run: Run) -> Result | None:
    """Return the same system's results on the original items of a challenge set, if another dataset has all of them."""
    result = run.result
    if result is None or result.index["parent"].null_count() == result.n:
        return None
    wanted = set(result.index["parent"].drop_nulls().to_list())
    for other in library.datasets.values():
        theirs = other.runs.get(run.system)
        if other is dataset or theirs is None or theirs.result is None:
            continue
        chosen = theirs.result.index["id"].is_in(list(wanted)).to_numpy()
        if chosen.sum() == len(wanted):
            return theirs.result.take(np.flatnonzero(chosen))
    return None


def _common(result: Result, key: str) -> str:
    values = result.index[key].drop_nulls().unique().to_list()
    return str(values[0]) if len(values) == 1 else ("several" if values else "")


def _stored(score: ScoreRecord) -> Score:
    return finite(msgspec.convert(score, Score))
