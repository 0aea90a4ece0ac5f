"""The interface of datasets: a card (metadata), the files of its splits, and the conversion of records to examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.datasets import gemrows
from assay.datasets.record import Record, Report
from assay.datasets.tables import uniform_rows
from assay.errors import AssayError, UsageError, blaming

if TYPE_CHECKING:
    from assay.records import Example, Judgement, Output

SPLIT_NAMES = {
    "dev": "validation",
    "devel": "validation",
    "valid": "validation",
    "val": "validation",
    "tune": "validation",
}

NEARLY_ALL = 0.99
"""Tolerance relative to the published size: releases differ by a few items."""


@dataclass(frozen=True)
class Card:
    """Metadata of a dataset, shown by commands and pages."""

    title: str
    task: str
    """High-level task: summarization, data-to-text, dialog, simplification, ranking, annotation, meta-evaluation."""
    goal: str
    """Communicative goal of an output."""
    languages: tuple[str, ...]
    sizes: Mapping[str, int]
    """Published number of examples by split, under the default options of the reader."""
    licence: str
    references: str
    """References per item."""
    input_type: str
    suite: str
    """Default metric suite; empty if no text is generated."""
    source: str
    """Address of the published files."""
    files: str
    """Files to download and their layout."""
    modifications: tuple[str, ...] = ()
    """Changes by GEM, and how to reproduce them."""
    hub: tuple[str, str | None] | None = None
    """Repository and configuration on the Hugging Face hub with the same data as Parquet or JSON."""
    hub_splits: Mapping[str, str] = field(default_factory=dict)
    """If a hub repository contains several datasets: the splits of this one, with their names here."""
    access: str = "open"
    notes: tuple[str, ...] = ()
    citation: str = ""


@dataclass(frozen=True)
class SplitFile:
    path: Path
    split: str | None


@dataclass(frozen=True)
class Dataset:
    """One published dataset. A subclass lists its files and converts a record to examples; its fields are options."""

    name: ClassVar[str]
    card: ClassVar[Card]
    patterns: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """File patterns by split, relative to the folder; the first pattern that matches is used."""
    inner_splits: ClassVar[bool] = False
    """Whether a file contains several splits, so that a split is selected by example and not by file."""

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        """Return the file patterns for the options."""
        return self.patterns

    def read(self, path: Path, split: str | None = None, report: Report | None = None) -> Iterator[Example]:
        """Yield the examples of a file, or of a folder with splits; `report` is updated meanwhile."""
        report = report if report is not None else Report(self.name)
        report.reader = self
        wanted = canonical_split(split) if self.inner_splits else None
        for file in self.find(path, None if self.inner_splits else split):
            report.files.append(str(file.path))
            with blaming(f"{file.path}: {self.name}", self):
                for example in self._read_file(file, report):
                    if report.is_new(example.id, file.path) and wanted in (None, example.split):
                        report.splits[example.split or "unknown"] += 1
                        report.references[example.split or "unknown"] += len(example.references)
                        yield example
        if not report.examples:
            why = f"; all {sum(report.bad.values())} records are unreadable" if report.bad else ""
            raise AssayError(f"{path}: no examples of {self.name} in it{why}; it needs {self.card.files}")
        self._compare_sizes(report)

    def _compare_sizes(self, report: Report) -> None:
        """Warn if only part of a split was read: scores on it are not comparable with published ones."""
        if self != type(self)():  # options may select other examples
            return
        for split, size in self.card.sizes.items():
            number = max(report.splits[split], report.references[split])  # some cards count rows, of one reference each
            if 0 < number < NEARLY_ALL * size:
                report.note(f"{split} is a part of what was published: {report.splits[split]:,} of {size:,} examples")

    def _read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = uniform_rows(file.path)
        if rows is not None:
            return report.checked(rows, lambda record: gemrows.examples(record, self.card, self.name, file.split))
        return self.read_file(file, report)

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        """Convert record by record; override to group rows or join files."""
        return report.checked(self.records(file), lambda record: self.examples(record, file))

    def records(self, file: SplitFile) -> Iterable[Record]:
        raise NotImplementedError

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        raise NotImplementedError

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        """Yield system outputs published with the dataset."""
        raise AssayError(f"{self.name}: publishes no system outputs")

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield published human judgements of the outputs."""
        raise AssayError(f"{self.name}: publishes no judgements")

    def find(self, path: Path, split: str | None = None) -> list[SplitFile]:
        """Return the files to read: the file itself, or files of the folder by pattern."""
        wanted = canonical_split(split)
        if path.is_file():
            return [SplitFile(path, wanted or self.split_of(path))]
        if not path.is_dir():
            raise AssayError(f"{path}: no such file or folder; {self.name} needs {self.card.files}")
        if wanted and self.file_patterns and wanted not in self.file_patterns:
            raise UsageError(f"{self.name}: no split '{split}'; there is {', '.join(self.file_patterns)}")
        files = []
        for name, patterns in self.file_patterns.items():
            if wanted in (None, name):
                hits = next(filter(None, (_matches(path, pattern) for pattern in patterns)), [])
                files += [SplitFile(hit, name) for hit in hits]
        fetched = self._fetched(path, wanted)
        if not files and not fetched:
            looked = ", ".join(
                pattern for name in self.file_patterns if wanted in (None, name) for pattern in self.file_patterns[name]
            )
            raise AssayError(f"{path}: found none of {looked}; {self.name} needs {self.card.files}")
        return files or fetched

    def _fetched(self, path: Path, wanted: str | None) -> list[SplitFile]:
        """Return Parquet or JSON Lines files written by `assay data fetch`: one folder per split."""
        files = sorted(hit for pattern in ("*/*.parquet", "*.parquet", "*/*.jsonl") for hit in path.glob(pattern))
        named = [SplitFile(file, self.split_of(file)) for file in files]
        return [file for file in named if wanted in (None, file.split)]

    def split_of(self, path: Path) -> str | None:
        """Return the split of a single file: by pattern, otherwise by a split's name in its file or folder name."""
        for name, patterns in self.file_patterns.items():
            if any(path.match(pattern.removeprefix("**/")) for pattern in patterns):
                return name
        for part in (path.name, path.parent.name):
            words = "".join(char if char.isalnum() else " " for char in part.lower()).split()
            for word in words:
                if word in ("train", "validation", "test") or word in SPLIT_NAMES:
                    return canonical_split(word)
        return None


def canonical_split(split: str | None) -> str | None:
    return SPLIT_NAMES.get(split.lower(), split.lower()) if split else None


def _matches(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def gem_id(name: str, split: str | None, index: int) -> str:
    """Return GEM's id for items without a published one."""
    return f"{name}-{split or 'unknown'}-{index}"


class Group:
    """Merge examples with the same key into one with all references, in order of first appearance."""

    def __init__(self) -> None:
        self.references: dict[Any, list[str]] = {}
        self.first: dict[Any, Record] = {}

    def add(self, key: Any, reference: str, record: Record) -> None:
        self.first.setdefault(key, record)
        self.references.setdefault(key, []).append(reference)

    def __iter__(self) -> Iterator[tuple[Any, list[str], Record]]:
        return ((key, texts, self.first[key]) for key, texts in self.references.items())
