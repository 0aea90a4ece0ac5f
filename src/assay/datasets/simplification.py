"""Sentence simplification: Wiki-Auto to train on, ASSET and TurkCorpus to test on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.modify import detokenize
from assay.datasets.record import Record, Report
from assay.datasets.sources import parallel_lines, table_rows
from assay.errors import AssayError
from assay.records import Example

GOAL = "the same information in simpler words and grammar"


class WikiAuto(Dataset):
    name = "wiki_auto"
    patterns = {
        split: (f"{file}.tsv", f"full_with_split/{file}.tsv", f"wiki-auto/GEM2021/full_with_split/{file}.tsv")
        for split, file in (("train", "train"), ("validation", "valid"))
    }
    card = Card(
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


class ParallelReferences(Dataset):
    """A source file and one file for each annotator, aligned by line."""

    count: ClassVar[int]
    reference_names: ClassVar[tuple[tuple[re.Pattern[str], str], ...]]
    """How the name of a source file becomes the stem of its reference files."""

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        stem = self._stem(file)
        paths = {"source": file.path}
        paths |= {str(i): file.path.with_name(f"{stem}.{i}") for i in range(self.count)}
        missing = next((path for path in paths.values() if not path.is_file()), None)
        if missing:
            raise AssayError(f"{missing}: missing; {self.name} needs {self.card.files}")
        return report.checked(parallel_lines(paths), lambda record: self.examples(record, file))

    def _stem(self, file: SplitFile) -> str:
        for pattern, replacement in self.reference_names:
            if pattern.search(file.path.name):
                return pattern.sub(replacement, file.path.name)
        raise AssayError(f"{file.path}: not a source file of {self.name}; it needs {self.card.files}")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=tuple(self.text(record.text(str(i))) for i in range(self.count)),
            source=self.text(record.text("source")),
            language="en",
            split=file.split,
        )

    def text(self, text: str) -> str:
        return text


class Asset(ParallelReferences):
    name = "asset"
    count = 10
    reference_names = ((re.compile(r"\.orig$"), ".simp"),)
    patterns = {
        "validation": ("asset.valid.orig", "dataset/asset.valid.orig"),
        "test": ("asset.test.orig", "dataset/asset.test.orig"),
    }
    card = Card(
        title="ASSET",
        task="simplification",
        goal=GOAL,
        languages=("en",),
        sizes={"validation": 2000, "test": 359},
        licence="CC BY-NC 4.0",
        references="10",
        input_type="sentence",
        suite="simplification",
        source="https://github.com/facebookresearch/asset",
        files="asset.{valid,test}.orig beside asset.{valid,test}.simp.0 to .9 of dataset/",
        hub=("GEM/wiki_auto_asset_turk", None),
        citation="Alva-Manchego et al.: ASSET (2020)",
    )


class Turk(ParallelReferences):
    name = "turk"
    count = 8
    options = {"text": ("detokenized", "tokenized")}
    reference_names = ((re.compile(r"\.detok\.orig$"), ".detok.simp"), (re.compile(r"\.tok\.norm$"), ".tok.turk"))
    card = Card(
        title="TurkCorpus",
        task="simplification",
        goal=GOAL,
        languages=("en",),
        sizes={"validation": 2000, "test": 359},
        licence="GPL-3.0",
        references="8",
        input_type="sentence",
        suite="simplification",
        source="https://github.com/cocoxu/simplification",
        files="{tune,test}.truecase.detok.orig beside .simp.0 to .7, or {tune,test}.8turkers.tok.norm beside .turk.0 to .7",
        modifications=("tokenization undone; of the tokenized release text=detokenized (default) does the same by rule",),
        hub=("GEM/wiki_auto_asset_turk", None),
        notes=("the tokenized release is lower-case; text=tokenized keeps it as published",),
        citation="Xu et al.: Optimizing Statistical Machine Translation for Text Simplification (2016)",
    )

    def __init__(self, **options: str) -> None:
        super().__init__(**options)
        forms = ("truecase.detok.orig", "8turkers.tok.norm")
        if self.chosen["text"] == "tokenized":
            forms = forms[1:]  # type: ignore[assignment]
        self.patterns = {  # type: ignore[misc]
            split: tuple(f"{folder}{file}.{form}" for form in forms for folder in ("", "turkcorpus/", "data/turkcorpus/"))
            for split, file in (("validation", "tune"), ("test", "test"))
        }

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        self._rebuild = ".tok." in file.path.name and self.chosen["text"] == "detokenized"
        return super().examples(record, file)

    def text(self, text: str) -> str:
        return detokenize(text) if self._rebuild else text
