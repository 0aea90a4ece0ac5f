"""Czech Restaurant: Czech sentences for an intent and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from assay.datasets import structures
from assay.datasets.base import Card, SplitFile
from assay.datasets.meaning import MeaningPairs
from assay.datasets.sources import json_items
from assay.errors import AssayError
from assay.records.inputs import with_input

if TYPE_CHECKING:
    from assay.datasets.record import Record
    from assay.records import Example
    from assay.records.kinds import Slots

PLACEHOLDER = re.compile(r"\bX-(\w+)")


@dataclass(frozen=True)
class CsRestaurants(MeaningPairs):
    name: ClassVar = "cs_restaurants"
    meaning: ClassVar = "da"
    text: ClassVar = "text"
    patterns: ClassVar = {"train": ("train.json",), "validation": ("devel.json",), "test": ("test.json",)}
    rows: Literal["mr", "pair"] = "pair"
    delexicalized: bool = False
    """Texts and values with placeholders (X-name) where the file has them; for training small models."""
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

    def structure(self, record: Record) -> Slots:
        return structures.czech_act(record, record.text("da"))

    def tags(self, record: Record) -> dict[str, str]:
        delexicalized = record.optional("delex_text")
        return {"delexicalized": delexicalized} if delexicalized else {}

    def __post_init__(self) -> None:
        if self.delexicalized and self.rows == "mr":
            raise AssayError("cs_restaurants: delexicalized texts are read by pair; leave rows=mr out")

    def _example(self, record: Record, references: list[str], index: int, split: str | None) -> Example:
        whole = super()._example(record, references, index, split)
        text = whole.tags.get("delexicalized")
        if not self.delexicalized or not text:
            return whole
        placed = set(PLACEHOLDER.findall(text))
        slots = [[slot, f"X-{slot}" if slot in placed else value] for slot, value in self.structure(record).slots]
        return msgspec.structs.replace(
            with_input(whole, slots=slots), references=(text,), source=None, tags=whole.tags | {"delexicalized": "yes"}
        )
