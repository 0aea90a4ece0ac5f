"""What a dataset is: a card (metadata as data), the files of its splits, and the way from a record to examples."""

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
"""Of the published size: releases differ by a few items."""


@dataclass(frozen=True)
class Card:
    """What a person should know before using a dataset; commands and pages read it."""

    title: str
    task: str
    """High-level task: summarization, data-to-text, dialog, simplification, ranking, annotation, meta-evaluation."""
    goal: str
    """Communicative goal: what a good output does for its reader."""
    languages: tuple[str, ...]
    sizes: Mapping[str, int]
    """Published number of examples by split, under the default options of the reader."""
    licence: str
    references: str
    """References per item."""
    input_type: str
    suite: str
    """The metrics that fit by default; empty where no text is generated."""
    source: str
    """Where the published files are."""
    files: str
    """What to download and how to lay it out."""
    modifications: tuple[str, ...] = ()
    """What GEM changed, and how to repeat it."""
    hub: tuple[str, str | None] | None = None
    """Repository and configuration on the Hugging Face hub that hold the same data as Parquet or JSON."""
    hub_splits: Mapping[str, str] = field(default_factory=dict)
    """Where a hub repository holds several datasets: the splits that are ours, and our names for them."""
    access: str = "open"
    notes: tuple[str, ...] = ()
    citation: str = ""


@dataclass(frozen=True)
class SplitFile:
    path: Path
    split: str | None


@dataclass(frozen=True)
class Dataset:
    """One published dataset. A subclass names its files and turns one record into examples; its fields are options."""

    name: ClassVar[str]
    card: ClassVar[Card]
    patterns: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """By split: file patterns below the folder a person gives; the first pattern that matches wins."""
    inner_splits: ClassVar[bool] = False
    """Whether a file holds several splits, so that a wanted one is a choice of examples and not of a file."""

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        """The patterns under the chosen options."""
        return self.patterns

    def read(self, path: Path, split: str | None = None, report: Report | None = None) -> Iterator[Example]:
        """The examples of a file, or of the folder that holds the splits; `report` fills while they are taken."""
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
        """A split of which a part was read is said to be one: numbers on it are not those that others print."""
        if self != type(self)():  # options may well ask for other examples
            return
        for split, size in self.card.sizes.items():
            found = max(report.splits[split], report.references[split])  # some cards count rows, of one reference each
            if 0 < found < NEARLY_ALL * size:
                report.note(f"{split} is a part of what was published: {report.splits[split]:,} of {size:,} examples")

    def _read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = uniform_rows(file.path)
        if rows is not None:
            return report.checked(rows, lambda record: gemrows.examples(record, self.card, self.name, file.split))
        return self.read_file(file, report)

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        """Most formats: record by record. Formats that group rows or join files do it here."""
        return report.checked(self.records(file), lambda record: self.examples(record, file))

    def records(self, file: SplitFile) -> Iterable[Record]:
        raise NotImplementedError

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        raise NotImplementedError

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        """System outputs published with the dataset, if any."""
        raise AssayError(f"{self.name}: publishes no system outputs")

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """What people said about the outputs, if published."""
        raise AssayError(f"{self.name}: publishes no judgements")

    def find(self, path: Path, split: str | None = None) -> list[SplitFile]:
        """The files to read: the one given, or by pattern in the folder given."""
        wanted = canonical_split(split)
        if path.is_file():
            return [SplitFile(path, wanted or self.split_of(path))]
        if not path.is_dir():
            raise AssayError(f"{path}: no such file or folder; {self.name} needs {self.card.files}")
        if wanted and self.file_patterns and wanted not in self.file_patterns:
            raise UsageError(f"{self.name}: no split '{split}'; there is {', '.join(self.file_patterns)}")
        found = []
        for name, patterns in self.file_patterns.items():
            if wanted in (None, name):
                hits = next(filter(None, (_matches(path, pattern) for pattern in patterns)), [])
                found += [SplitFile(hit, name) for hit in hits]
        fetched = self._fetched(path, wanted)
        if not found and not fetched:
            looked = ", ".join(
                pattern for name in self.file_patterns if wanted in (None, name) for pattern in self.file_patterns[name]
            )
            raise AssayError(f"{path}: found none of {looked}; {self.name} needs {self.card.files}")
        return found or fetched

    def _fetched(self, path: Path, wanted: str | None) -> list[SplitFile]:
        """Parquet or JSON lines laid out by `datasets fetch`: one folder a split."""
        files = sorted(hit for pattern in ("*/*.parquet", "*.parquet", "*/*.jsonl") for hit in path.glob(pattern))
        named = [SplitFile(file, self.split_of(file)) for file in files]
        return [file for file in named if wanted in (None, file.split)]

    def split_of(self, path: Path) -> str | None:
        """The split a single file belongs to: by pattern, else by a split's name as a word of its name or folder."""
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
    """The id GEM gives to items whose publishers gave none."""
    return f"{name}-{split or 'unknown'}-{index}"


class Group:
    """Examples that share a key become one with all their references, in order of first appearance."""

    def __init__(self) -> None:
        self.references: dict[Any, list[str]] = {}
        self.first: dict[Any, Record] = {}

    def add(self, key: Any, reference: str, record: Record) -> None:
        self.first.setdefault(key, record)
        self.references.setdefault(key, []).append(reference)

    def __iter__(self) -> Iterator[tuple[Any, list[str], Record]]:
        return ((key, texts, self.first[key]) for key, texts in self.references.items())
