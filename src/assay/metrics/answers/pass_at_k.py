"""pass@k: the probability that at least one of k samples of a problem is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from assay.metrics.answers.exact_match import ExactMatch, Match
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.records.items import Items
from assay.records.types import Example

SHARD = 10_000
"""Items that are scored at once; the samples of a problem must be among the same ones."""


@dataclass(frozen=True)
class PassAtK(MeanMetric):
    """Unbiased estimate from n samples of a problem, c of them right: 1 - C(n - c, k) / C(n, k), mean over problems.
    Samples of one problem are items with the same `parent`; the first has the id that the others name as theirs. A
    sample is right by [exact_match](exact_match.md). Problems with fewer than k samples do not count."""

    k: int = 1
    """Number of samples, of which one has to be right."""
    match: Match = "auto"
    """How an answer is compared: option `match` of exact_match."""

    name: ClassVar = "pass_at_k"
    category: ClassVar = "lexical"
    summary: ClassVar = "probability that one of k samples is right"
    citation: ClassVar = "Chen et al. (2021), Evaluating Large Language Models Trained on Code"
    by_system: ClassVar = True

    def __post_init__(self) -> None:
        self.require("k", 1, 10_000)

    def parts(self) -> tuple[Part, ...]:
        return (Part("pass_at_k", scale=100, digits=1),)

    def statistics(self, items: Items) -> Dense:
        judge = ExactMatch(match=self.match)
        right = judge.statistics(items).values[:, 0]
        scores, counted = np.zeros(len(items)), np.zeros(len(items))
        for members in _problems(items.examples):
            n, c = len(members), int(right[members].sum())
            if n >= self.k:
                scores[members[0]] = 1 - comb(n - c, self.k) / comb(n, self.k)
                counted[members[0]] = 1
        return self.rows({"pass_at_k": scores}, counted)

    def unfit(self, items: Items) -> str | None:
        sizes = [len(members) for members in _problems(items.bare)]
        if max(sizes, default=0) < self.k:
            return f"no problem has {self.k} samples; link samples of one problem by parent"
        split = any(members[0] // SHARD != members[-1] // SHARD for members in _problems(items.bare))
        return f"samples of one problem are more than {SHARD:,} items apart; sort them by problem" if split else None

    def notes(self, items: Items) -> list[str]:
        sizes = [len(members) for members in _problems(items.bare)]
        few = sum(size < self.k for size in sizes)
        return (
            [f"pass_at_k: {few} of {len(sizes)} problems have fewer than {self.k} samples; not counted"] if few else []
        )


def _problems(examples: Sequence[Example]) -> list[list[int]]:
    """Return the positions of the samples of each problem."""
    groups: dict[str, list[int]] = {}
    for i, example in enumerate(examples):
        groups.setdefault(example.parent or example.id, []).append(i)
    return list(groups.values())
