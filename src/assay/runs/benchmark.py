"""A results folder: every system of a benchmark on every dataset, one run folder each.

benchmark.json                   what there is, what was skipped, and why
DATASET/examples.jsonl           once for all systems
DATASET/judgements.jsonl         what people said, where there is any
DATASET/SYSTEM/run.json ...      a run folder
DATASET/SYSTEM/answers.jsonl     what a system that the config names has answered
models/NAME-CONTENT/             models trained for it
groups.json                      mean and deviation of systems with several seeds or prompts
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, first_line
from assay.records.files import to_json, write_jsonl, write_text
from assay.records.read import read_judgements
from assay.records.types import Example, Judgement
from assay.results.result import Result
from assay.runs.answers import answers, read_dataset, shown
from assay.runs.config import Config, Dataset, System
from assay.runs.groups import write_groups
from assay.runs.loading import load_items
from assay.runs.scoring import choose, score_items
from assay.runs.store import RunFolder, load_run
from assay.systems import refuse_secrets

FORMAT = 1
MANIFEST = "benchmark.json"


class Entry(msgspec.Struct, frozen=True):
    """One system on one dataset."""

    dataset: str
    system: str
    why: str | None = None
    """Why there is no run of it; None when there is one."""
    failed: bool = False
    """Whether it was tried and went wrong; what was never there is only skipped."""


class Benchmark(msgspec.Struct, frozen=True):
    """What a results folder holds."""

    name: str
    datasets: list[Dataset]
    systems: list[System]
    entries: list[Entry]
    format: int = FORMAT


def run(
    config: Config,
    base: Path,
    out: Path,
    *,
    only: Collection[str] | None = None,
    workers: int = 1,
    force: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Benchmark:
    """Score everything, or `only` some systems beside what the folder says of the others; what is there already is
    reused. A dataset or system that fails is named, the rest goes on."""
    for system in config.systems:
        refuse_secrets(system.system or "")  # the config is kept in the folder
    entries: list[Entry] = []
    before = _entries_before(out) if only is not None else {}
    for dataset in config.datasets:
        requests = choose(dataset.metrics, dataset.suite)
        examples = read_dataset(dataset, base)
        write_jsonl(out / dataset.name / "examples.jsonl", examples)
        _keep_judgements(dataset, base, out, examples)
        for system in config.systems:
            if system.tasks is not None and dataset.task not in system.tasks:
                continue
            if only is not None and system.name not in only:
                entries += before.get((dataset.name, system.name), [])
                continue
            try:
                path = answers(system, dataset, base, out, examples, force=force, say=say)
                if not path.exists():
                    entries.append(Entry(dataset.name, system.name, f"no outputs at {path}"))
                    say(f"{dataset.name:<12} {system.name:<12} skipped: no outputs at {path}")
                    continue
                items = load_items(
                    path,
                    examples=examples,
                    system=system.name,
                    language=dataset.language,
                    allow_missing=config.allow_missing,
                )
                items = replace(items, outputs=tuple(shown(text, dataset.text) for text in items.outputs))
                folder = RunFolder(out / dataset.name / system.name, items, force=force, shared_examples=True)
                command = ["assay", "run", config.name, dataset.name, system.name]
                result = score_items(
                    items, requests, ci=config.ci, seed=config.seed, workers=workers, folder=folder, command=command
                )
            except Exception as error:  # of a model's or a system's own; the others must not fall with it
                why = _why(error, out / dataset.name / system.name)
                entries.append(Entry(dataset.name, system.name, why, failed=True))
                say(f"{dataset.name:<12} {system.name:<12} failed: {why}")
                continue
            entries.append(Entry(dataset.name, system.name))
            say(f"{dataset.name:<12} {system.name:<12} {_line(result)}")
    benchmark = Benchmark(config.name, config.datasets, config.systems, entries)
    write_text(out / MANIFEST, to_json(benchmark) + "\n")
    write_groups(out, benchmark, {d.name: load_results(out, benchmark, d.name) for d in config.datasets}, say)
    return benchmark


def _entries_before(out: Path) -> dict[tuple[str, str], list[Entry]]:
    if not is_benchmark(out):
        return {}
    return {(entry.dataset, entry.system): [entry] for entry in load_benchmark(out).entries}


def _why(error: Exception, folder: Path) -> str:
    """What went wrong; of an error that is not ours its first line, and all of it in a file."""
    if isinstance(error, AssayError):
        return str(error)
    file = folder / "error.txt"
    write_text(file, "".join(traceback.format_exception(error)))
    return f"{type(error).__name__}: {first_line(error)} ({file} has all of it)"


def _keep_judgements(dataset: Dataset, base: Path, out: Path, examples: list[Example]) -> None:
    if dataset.judgements is None:
        return
    known = {example.id for example in examples}
    judgements = [judgement for judgement in read_judgements(base / dataset.judgements) if judgement.id in known]
    if not judgements:
        raise AssayError(f"{base / dataset.judgements}: no judgement is about an item of {dataset.name}; check the ids")
    write_jsonl(out / dataset.name / "judgements.jsonl", judgements)


def _line(result: Result) -> str:
    reused = sum(measurement.reused for measurement in result.measurements)
    parts = [f"{result.n} outputs", f"{len(result.measurements)} metrics"]
    if reused:
        parts.append(f"{reused} reused")
    parts += [f"skipped {missing.metric} ({missing.why})" for missing in result.skipped]
    parts += [f"failed {missing.metric} ({missing.why})" for missing in result.failed]
    return " · ".join(parts)


def is_benchmark(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def load_benchmark(path: Path) -> Benchmark:
    try:
        raw: dict[str, Any] = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        return msgspec.convert(raw, Benchmark)
    except (json.JSONDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise AssayError(f"{path / MANIFEST}: damaged ({error}); run the benchmark again") from None


def load_results(path: Path, benchmark: Benchmark, dataset: str) -> dict[str, Result]:
    """The results of all systems on one dataset, in the order of the config."""
    ran = {entry.system for entry in benchmark.entries if entry.dataset == dataset and entry.why is None}
    return {system.name: load_run(path / dataset / system.name) for system in benchmark.systems if system.name in ran}


def load_judgements(path: Path, dataset: str) -> list[Judgement]:
    file = path / dataset / "judgements.jsonl"
    return read_judgements(file) if file.exists() else []
