"""TurkCorpus: eight simplifications for each sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.datasets.base import Card, SplitFile
from assay.datasets.parallel import GOAL, ParallelReferences
from assay.text.detokenize import detokenize


@dataclass(frozen=True)
class Turk(ParallelReferences):
    name: ClassVar = "turk"
    count: ClassVar = 8
    form: Literal["detokenized", "tokenized"] = "detokenized"
    reference_names: ClassVar = (
        (re.compile(r"\.detok\.orig$"), ".detok.simp"),
        (re.compile(r"\.tok\.norm$"), ".tok.turk"),
    )
    card: ClassVar = Card(
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
        files="{tune,test}.truecase.detok.orig with .simp.0 to .7, or {tune,test}.8turkers.tok.norm with .turk.0 to .7",
        modifications=("detokenized; for the tokenized release form=detokenized (default) does the same by rule",),
        hub=("GEM/wiki_auto_asset_turk", None),
        hub_splits={"test_turk": "test"},
        notes=("the tokenized release is lower-case; form=tokenized keeps it as published",),
        citation="Xu et al.: Optimizing Statistical Machine Translation for Text Simplification (2016)",
    )

    @property
    def file_patterns(self) -> Mapping[str, tuple[str, ...]]:
        forms = ("8turkers.tok.norm",) if self.form == "tokenized" else ("truecase.detok.orig", "8turkers.tok.norm")
        folders = ("", "turkcorpus/", "data/turkcorpus/")
        return {
            split: tuple(f"{folder}{file}.{form}" for form in forms for folder in folders)
            for split, file in (("validation", "tune"), ("test", "test"))
        }

    def text(self, text: str, file: SplitFile) -> str:
        rebuild = ".tok." in file.path.name and self.form == "detokenized"
        return detokenize(text) if rebuild else text
