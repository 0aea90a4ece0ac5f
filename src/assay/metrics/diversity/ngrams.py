"""N-gram diversity as in GEM: distinct-n, unique-n, vocabulary size, entropy, conditional entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.bags import bag_sums, expected_types, ngram_bags
from assay.metrics.engine.base import Part, Values
from assay.metrics.engine.statistics import Floats, Rows
from assay.metrics.engine.word_metric import NOPUNCT, PLAIN, WordMetric
from assay.stats.resample import Resamples

ORDERS = (1, 2, 3)


@dataclass(frozen=True)
class Ngrams(WordMetric):
    """Computed over all outputs together; n-grams do not cross outputs. Entropies are in bits."""

    conditional: Literal["ngrams", "tokens"] = "ngrams"
    """Denominator of conditional entropies: the number of n-grams of each order (GEM) or of tokens (MultiWOZ)."""
    distinct_per: Literal["ngrams", "tokens"] = "ngrams"
    """Denominator of distinct-n: the number of n-grams or of tokens."""

    name: ClassVar = "ngrams"
    category: ClassVar = "diversity"
    summary: ClassVar = "diversity of the words and word n-grams of the outputs"
    citation: ClassVar = "Li et al. (2016); Gehrmann et al. (2021), The GEM Benchmark, section 5"
    size_dependent: ClassVar = True
    fewest: ClassVar = 30  # fewer outputs have too few n-grams that occur twice
    presets: ClassVar = {
        "multiwoz": {"tokenizer": "multiwoz", "conditional": "tokens"},
        "narrative": {"tokenizer": "narrative", "distinct_per": "tokens"},
    }

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

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        values: Values = {}
        for suffix, tokens in self.variants(rows, resamples.n):
            for name, value in self._values(bag_sums(tokens, len(ORDERS), resamples)).items():
                values[name + suffix] = value
        return values

    def expected(self, rows: Rows, items: int) -> dict[str, float]:
        means = {}
        for suffix, tokens in self.variants(rows):
            for n, bag in zip(ORDERS, ngram_bags(tokens, len(ORDERS)), strict=True):
                means[f"vocab-{n}{suffix}"], means[f"unique-{n}{suffix}"] = expected_types(bag, len(rows), items)
        return means

    def _values(self, orders: list[Floats]) -> Values:
        values: Values = {}
        tokens = orders[0][:, 0]
        for n, sums in zip(ORDERS, orders, strict=True):
            total, kinds, once, own = sums.T[:4]
            some = total > 0
            safe = np.where(some, total, 1.0)
            per = np.maximum(tokens, 1.0) if self.distinct_per == "tokens" else safe
            entropy = np.log2(safe) - own / safe
            values[f"distinct-{n}"] = np.where(some, kinds / per, 0.0)
            values[f"unique-{n}"] = once
            values[f"vocab-{n}"] = kinds
            values[f"entropy-{n}"] = np.where(some, entropy, np.nan)
            if n > 1:
                below = orders[n - 2]
                # Every (n-1)-gram begins an n-gram, unless its item ends there: sum of c(g) log2 c(prefix of g).
                cross = below[:, 3] - below[:, 5]
                if self.conditional == "tokens":
                    conditional = (cross - own) / np.maximum(tokens, 1.0)
                else:
                    # p(prefix) uses the counts of its own order, so the value may be negative.
                    conditional = entropy - (np.log2(np.maximum(below[:, 0], 1.0)) - cross / safe)
                values[f"cond_entropy-{n}"] = np.where(some, conditional, np.nan)
        return values

    def undefined(self, part: str) -> str:
        return "the outputs have no n-gram of this length"
