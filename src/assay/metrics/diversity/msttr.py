"""MSTTR: mean type-token ratio of segments of equal length, which does not depend on text length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import streams
from assay.metrics.engine import spill
from assay.metrics.engine.bags import lay
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Rows, Tokens
from assay.metrics.engine.word_metric import NOPUNCT, WordMetric
from assay.stats.resample import Resamples

TOGETHER = 16
"""Number of resamples from which on reading the texts once for 64 of them is faster."""


@dataclass(frozen=True)
class Msttr(WordMetric):
    """All outputs in order form one stream of tokens, which is divided into segments; the last, incomplete segment is
    ignored. The value depends on the order of the items: a resample is the stream of its items in the order in which
    they were drawn."""

    segment: int = 100
    """Number of tokens per segment."""

    name: ClassVar = "msttr"
    category: ClassVar = "diversity"
    summary: ClassVar = "mean type-token ratio of segments of 100 tokens"
    citation: ClassVar = "Johnson (1944); Gehrmann et al. (2021), The GEM Benchmark, section 5"
    presets: ClassVar = {"multiwoz": {"tokenizer": "multiwoz", "segment": 50}}
    ordered: ClassVar = True  # leaving out an item shifts all later segments
    size_dependent: ClassVar = True  # a resample repeats items, which lowers the ratio of their segments

    def __post_init__(self) -> None:
        self.require("segment", 1, 10**9)

    def parts(self) -> tuple[Part, ...]:
        # segments have the same length in sets of any size
        return Part("msttr", digits=3, sized=False), Part("msttr" + NOPUNCT, shown=False, digits=3, sized=False)

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        values: Values = {}
        for suffix, tokens in self.variants(rows, resamples.n):
            segments, different = self._segments(tokens, resamples).T
            with np.errstate(invalid="ignore"):
                values["msttr" + suffix] = different / np.where(segments, segments * self.segment, np.nan)
        return values

    def _segments(self, tokens: Tokens, resamples: Resamples) -> NDArray[np.int64]:
        kinds = len(tokens.vocabulary)
        if tokens.large and resamples.is_all_items:
            return self._segments_of_all(tokens)
        if len(resamples) >= TOGETHER and resamples.is_sorted:
            laid = lay(resamples)
            return streams.segments_in_order(tokens.ids, tokens.starts, laid.lanes, len(resamples), self.segment, kinds)
        indices = np.ascontiguousarray(resamples.indices, dtype=np.int64)
        return streams.segments(tokens.ids, tokens.starts, indices, self.segment, kinds)

    def _segments_of_all(self, tokens: Tokens) -> NDArray[np.int64]:
        """Count over all items in order, with a few million tokens in memory at a time."""
        step = max(1, spill.BLOCK // self.segment) * self.segment
        counts = np.zeros((1, 2), dtype=np.int64)
        for begin in range(0, len(tokens.ids), step):
            ids = np.array(tokens.ids[begin : begin + step])
            spill.release_pages(tokens.ids)
            stream = np.array([0, len(ids)])
            counts += streams.segments(ids, stream, np.zeros((1, 1), np.int64), self.segment, len(tokens.vocabulary))
        return counts

    def undefined(self, part: str) -> str:
        return f"the outputs have fewer than {self.segment} tokens in total"
