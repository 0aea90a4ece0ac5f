"""Ranking of candidates: average precision, recall at 10, reciprocal rank, and their chance levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.records.inputs import Candidates, read_input
from assay.records.items import Items
from assay.records.ranked_candidates import scores_of
from assay.records.types import Example
from assay.stats.retrieval import (
    chance_average_precision,
    chance_reciprocal_rank,
    gold_ranks,
    measures,
    tied_average_precision,
)


@dataclass(frozen=True)
class Ranking(MeanMetric):
    """Mean average precision, recall at 10, mean reciprocal rank and other ranking measures, averaged over rankings.

    `map.ties` is the expected average precision if ties are broken at random. `map.chance`, `recall@10.chance` and
    `mrr.chance` are the expected values of a random ranking.
    """

    name: ClassVar = "ranking"
    category: ClassVar = "semantic"
    summary: ClassVar = "rank of the gold candidates"
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
        return [f"{share:.0%} of candidate pairs are tied: report map.ties"] if share > 0.2 else []


def read_ranking(example: Example, output: str) -> tuple[list[float], list[int]]:
    """Return scores and labels of one ranking, in the order of the candidates."""
    ranking = read_input(example, Candidates)
    try:
        return scores_of(output, ranking.candidates), [int(label) for label in ranking.labels]
    except AssayError as error:
        raise AssayError(f"id {example.id}: {error}") from None
