"""E2E: restaurant descriptions from meaning representations, in the original and the cleaned release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, Group, SplitFile, gem_id
from assay.datasets.sources import table_rows
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record, Report

CLEANED: dict[str, tuple[str, ...]] = {
    "train": ("train-fixed.no-ol.csv", "cleaned*/train-fixed.no-ol.csv"),
    "validation": ("devel-fixed.no-ol.csv", "cleaned*/devel-fixed.no-ol.csv"),
    "test": ("test-fixed.csv", "cleaned*/test-fixed.csv"),
}
ORIGINAL: dict[str, tuple[str, ...]] = {
    "train": ("trainset.csv",),
    "validation": ("devset.csv",),
    "test": ("testset_w_refs.csv", "testset.csv"),
}


@dataclass(frozen=True)
class E2ENlg(Dataset):
    name: ClassVar = "e2e_nlg"
    rows: Literal["mr", "pair"] = "mr"
    version: Literal["cleaned", "original"] = "cleaned"
    card: ClassVar = Card(
        title="E2E NLG (cleaned)",
        task="data-to-text",
        goal="a restaurant description with all and only the given attributes",
        languages=("en",),
        sizes={"train": 33525, "validation": 4299, "test": 4693},
        licence="CC BY-SA 4.0",
        references="grouped by meaning representation (1,484 in validation, 1,847 in test), or 1 with rows=pair",
        input_type="meaning representation",
        suite="data-to-text",
        source="https://github.com/tuetschek/e2e-cleaning",
        files="train-fixed.no-ol.csv, devel-fixed.no-ol.csv and test-fixed.csv of cleaned-data",
        modifications=("the cleaned release replaces the original: version=cleaned (default) or version=original",),
        hub=("GEM/e2e_nlg", None),
        notes=("sizes count rows (pairs); which rows form one example is the option 'rows' and stands in the tags",),
        citation="Dušek, Howcroft, Rieser: Semantic Noise Matters for Neural NLG (2019)",
    )

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        if self.version == "original":
            return ORIGINAL
        return {split: CLEANED[split] + ORIGINAL[split] for split in CLEANED}

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("mr", "ref"))

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = report.checked(self.records(file), _checked_row)
        if self.rows == "pair":
            for record in rows:
                yield self._example(record, [record.value["ref"]], record.index, file.split)
            return
        group = Group()
        for record in rows:
            group.add(record.value["mr"], record.value["ref"], record)
        report.note("rows with the same meaning representation are one example (rows=mr)")
        for index, (_, references, record) in enumerate(group):
            yield self._example(record, references, index, file.split)

    def _example(self, record: Record, references: list[str], index: int, split: str | None) -> Example:
        structure = structures.slots(record, record.value["mr"])
        return Example(
            id=gem_id(self.name, split, index),
            references=tuple(references),
            source=record.value["mr"],
            input=structure,
            language="en",
            split=split,
            tags={
                "size": str(len(structure["slots"])),
                "rows": self.rows,
                "version": "cleaned" if "orig_mr" in record.value else "original",
            },
        )


def _checked_row(record: Record) -> Iterable[Record]:
    structures.slots(record, record.text("mr"))
    record.text("ref")
    yield record
