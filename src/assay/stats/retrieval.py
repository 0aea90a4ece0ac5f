"""Ranking measures (average precision, recall, reciprocal rank, nDCG), and their values at chance level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby


def gold_ranks(scores: Sequence[float], labels: Sequence[int]) -> list[int]:
    """Return the ranks (from 1) of the gold candidates; of equal scores the first listed ranks higher."""
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return [rank for rank, i in enumerate(order, 1) if labels[i]]


def average_precision(ranks: Sequence[int], wanted: int) -> float:
    """Return the mean precision at these ranks; missing candidates of the `wanted` ones count as 0."""
    return sum(i / rank for i, rank in enumerate(ranks, 1)) / wanted


def measures(ranks: Sequence[int], cut: int = 10) -> dict[str, float]:
    """Return six measures of one ranking from its gold ranks."""
    hits = sum(rank <= cut for rank in ranks)
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= cut)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), cut) + 1))
    return {
        "map": average_precision(ranks, len(ranks)),
        "recall@10": hits / len(ranks),
        "mrr": 1 / ranks[0],
        "precision@10": hits / cut,
        "ndcg@10": gain / ideal,
        "reciprocal_mean_rank": len(ranks) / sum(ranks),
    }


def tied_average_precision(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Return the expected average precision if candidates with equal scores are in random order."""
    pairs = sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])
    before = gold_before = 0
    total = 0.0
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        marks = [label for _, label in group]
        size, gold = len(marks), sum(marks)
        for rank in range(1, size + 1):
            others = (rank - 1) * (gold - 1) / (size - 1) if size > 1 else 0.0
            total += gold / size * (gold_before + 1 + others) / (before + rank)
        before += size
        gold_before += gold
    return total / gold_before


def chance_average_precision(gold: int, size: int) -> float:
    """Return the expected average precision of a random order of `size` candidates with `gold` correct ones."""
    if size == gold:
        return 1.0
    harmonic = sum(1 / k for k in range(1, size + 1))
    return (gold - 1) / (size - 1) + (size - gold) / (size - 1) * harmonic / size


def chance_reciprocal_rank(gold: int, size: int) -> float:
    """Return the expected reciprocal rank of the first gold candidate in a random order."""
    return sum(math.comb(size - k, gold - 1) / k for k in range(1, size - gold + 2)) / math.comb(size, gold)
