"""Wiki-Auto: sentence pairs of English and Simple English Wikipedia, for training simplification."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.tables import table_rows
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record
from assay.datasets.parallel import GOAL


class WikiAuto(Dataset):
    name: ClassVar = "wiki_auto"
    patterns: ClassVar = {
        split: (f"{file}.tsv", f"full_with_split/{file}.tsv", f"wiki-auto/GEM2021/full_with_split/{file}.tsv")
        for split, file in (("train", "train"), ("validation", "valid"))
    }
    card: ClassVar = Card(
        title="Wiki-Auto",
        task="simplification",
        goal=GOAL,
        languages=("en",),
        sizes={"train": 484000, "validation": 20000},
        licence="CC BY-SA 3.0",
        references="1 (validation repeats a source once for each of its references)",
        input_type="sentence",
        suite="simplification",
        source="https://github.com/chaojiang06/wiki-auto",
        files="train.tsv and valid.tsv of wiki-auto/GEM2021/full_with_split (source, tab, target)",
        hub=("GEM/wiki_auto_asset_turk", None),
        hub_splits={"train": "train", "validation": "validation"},
        notes=("the train size is about 484,000; early loaders used 373,801 rows that include unaligned pairs",),
        citation="Jiang et al.: Neural CRF Model for Sentence Alignment in Text Simplification (2020)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("source", "target"), "\t", header=False)

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=(record.text("target"),),
            source=record.text("source"),
            language="en",
            split=file.split,
        )
