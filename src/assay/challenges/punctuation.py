"""Delete the final punctuation mark of the source."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import msgspec

from assay.challenges.perturbation import Perturbation
from assay.records.types import Example


@dataclass(frozen=True)
class NoPunctuation(Perturbation):
    """Delete one mark, as GEM does: `Really?!` keeps its question mark."""

    name: ClassVar = "no-punctuation"
    about: ClassVar = "the final punctuation mark is deleted"
    changes: ClassVar = "the source"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def change(self, example: Example, draw: Random) -> Example | None:
        text = (example.source or "").rstrip()
        if not text or not unicodedata.category(text[-1]).startswith("P"):
            return None
        return msgspec.structs.replace(example, source=text[:-1])
