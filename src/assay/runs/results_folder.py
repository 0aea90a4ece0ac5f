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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.files import to_json, write_text
from assay.records.read import read_judgements
from assay.records.types import Judgement
from assay.results.result import Result
from assay.runs.config import Dataset, System
from assay.runs.run_folder import load_run

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


class ResultsFolder(Mapping[str, dict[str, Result]]):
    """The results of a benchmark: by dataset, then by system, each loaded when it is asked for.

    `path` is the folder, `benchmark` what it says of itself, and `missing` what there is no run of.

    >>> folder = assay.run("sample", "results/sample", only=["lead"])
    >>> folder
    <sample: 4 of 4 runs in results/sample>
    >>> folder["places"]["lead"].n
    40
    """

    def __init__(self, path: Path, benchmark: Benchmark) -> None:
        self.path = path
        self.benchmark = benchmark

    def __getitem__(self, dataset: str) -> dict[str, Result]:
        if dataset not in iter(self):
            raise KeyError(dataset)
        return load_results(self.path, self.benchmark, dataset)

    def __iter__(self) -> Iterator[str]:
        return (dataset.name for dataset in self.benchmark.datasets)

    def __len__(self) -> int:
        return len(self.benchmark.datasets)

    @property
    def missing(self) -> list[Entry]:
        """What there is no run of, and why."""
        return [entry for entry in self.benchmark.entries if entry.why]

    def __repr__(self) -> str:
        done = len(self.benchmark.entries) - len(self.missing)
        return f"<{self.benchmark.name}: {done} of {len(self.benchmark.entries)} runs in {self.path}>"


def is_benchmark(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def load_benchmark(path: Path) -> Benchmark:
    try:
        raw: dict[str, Any] = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        return msgspec.convert(raw, Benchmark)
    except (json.JSONDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise AssayError(f"{path / MANIFEST}: damaged ({error}); run the benchmark again") from None


def write_benchmark(path: Path, benchmark: Benchmark) -> None:
    write_text(path / MANIFEST, to_json(benchmark) + "\n")


def load_results(path: Path, benchmark: Benchmark, dataset: str) -> dict[str, Result]:
    """The results of all systems on one dataset, in the order of the config."""
    ran = {entry.system for entry in benchmark.entries if entry.dataset == dataset and entry.why is None}
    return {system.name: load_run(path / dataset / system.name) for system in benchmark.systems if system.name in ran}


def load_judgements(path: Path, dataset: str) -> list[Judgement]:
    file = path / dataset / "judgements.jsonl"
    return read_judgements(file) if file.exists() else []
