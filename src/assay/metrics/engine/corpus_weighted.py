"""Metrics whose weights come from all references of the set: rows keep the tokens, the weights are made when folding.

The set is the rows at hand: a subset has its own weights. Resamples keep those of the set they are drawn from, since
a resample's weights would say how often an item was drawn rather than how common a word is.
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
    """Subclasses say how to get dense rows from the tokens of the set, and a value from summed rows."""

    tokens: ClassVar[tuple[str, bool]] = ("gem", True)
    """The tokenizer, and whether texts are lower-cased."""
    weighed_together: ClassVar = True

    @abstractmethod
    def weigh(self, rows: Tokens) -> Floats:
        """One dense row an item, with weights from all of them."""

    def statistics(self, items: Items) -> Tokens:
        return as_rows(items, *self.tokens)

    def statistics_key(self) -> str:
        tokenizer, lower = self.tokens
        return f"pairs|tokenizer:{tokenizer}|case:{'lc' if lower else 'mixed'}|version:assay-{VERSION}"

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        return weighed(self, rows, n)


class Weighing(Protocol):
    """What has rows of tokens to weigh."""

    def weigh(self, rows: Tokens) -> Floats: ...
    def signature(self, nrefs: str) -> str: ...


def weighed(metric: Weighing, rows: Rows, n: int | None = None) -> Floats:
    """The dense rows (if told, of so many items), made once for the same tokens."""
    tokens = expect(rows, Tokens, n)
    return tokens.once(_key(metric), lambda: metric.weigh(tokens))


def already_weighed(metric: Weighing, rows: Rows, known: Floats) -> None:
    """Say what the dense rows of these tokens are, to whoever will ask: they were weighed among the same references."""
    expect(rows, Tokens).once(_key(metric), lambda: known)


def _key(metric: Weighing) -> str:
    return f"weighed {metric.signature('any')}"


class Orders:
    """The types of n-grams of a layout, order after order; only one order is held."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.types = layout.ids.copy()
        self.size = layout.size
        self.prefix: NDArray[np.int32] = np.zeros(max(self.size, 1), dtype=np.int32)
        self.order = 1

    def next(self) -> None:
        self.order += 1
        self.prefix = bags.extend(self.types, self.layout.ids, self.layout.starts, self.order)
        self.size = len(self.prefix)
        if not self.size:
            self.prefix = np.zeros(1, dtype=np.int32)
