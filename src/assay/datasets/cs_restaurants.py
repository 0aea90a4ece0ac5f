"""Czech Restaurant: Czech sentences with a given intent and attributes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.datasets import structures
from assay.datasets.base import Card, SplitFile
from assay.datasets.meaning import MeaningPairs
from assay.datasets.sources import json_items

if TYPE_CHECKING:
    from assay.datasets.record import Record
    from assay.records.kinds import Slots


@dataclass(frozen=True)
class CsRestaurants(MeaningPairs):
    name: ClassVar = "cs_restaurants"
    meaning: ClassVar = "da"
    text: ClassVar = "text"
    patterns: ClassVar = {"train": ("train.json",), "validation": ("devel.json",), "test": ("test.json",)}
    rows: Literal["mr", "pair"] = "pair"
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
