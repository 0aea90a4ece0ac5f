"""Czech Restaurant: Czech sentences with a given intent and attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, Group, SplitFile, gem_id
from assay.datasets.sources import json_items
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record, Report


@dataclass(frozen=True)
class CsRestaurants(Dataset):
    name: ClassVar = "cs_restaurants"
    patterns: ClassVar = {"train": ("train.json",), "validation": ("devel.json",), "test": ("test.json",)}
    rows: Literal["pair", "mr"] = "pair"
    card: ClassVar = Card(
        title="Czech Restaurant",
        task="data-to-text",
        goal="a Czech text with the given intent that covers the attributes",
        languages=("cs",),
        sizes={"train": 3569, "validation": 781, "test": 842},
        licence="CC BY-SA 4.0",
        references="1, or all of the same dialog act with rows=mr",
        input_type="meaning representation",
        suite="data-to-text",
        source="https://github.com/UFAL-DSG/cs_restaurant_dataset",
        files="train.json, devel.json and test.json",
        hub=("GEM/cs_restaurants", None),
        citation="Dušek, Jurčíček: Neural Generation for Czech (2019)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_items(file.path)

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = report.checked(self.records(file), _checked_row)
        if self.rows == "pair":
            for record in rows:
                yield self._example(record, [record.value["text"]], record.index, file.split)
            return
        group = Group()
        for record in rows:
            group.add(record.value["da"], record.value["text"], record)
        report.note("rows with the same dialog act are one example (rows=mr)")
        for index, (_, references, record) in enumerate(group):
            yield self._example(record, references, index, file.split)

    def _example(self, record: Record, references: list[str], index: int, split: str | None) -> Example:
        structure = structures.czech_act(record, record.value["da"])
        return Example(
            id=gem_id(self.name, split, index),
            references=tuple(references),
            source=record.value["da"],
            input=structure,
            language="cs",
            split=split,
            tags={
                "act": structure["act"],
                "size": str(len(structure["slots"])),
                "rows": self.rows,
                "delexicalized": record.optional("delex_text"),
            },
        )


def _checked_row(record: Record) -> Iterable[Record]:
    structures.czech_act(record, record.text("da"))
    record.text("text")
    record.optional("delex_text")
    yield record
