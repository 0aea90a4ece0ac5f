"""Metrics with weights from all references of the set (NIST, CIDEr): rows hold tokens, the fold computes the weights.

A subset has its own weights. Resamples keep the weights of the set that they are drawn from: weights of a resample
would reflect how often an item was drawn, not how common a word is.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import bags
from assay.metrics.engine.base import SumMetric
from assay.metrics.engine.layout import Layout, as_rows
from assay.metrics.engine.statistics import Floats, Rows, Tokens, expect
from assay.records.items import Items
from assay.version import VERSION


@dataclass(frozen=True)
class CorpusWeightedMetric(SumMetric):
    """A metric that computes dense rows from the tokens of all items (`weigh`) and a value from summed rows."""

    tokens: ClassVar[tuple[str, bool]] = ("gem", True)
    """Tokenizer, and whether texts are lower-cased."""
    weighed_together: ClassVar = True
    texts_in_rows: ClassVar = ("references",)

    @abstractmethod
    def weigh(self, rows: Tokens) -> Floats:
        """Return one dense row per item, with weights from all references."""

    def statistics(self, items: Items) -> Tokens:
        return as_rows(items, *self.tokens)

    def statistics_key(self) -> str:
        tokenizer, lower = self.tokens
        return f"pairs|tokenizer:{tokenizer}|case:{'lc' if lower else 'mixed'}|version:assay-{VERSION}"

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        return weighed(self, rows, n)


class Weighing(Protocol):
    """A metric that computes dense rows from tokens."""

    def weigh(self, rows: Tokens) -> Floats: ...
    def signature(self, nrefs: str) -> str: ...


def weighed(metric: Weighing, rows: Rows, n: int | None = None) -> Floats:
    """Return the dense rows, computed once for the same tokens; n checks the item count."""
    tokens = expect(rows, Tokens, n)
    return tokens.once(_key(metric), lambda: metric.weigh(tokens))


def already_weighed(metric: Weighing, rows: Rows, known: Floats) -> None:
    """Store the dense rows of these tokens, computed with the same references, for later calls of `weighed`."""
    expect(rows, Tokens).once(_key(metric), lambda: known)


def _key(metric: Weighing) -> str:
    return f"weighed {metric.signature('any')}"


class Orders:
    """The n-gram types of a layout, one order at a time."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.types = layout.ids.copy()
        self.size = layout.size
        self.prefix: NDArray[np.int32] = np.zeros(max(self.size, 1), dtype=np.int32)
        self.order = 1

    def next(self) -> None:
        """Advance to the n-grams of the next order."""
        self.order += 1
        self.prefix = bags.extend(self.types, self.layout.ids, self.layout.starts, self.order)
        self.size = len(self.prefix)
        if not self.size:
            self.prefix = np.zeros(1, dtype=np.int32)
