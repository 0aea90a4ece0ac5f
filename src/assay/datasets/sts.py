"""The STS benchmark: pairs of sentences with human similarity ratings from 0 to 5; Turkish, or another language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.tables import table_rows
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record

HIGHEST = 5.0


@dataclass(frozen=True)
class Sts(Dataset):
    language: str = "tr"
    """Language of the sentences."""

    name: ClassVar = "sts"
    patterns: ClassVar = {
        split: (f"*_{part}.tsv", f"{part}.tsv")
        for split, part in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="STS benchmark, Turkish (STSb-TR)",
        task="annotation",
        goal="rate the semantic similarity of two sentences",
        languages=("tr",),
        sizes={"train": 5749, "validation": 1500, "test": 1379},
        licence="scores CC BY-SA 4.0; some sentences under their own terms",
        references="1",
        input_type="pair of texts",
        suite="",
        source="https://github.com/verimsu/STSb-TR",
        files="stsb_tr_train.tsv, stsb_tr_dev.tsv and stsb_tr_test.tsv: genre, dataset, year, sid, score, sentence1 and"
        " sentence2",
        notes=("sts:language=en reads the English benchmark in the same layout",),
        citation="Beken Fikri et al. (2021), Semantic Similarity Based Evaluation; Cer et al. (2017), SemEval task 1",
    )

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("genre", "score", "sentence1", "sentence2"), delimiter="\t")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        written = record.text("score")
        try:
            score = float(written)
        except ValueError:
            score = -1.0
        if not 0 <= score <= HIGHEST:
            raise record.bad("score", f"is {written[:40]!r}, and must be a number from 0 to 5")
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            source=record.text("sentence1"),
            references=(record.text("sentence2"),),
            language=self.language,
            split=file.split,
            tags={"score": written, "genre": record.text("genre")},
        )
