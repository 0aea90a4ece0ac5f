"""The manifest of a results folder: which systems and datasets a benchmark has, and what came of each pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.files import to_json, write_text
from assay.runs.config import Dataset, System

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
