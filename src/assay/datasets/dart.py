"""DART: texts for sets of triples gathered from tables, WebNLG and E2E."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from assay.datasets import structures
from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.sources import json_items
from assay.records import Example
from assay.records.kinds import Triples

if TYPE_CHECKING:
    from assay.datasets.record import Record


class Dart(Dataset):
    name: ClassVar = "dart"
    patterns: ClassVar = {
        split: (f"dart-v1.1.1-full-{file}.json", f"data/v1.1.1/dart-v1.1.1-full-{file}.json", f"*-{file}.json")
        for split, file in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="DART v1.1.1",
        task="data-to-text",
        goal="describe cells of a table, covering all triples",
        languages=("en",),
        sizes={"train": 62659, "validation": 2768, "test": 6959},
        licence="MIT",
        references="1 or more (6,980 texts for the 2,768 validation sets)",
        input_type="triples",
        suite="data-to-text",
        source="https://github.com/Yale-LILY/dart",
        files="dart-v1.1.1-full-{train,dev,test}.json of data/v1.1.1",
        hub=("GEM/dart", None),
        notes=(
            "the published train size counts texts; the reader returns one example per triple set",
            "contains all of WebNLG (en) and E2E: a model trained on DART has seen parts of those",
        ),
        citation="Nan et al.: DART: Open-Domain Structured Data Record to Text Generation (2021)",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_items(file.path)

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        triples = [structures.triple(record, value, "tripleset") for value in record.typed("tripleset", list)]
        if not triples:
            raise record.bad("tripleset", "is empty")
        annotations = record.items("annotations")
        texts = [annotation.text("text") for annotation in annotations]
        origins = sorted({annotation.optional("source") for annotation in annotations} - {""})
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=tuple(texts),
            input=Triples(triples=triples).plain(),
            language="en",
            split=file.split,
            tags={"size": str(len(triples)), "origin": ",".join(origins)},
        )
