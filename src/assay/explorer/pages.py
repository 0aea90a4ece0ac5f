"""What a report says, as plain data: the same for HTML, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from assay.errors import AssayError
from assay.explorer.ratings import mean_ratings
from assay.metrics import Part
from assay.records import Example, Judgement, Score, read_examples, read_outputs
from assay.results.comparable import different_signatures
from assay.results.compare import compare
from assay.results.result import Result
from assay.runs.config import Dataset
from assay.runs.groups import group_scores, members
from assay.runs.manifest import is_run
from assay.runs.results_folder import Benchmark, is_benchmark, load_benchmark, load_judgements, load_results
from assay.runs.run_folder import load_run

SHOWN_EXAMPLES = 4
SMALL = 100
FEW = 10


@dataclass(frozen=True)
class Column:
    """One number across systems."""

    name: str
    category: str
    part: Part
    scores: dict[str, Score]


@dataclass(frozen=True)
class Pair:
    """What differs between two systems beyond chance."""

    a: str
    b: str
    above: list[str]
    """Numbers on which b is above a after correction."""
    below: list[str]
    apart: list[str]
    """Numbers with different signatures, of which nothing can be said."""
    tested: int


@dataclass(frozen=True)
class SubsetTable:
    key: str
    column: str
    part: Part
    rows: list[tuple[str, int, dict[str, Score]]]


@dataclass(frozen=True)
class Shown:
    """One example with what every system made of it."""

    example: Example
    outputs: list[tuple[str, str, list[tuple[str, float]]]]


@dataclass(frozen=True)
class Page:
    """One dataset."""

    name: str
    about: str
    n: int
    systems: list[str]
    columns: list[Column]
    pairs: list[Pair] = field(default_factory=list)
    subsets: list[SubsetTable] = field(default_factory=list)
    people: list[tuple[str, dict[str, Score], int]] = field(default_factory=list)
    """Criterion, mean value for each system, number of judgements."""
    made_up: bool = False
    examples: list[Shown] = field(default_factory=list)
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    """System, metric, why."""
    notes: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    """Numbers that were not computed in one way for all systems."""
    signatures: list[tuple[str, str, list[str]]] = field(default_factory=list)
    """Spec, signature, and the systems it holds for where it does not hold for all."""

    @property
    def primary(self) -> Column:
        return self.columns[0]


def pages_of(paths: Sequence[Path]) -> tuple[str, list[Page]]:
    """A title and a page for each dataset of results folders. Single runs on the same items share a page."""
    titles: list[str] = []
    pages: list[Page] = []
    runs: dict[str, dict[Path, Result]] = {}
    for path in paths:
        if is_benchmark(path):
            benchmark = load_benchmark(path)
            titles.append(benchmark.name)
            pages += [_dataset_page(path, benchmark, dataset) for dataset in benchmark.datasets]
        elif is_run(path):
            result = load_run(path)
            titles.append(result.system)
            runs.setdefault(str(result.digest), {})[path] = result
        else:
            raise AssayError(f"{path}: neither a results nor a run folder; make one with assay run or score --save")
    for group in runs.values():
        folders = {result.system: path for path, result in group.items()}
        if len(folders) < len(group):  # two runs of one name are told apart by their folders
            folders = {str(path): path for path in group}
        results = {name: group[path] for name, path in folders.items()}
        pages.append(_page(", ".join(folders), results, folders, next(iter(group)) / "examples.jsonl"))
    return ", ".join(dict.fromkeys(titles)), pages


def _dataset_page(path: Path, benchmark: Benchmark, dataset: Dataset) -> Page:
    name = dataset.name
    results = load_results(path, benchmark, name)
    absent = [(e.system, "all", e.why) for e in benchmark.entries if e.dataset == name and e.why is not None]
    if not results:
        raise AssayError(f"{path}: no system has a run on {name} ({'; '.join(why for _, _, why in absent)})")
    folders = {system: path / name / system for system in results}
    judgements = load_judgements(path, name)
    page = _page(name, results, folders, path / name / "examples.jsonl", dataset.about, dataset.by, judgements)
    page.missing.extend(absent)
    for group, scores in group_scores(members(benchmark.systems), results).items():
        page.systems.append(group)
        for column in page.columns:
            if column.name in scores:
                column.scores[group] = scores[column.name]
    return page


def _page(
    name: str,
    results: dict[str, Result],
    folders: dict[str, Path],
    examples: Path,
    about: str = "",
    by: Sequence[str] = (),
    judgements: Sequence[Judgement] = (),
) -> Page:
    first = next(iter(results.values()))
    columns = _columns(results)
    notes = [*dict.fromkeys(note for result in results.values() for note in result.notes)]
    if first.n < SMALL:
        notes.append(f"{first.n} items: below {SMALL}, differences between systems are unreliable")
    mixed = [column.name for column in columns if len({score.signature for score in column.scores.values()}) > 1]
    if mixed:
        notes.append(f"signatures differ, so values are not comparable between systems: {', '.join(mixed)}")
    return Page(
        name=name,
        about=about,
        n=first.n,
        systems=list(results),
        columns=columns,
        pairs=_pairs(results),
        subsets=_subsets(results, columns[0], by),
        people=mean_ratings(judgements),
        made_up=any(judgement.annotator.startswith("made-up") for judgement in judgements),
        examples=_examples(examples, folders, results),
        missing=_missing(results),
        notes=notes,
        mixed=mixed,
        signatures=_signatures(results),
    )


def _columns(results: dict[str, Result]) -> list[Column]:
    columns: dict[str, Column] = {}
    for system, result in results.items():
        for label in result.shown:
            measurement, part = result.parts[label]
            column = columns.setdefault(label, Column(label, measurement.metric.category, part, {}))
            column.scores[system] = result.scores[label]
    return list(columns.values())


def _pairs(results: dict[str, Result]) -> list[Pair]:
    pairs = []
    for a, b in combinations(results, 2):
        comparison = compare(results[a], results[b], samples=1000)
        apart = different_signatures(comparison.a, comparison.b, comparison)
        told = {name: row for name, row in comparison.items() if name not in apart}
        sure = {name: row for name, row in told.items() if row.p_adjusted is not None and row.p_adjusted < 0.05}
        above = [name for name, row in sure.items() if (row.difference or 0) > 0]
        below = [name for name, row in sure.items() if (row.difference or 0) < 0]
        pairs.append(Pair(a, b, above, below, apart, len(comparison)))
    return pairs


def _subsets(results: dict[str, Result], primary: Column, keys: Sequence[str]) -> list[SubsetTable]:
    tables = []
    for key in keys:
        rows: dict[str, tuple[int, dict[str, Score]]] = {}
        for system, result in results.items():
            for value, group in result.only(primary.name).by(key).items():
                if group.n < FEW:  # resampling a handful of items says nothing about other items
                    group = group.with_intervals(0, 0)
                rows.setdefault(value, (group.n, {}))[1][system] = group.scores[primary.name]
        listed = [(value, n, scores) for value, (n, scores) in rows.items()]
        tables.append(SubsetTable(key, primary.name, primary.part, listed))
    return tables


def _examples(examples: Path, folders: dict[str, Path], results: dict[str, Result]) -> list[Shown]:
    """The first items; texts may have been deleted, and then there is nothing to show."""
    texts = {
        system: {output.id: output.output for output in read_outputs(folder / "outputs.jsonl").outputs}
        for system, folder in folders.items()
        if (folder / "outputs.jsonl").exists()
    }
    if not texts or not examples.exists():
        return []
    scores = {system: {row["id"]: row for row in results[system].per_example.to_dicts()} for system in texts}
    shown = []
    for example in read_examples(examples).examples[:SHOWN_EXAMPLES]:
        rows = []
        for system, outputs in texts.items():
            if example.id in outputs:
                values = scores[system].get(example.id, {})
                numbers = [
                    (label, values[label] * part.scale)
                    for label, (measurement, part) in results[system].parts.items()
                    if part.shown and label in values and measurement.metric.category == "lexical"
                ]
                rows.append((system, outputs[example.id], numbers))
        shown.append(Shown(example, rows))
    return shown


def _missing(results: dict[str, Result]) -> list[tuple[str, str, str]]:
    return [
        (system, missing.metric, missing.why)
        for system, result in results.items()
        for missing in (*result.skipped, *result.failed)
    ]


def _signatures(results: dict[str, Result]) -> list[tuple[str, str, list[str]]]:
    holders: dict[tuple[str, str], list[str]] = {}
    for system, result in results.items():
        for measurement in result.measurements:
            holders.setdefault((str(measurement.request.spec), measurement.signature), []).append(system)
    return [(*key, [] if len(systems) == len(results) else systems) for key, systems in holders.items()]
