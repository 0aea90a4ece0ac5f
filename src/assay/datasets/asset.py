"""ASSET: ten simplifications for each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, gem_id
from assay.datasets.parallel import GOAL, ParallelReferences
from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.errors import AssayError
from assay.records import Judgement

RATINGS = "human_ratings/human_ratings.csv"
COLUMNS = ("original_sentence_id", "aspect", "worker_id", "rating")


class Asset(ParallelReferences):
    name: ClassVar = "asset"
    count: ClassVar = 10
    reference_names: ClassVar = ((re.compile(r"\.orig$"), ".simp"),)
    patterns: ClassVar = {
        "validation": ("asset.valid.orig", "dataset/asset.valid.orig"),
        "test": ("asset.test.orig", "dataset/asset.test.orig"),
    }
    card: ClassVar = Card(
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
        files="asset.{valid,test}.orig next to asset.{valid,test}.simp.0 to .9 of dataset/",
        hub=("GEM/wiki_auto_asset_turk", None),
        hub_splits={"test_asset": "test"},
        notes=(
            f"--judgements writes 4,500 ratings ({RATINGS}) of 100 simplifications by unnamed systems, by 15 annotators"
            " for each of fluency, meaning and simplicity, from 0 to 100",
        ),
        citation="Alva-Manchego et al.: ASSET (2020)",
    )

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        file = path if path.is_file() else path / RATINGS
        if not file.is_file():
            raise AssayError(f"{file}: not found; it contains the ratings of simplifications")
        return Report(self.name).checked(table_rows(file, COLUMNS), _rating)


def _rating(record: Record) -> Iterator[Judgement]:
    number, rating = record.text("original_sentence_id"), record.text("rating")
    for field, text in (("original_sentence_id", number), ("rating", rating)):
        if not text.isdecimal():
            raise record.bad(field, f"is not a number: {text[:20]!r}")
    yield Judgement(
        id=gem_id(Asset.name, "test", int(number)), system="sampled", annotator=record.text("worker_id"),
        criterion=record.text("aspect"), value=float(rating), method="slider",
    )  # fmt: skip
