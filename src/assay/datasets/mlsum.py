"""MLSUM: summaries of German and Spanish news articles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.sources import json_lines
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record


class Mlsum(Dataset):
    language: ClassVar[str]

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "url")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        tags = {key: record.optional(key) for key in ("topic", "url", "title", "date")}
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=(record.text("summary"),),
            source=record.text("text"),
            language=self.language,
            split=file.split,
            tags={key: value for key, value in tags.items() if value},
        )


def _mlsum(language: str, name: str, sizes: dict[str, int], removed: str) -> tuple[Card, dict[str, tuple[str, ...]]]:
    card = Card(
        title=f"MLSUM ({name})",
        task="summarization",
        goal="the relevant points of a news article",
        languages=(language,),
        sizes=sizes,
        licence="non-commercial research only",
        references="1",
        input_type="article",
        suite="summarization",
        source="https://github.com/recitalAI/MLSUM",
        files=f"{language}_train.jsonl, {language}_val.jsonl and {language}_test.jsonl",
        modifications=(f"duplicate inputs and texts in another language dropped ({removed}): modify.clean",),
        hub=("GEM/mlsum", language),
        citation="Scialom et al.: MLSUM: The Multilingual Summarization Corpus (2020)",
    )
    files = (("train", "train"), ("validation", "val"), ("test", "test"))
    return card, {split: (f"{language}_{file}.jsonl", f"**/{language}_{file}.jsonl") for split, file in files}


class MlsumDe(Mlsum):
    name: ClassVar = "mlsum_de"
    language: ClassVar = "de"
    card, patterns = _mlsum(
        "de", "German", {"train": 220748, "validation": 11392, "test": 10695}, "147 of 242,982 items"
    )


class MlsumEs(Mlsum):
    name: ClassVar = "mlsum_es"
    language: ClassVar = "es"
    card, patterns = _mlsum(
        "es", "Spanish", {"train": 259886, "validation": 9977, "test": 13365}, "7,417 of 290,645 items"
    )
