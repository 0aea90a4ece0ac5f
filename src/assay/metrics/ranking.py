"""How high the gold candidates rank: average precision, recall at 10, reciprocal rank, beside what chance gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.base import MeanMetric, Part
from assay.metrics.statistics import Dense
from assay.records.items import Items
from assay.records.ranked_candidates import scores_of
from assay.records.types import Example


def gold_ranks(scores: Sequence[float], labels: Sequence[int]) -> list[int]:
    """Ranks (from 1) of the gold candidates, best first; of equal scores the first listed ranks higher."""
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return [rank for rank, i in enumerate(order, 1) if labels[i]]


def measures(ranks: Sequence[int], cut: int = 10) -> dict[str, float]:
    """The six measures of one ranking from its gold ranks."""
    found = sum(rank <= cut for rank in ranks)
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= cut)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), cut) + 1))
    return {
        "map": sum(i / rank for i, rank in enumerate(ranks, 1)) / len(ranks),
        "recall@10": found / len(ranks),
        "mrr": 1 / ranks[0],
        "precision@10": found / cut,
        "ndcg@10": gain / ideal,
        "reciprocal_mean_rank": len(ranks) / sum(ranks),
    }


def tied_average_precision(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Average precision expected when equal scores are ordered by chance."""
    pairs = sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])
    before = gold_before = 0
    total = 0.0
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        marks = [label for _, label in group]
        size, gold = len(marks), sum(marks)
        for place in range(1, size + 1):
            others = (place - 1) * (gold - 1) / (size - 1) if size > 1 else 0.0
            total += gold / size * (gold_before + 1 + others) / (before + place)
        before += size
        gold_before += gold
    return total / gold_before


def chance_average_precision(gold: int, size: int) -> float:
    """E[AP] of a random order of `size` candidates of which `gold` are right."""
    if size == gold:
        return 1.0
    harmonic = sum(1 / k for k in range(1, size + 1))
    return (gold - 1) / (size - 1) + (size - gold) / (size - 1) * harmonic / size


def chance_reciprocal_rank(gold: int, size: int) -> float:
    """E[1 / rank of the first gold] of a random order."""
    return sum(math.comb(size - k, gold - 1) / k for k in range(1, size - gold + 2)) / math.comb(size, gold)


@dataclass(frozen=True)
class Ranking(MeanMetric):
    """Means over rankings. `map.ties` is what average precision would be if ties were broken by chance."""

    name: ClassVar = "ranking"
    category: ClassVar = "semantic"
    summary: ClassVar = "how high the gold candidates rank"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "Jumel, Louis, Cheung (2020), TESA, section 5"

    def parts(self) -> tuple[Part, ...]:
        shown = [Part(name, digits=3) for name in ("map", "recall@10", "mrr")]
        hidden = ("precision@10", "ndcg@10", "reciprocal_mean_rank", "map.ties")
        chance = ("map.chance", "recall@10.chance", "mrr.chance")
        rest = [Part(name, shown=False, digits=3) for name in hidden]
        return (*shown, *rest, *(Part(name, None, shown=False, digits=3) for name in chance))

    def statistics(self, items: Items) -> Dense:
        columns: dict[str, list[float]] = {part.name: [] for part in self.parts()}
        for example, output in zip(items.examples, items.outputs, strict=True):
            scores, labels = read_ranking(example, output)
            gold, size = sum(labels), len(labels)
            values = measures(gold_ranks(scores, labels)) | {
                "map.ties": tied_average_precision(scores, labels),
                "map.chance": chance_average_precision(gold, size),
                "recall@10.chance": min(1.0, 10 / size),
                "mrr.chance": chance_reciprocal_rank(gold, size),
            }
            for name, value in values.items():
                columns[name].append(value)
        return self.rows({name: np.array(values, dtype=np.float64) for name, values in columns.items()})

    def notes(self, items: Items) -> list[str]:
        tied = pairs = 0
        for example, output in zip(items.examples, items.outputs, strict=True):
            scores, _ = read_ranking(example, output)
            counts = [scores.count(score) for score in set(scores)]
            tied += sum(math.comb(count, 2) for count in counts)
            pairs += math.comb(len(scores), 2)
        share = tied / pairs if pairs else 0.0
        return [f"{share:.0%} of candidate pairs are tied; read map.ties"] if share > 0.2 else []


def read_ranking(example: Example, output: str) -> tuple[list[float], list[int]]:
    """Scores and labels of one ranking, in the order of the candidates."""
    given = example.input or {}
    candidates, labels = given.get("candidates"), given.get("labels")
    if not isinstance(candidates, list) or not isinstance(labels, list) or not any(labels):
        raise AssayError(f"id {example.id}: no candidates with gold labels in its input")
    try:
        return scores_of(output, candidates), [int(label) for label in labels]
    except AssayError as error:
        raise AssayError(f"id {example.id}: {error}") from None
