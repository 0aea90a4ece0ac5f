"""ToTTo: one sentence that describes the highlighted cells of a Wikipedia table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

import msgspec

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.sources import json_lines
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record


class Totto(Dataset):
    name: ClassVar = "totto"
    patterns: ClassVar = {
        "train": ("totto_train_data.jsonl", "totto_data/totto_train_data.jsonl", "*train*.jsonl"),
        "validation": ("totto_dev_data.jsonl", "totto_data/totto_dev_data.jsonl", "*dev*.jsonl"),
        "test": ("unlabeled_totto_test_data.jsonl", "totto_data/unlabeled_totto_test_data.jsonl", "*test*.jsonl"),
    }
    card: ClassVar = Card(
        title="ToTTo",
        task="data-to-text",
        goal="one English sentence that describes the highlighted cells in the context of the table",
        languages=("en",),
        sizes={"train": 121153, "validation": 7700, "test": 7700},
        licence="CC BY-SA 3.0",
        references="1 in train, 3 in validation; the test references are private",
        input_type="highlighted table",
        suite="data-to-text",
        source="https://github.com/google-research-datasets/ToTTo",
        files="totto_train_data.jsonl, totto_dev_data.jsonl and unlabeled_totto_test_data.jsonl",
        hub=("GEM/totto", None),
        citation="Parikh et al.: ToTTo: A Controlled Table-To-Text Generation Dataset (2020)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "example_id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        id = record.typed("example_id", int, str)
        table = structures.table(record)
        annotated = record.items("sentence_annotations") if record.has("sentence_annotations") else []
        tags = {"highlighted": str(len(table.highlighted))}
        if record.has("overlap_subset"):
            tags["overlap"] = str(record.typed("overlap_subset", bool)).lower()
        yield Example(
            id=str(id),
            references=tuple(sentence.text("final_sentence") for sentence in annotated),
            input=msgspec.structs.replace(table, url=record.optional("table_webpage_url")).plain(),
            language="en",
            split=file.split,
            tags=tags,
        )
