"""The n-gram diversity family of GEM: distinct-n, unique-n, vocabulary, entropy, conditional entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import bags
from assay.metrics.base import Part, Values
from assay.metrics.rows import Floats, Rows, Tokens
from assay.metrics.words import NOPUNCT, PLAIN, WordMetric
from assay.stats.resample import Draws

ORDERS = (1, 2, 3)
COUNT_CELLS = 8_000_000
"""How many n-gram counts are held at once while folding."""


@dataclass(frozen=True)
class Ngrams(WordMetric):
    """Over all outputs together; n-grams never cross from one output to the next."""

    name: ClassVar = "ngrams"
    category: ClassVar = "diversity"
    summary: ClassVar = "how varied the outputs' words and word sequences are"
    citation: ClassVar = "Li et al. (2016); Gehrmann et al. (2021), The GEM Benchmark, section 5"
    size_dependent: ClassVar = True

    def parts(self) -> tuple[Part, ...]:
        parts = []
        for suffix in (PLAIN, NOPUNCT):
            for n in ORDERS:
                seen = suffix == PLAIN and n == 2
                parts += [
                    Part(f"distinct-{n}{suffix}", shown=seen, digits=3),
                    Part(f"unique-{n}{suffix}", None, shown=False, digits=0, bounds=(0, None)),
                    Part(f"vocab-{n}{suffix}", None, shown=suffix == PLAIN and n == 1, digits=0, bounds=(0, None)),
                    Part(f"entropy-{n}{suffix}", shown=seen, bounds=(0, None)),
                ]
                if n > 1:
                    parts.append(Part(f"cond_entropy-{n}{suffix}", shown=False, bounds=(None, None)))
        return tuple(parts)

    def fold(self, rows: Rows, draws: Draws) -> Values:
        weights = draws.weights.astype(np.int32)
        values: Values = {}
        for suffix, tokens in self.variants(rows):
            orders = ngram_types(tokens)
            widest = max(order.size for order in orders) or 1
            block = max(1, COUNT_CELLS // widest)
            cuts = [weights[start : start + block] for start in range(0, len(weights), block)]
            folded = [_fold_orders(orders, cut) for cut in cuts]
            for key in folded[0]:
                values[key + suffix] = np.concatenate([part[key] for part in folded])
        return values

    def undefined(self, part: str) -> str:
        return "the outputs have no n-gram of this length"


class NgramTypes(NamedTuple):
    """One order: the type of each n-gram in turn, where each item's begin, and what each type begins with."""

    types: NDArray[np.int32]
    starts: NDArray[np.int64]
    prefix: NDArray[np.int32] | None
    size: int


def ngram_types(tokens: Tokens) -> list[NgramTypes]:
    """Number the n-grams of each order: a pair of (type of the first n-1 words, last word) is one integer."""
    kinds, types = np.unique(tokens.ids, return_inverse=True)
    orders = [NgramTypes(types.astype(np.int32), tokens.starts, None, len(kinds))]
    words = orders[0].types.astype(np.int64)
    width = max(len(kinds), 1)
    lengths = tokens.lengths()
    for n in ORDERS[1:]:
        below = orders[-1]
        shorter = np.maximum(lengths - (n - 2), 0)
        longer = np.maximum(lengths - (n - 1), 0)
        # every (n-1)-gram but the last of its item begins an n-gram
        begins = np.ones(len(below.types), dtype=bool)
        begins[(np.cumsum(shorter) - 1)[shorter > 0]] = False
        item_shift = np.repeat(tokens.starts[:-1], longer)
        starts = np.concatenate([[0], np.cumsum(longer)]).astype(np.int64)
        last = words[np.arange(starts[-1]) - np.repeat(starts[:-1], longer) + item_shift + (n - 1)]
        packed = below.types[begins].astype(np.int64) * width + last
        pairs, types = np.unique(packed, return_inverse=True)
        orders.append(NgramTypes(types.astype(np.int32), starts, (pairs // width).astype(np.int32), len(pairs)))
    return orders


def _fold_orders(orders: list[NgramTypes], weights: NDArray[np.int32]) -> Values:
    values: Values = {}
    below: NDArray[np.int32] | None = None
    total_below: Floats | None = None
    for n, order in zip(ORDERS, orders, strict=True):
        weights = np.ascontiguousarray(weights)
        sums, counts = bags.fold(order.types, order.starts, weights, order.size, order.prefix, below)
        total, kinds, once, own, cross = sums.T
        some = total > 0
        safe = np.where(some, total, 1.0)
        entropy = np.log2(safe) - own / safe
        values[f"distinct-{n}"] = np.where(some, kinds / safe, 0.0)
        values[f"unique-{n}"] = once
        values[f"vocab-{n}"] = kinds
        values[f"entropy-{n}"] = np.where(some, entropy, np.nan)
        if total_below is not None:
            # - sum p(g) log2 p(g) / p(prefix), the prefix counted with its own total: may fall below zero
            prefix = np.log2(np.maximum(total_below, 1.0)) - cross / safe
            values[f"cond_entropy-{n}"] = np.where(some, entropy - prefix, np.nan)
        below, total_below = counts, total
    return values
