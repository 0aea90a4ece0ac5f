"""SARI: n-grams that a simplification adds, keeps and deletes, compared with source and references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics._kernels import sari as kernel
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.layout import words
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items

ORDER = 4
STEP = kernel.COLUMNS
ADD, KEEP, DELETE = 0, 3, 6
"""First column of each operation: correct, in the output, in the references."""
OPERATIONS = ("add", "keep", "delete")
PARTS = ("sari", *(f"sari.{operation}" for operation in OPERATIONS))
BY_ORDER = tuple(f"sari.{operation}-{n}" for operation in OPERATIONS for n in range(1, ORDER + 1))


@dataclass(frozen=True)
class Sari(SumMetric):
    """SARI in three definitions, which differ by whole points; the signature names the one used.

    `easse`: n-gram counts summed over all items, F1 for each operation; what simplification papers report.

    `huggingface`: mean of sentence scores, precision only for deletion, 0/0 is 1; also in GEM-metrics.

    `original`: the authors' first script: mean of sentence scores, precision only for deletion, 0/0 is 0, recall of
    kept n-grams as a mean over types.
    """

    variant: Literal["easse", "huggingface", "original"] = "easse"
    """Definition of SARI."""
    tokenizer: Literal["13a", "intl", "none"] = "13a"
    """Tokenizer, as in sacrebleu; `none` splits at white space."""
    lowercase: bool = True
    """Lower-case all texts."""
    by_order: bool = False
    """Also the score of each operation for n-grams of each length, as `sari.add-1`."""

    name: ClassVar = "sari"
    extent: ClassVar = ("by_order",)
    category: ClassVar = "simplification"
    summary: ClassVar = "quality of the words that a simplification adds, keeps and deletes"
    citation: ClassVar = "Xu et al. (2016); Alva-Manchego et al. (2019), EASSE"
    needs: ClassVar = ("references", "sources")
    presets: ClassVar = {
        "gem": {"variant": "huggingface"},
        "xu2016": {"variant": "original", "tokenizer": "none"},
    }

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, shown=name not in PARTS[1:], digits=1, bounds=(0.0, 100.0)) for name in self.names)

    @property
    def names(self) -> tuple[str, ...]:
        return PARTS + BY_ORDER if self.by_order else PARTS

    def columns(self) -> tuple[str, ...]:
        if self.variant != "easse":
            return (*self.names, "count")
        names = [f"{op}-{kind}" for op in OPERATIONS for kind in ("correct", "output", "reference")]
        return tuple(f"{name}-{n}" for n in range(1, ORDER + 1) for name in names)

    def statistics_key(self) -> str:
        return self.signature("any") + "|by_order" * self.by_order

    def statistics(self, items: Items) -> Dense:
        layout = words(items, self.tokenizer, self.lowercase, sources=True)
        if self.variant != "easse":
            layout = layout.filled()  # those scripts split at spaces, so an empty text is one empty word
        table = kernel.sari(layout.ids, layout.starts, layout.first, ORDER).reshape(len(items), ORDER, STEP)
        if self.variant == "easse":
            return Dense(self.columns(), np.ascontiguousarray(table[:, :, :9]).reshape(len(items), -1))
        scores = _sentence_scores(table, 1.0 if self.variant == "huggingface" else 0.0)
        return Dense(self.columns(), np.column_stack([*(scores[name] for name in self.names), np.ones(len(items))]))

    def values(self, sums: Floats) -> Values:
        if self.variant != "easse":
            return {name: divide(sums[:, k], sums[:, -1]) for k, name in enumerate(self.names)}
        table = sums.reshape(len(sums), ORDER, 9)
        scores = _assemble(*(_f1(table[:, :, at : at + 3]) for at in (ADD, KEEP, DELETE)))
        return {name: scores[name] for name in self.names}


def _assemble(*orders: Floats) -> Values:
    """Return all scores from those of adding, keeping and deleting, each with a row per item and a column per order."""
    add, keep, delete = (each.mean(axis=1) for each in orders)
    single = [each[:, n] for each in orders for n in range(ORDER)]
    scores = ((add + keep + delete) / 3, add, keep, delete, *single)
    return {name: 100 * score for name, score in zip(PARTS + BY_ORDER, scores, strict=True)}


def _f(precision: Floats, recall: Floats) -> Floats:
    return divide(2 * precision * recall, precision + recall, 0.0)


def _f1(sums: Floats) -> Floats:
    """Return F1 from the counts correct, in the output and in the references; 0/0 is 0."""
    correct, output, reference = sums[..., 0], sums[..., 1], sums[..., 2]
    return _f(divide(correct, output, 0.0), divide(correct, reference, 0.0))


def _sentence_scores(table: Floats, empty: float) -> Values:
    """Return the scores of each item by the definitions `huggingface` and `original`."""
    columns = np.moveaxis(table, -1, 0)
    add = _f(divide(columns[0], columns[1], empty), divide(columns[0], columns[2], empty))
    kept_precision = divide(columns[9], columns[10], empty)
    # `huggingface` uses the corrected formula: matches over n-grams that could have been kept.
    kept_recall = divide(columns[3], columns[5], empty) if empty else divide(columns[11], columns[12], empty)
    keep = _f(kept_precision, kept_recall)
    delete = divide(columns[13], columns[14], empty)
    return _assemble(add, keep, delete)
