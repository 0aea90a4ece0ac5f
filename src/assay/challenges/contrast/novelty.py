"""Novelty of a reference relative to its source, in bins of equal size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags
from assay.records.types import Example
from assay.text.tokenize import unicode_words


@dataclass(frozen=True)
class Novelty(Contrast):
    """Bins have equal numbers of items where possible; ties are broken by id."""

    bins: int = 11
    """Number of bins."""
    n: int = 2
    """Length of the n-grams that are looked up in the source."""

    name: ClassVar = "novelty"
    about: ClassVar = "how much of the first reference is not in the source"
    gives: ClassVar = "novelty: 0 (the least) to bins - 1"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def __post_init__(self) -> None:
        self.require("bins", 2)
        self.require("n", 1, 9)

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        known = [(self._new(one), one.id, i) for i, one in enumerate(examples) if one.source and one.references]
        tagged: list[Tags] = [{} for _ in examples]
        for rank, (_, _, place) in enumerate(sorted(known)):
            tagged[place] = {"novelty": str(rank * self.bins // len(known))}
        return tagged

    def _new(self, example: Example) -> float:
        """Return the share of n-grams of the reference that are not in the source."""
        own, source = (self._grams(text) for text in (example.references[0], example.source or ""))
        return sum(gram not in source for gram in own) / len(own) if own else 0.0

    def _grams(self, text: str) -> set[tuple[str, ...]]:
        words = unicode_words(text.lower())
        return {tuple(words[i : i + self.n]) for i in range(len(words) - self.n + 1)}
