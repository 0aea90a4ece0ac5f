"""Slot error rate: values of the input that an output expresses, omits, adds or repeats."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.structure.slot_forms import Forms, e2e_forms, read_forms
from assay.metrics.structure.slot_values import compare_values, has_values
from assay.records.files import read_text
from assay.records.items import Items
from assay.text.tokenize import latin

COLUMNS = ("said", "missing", "added", "repeated", "whole", "checked")
LOOKED_AT = 100


@dataclass(frozen=True)
class SlotError(SumMetric):
    """Share of the input values that the outputs express, omit, add or repeat.

    Values are those of slots and dialogue acts and the entities of triples. A value counts as expressed if its words or
    one of its known surface forms occur in the output. `slot_error` is the sum of missing and added values over all
    values; `slot_error.outputs` is the share of outputs with an error.
    """

    forms: str = ""
    """JSON file of surface forms, {slot: {value: [form, ...]}}; empty takes the built-in forms of E2E."""

    name: ClassVar = "slot_error"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "values of the input that the output expresses, omits or adds"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = (
        "Wen et al. (2015), Semantically Conditioned LSTM-based NLG; Dušek et al. (2019), Semantic Noise Matters; "
        "the matching is our own"
    )

    def parts(self) -> tuple[Part, ...]:
        def share(name: str, better: Any, shown: bool, high: float | None = 1.0) -> Part:
            return Part(name, better, shown, scale=100, digits=1, bounds=(0.0, high))

        return (
            share("slot_recall", "higher", True),
            share("slot_error", "lower", True, None),
            share("slot_error.missing", "lower", False),
            share("slot_error.added", "lower", True, None),
            share("slot_error.repeated", "lower", False),
            share("slot_error.outputs", "lower", False),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return {"forms": content_digest(lambda: [read_text(Path(self.forms))]) if self.forms else "e2e"}

    def table(self) -> Forms:
        """Return the surface forms of the values."""
        return read_forms(self.forms) if self.forms else e2e_forms()

    def why_not(self) -> str | None:
        try:
            self.table()
        except (AssayError, OSError) as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        if any(map(has_values, islice(items.examples, LOOKED_AT))):
            return None
        return "needs inputs with values (slots, triples or dialogue acts)"

    def statistics(self, items: Items) -> Dense:
        table = self.table()
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            comparison = compare_values(example, output, table)
            counts = [
                len(comparison.expressed),
                len(comparison.missing),
                len(comparison.added),
                len(comparison.repeated),
            ]
            if counts[0] + counts[1]:
                values[i] = *counts, not (counts[1] or counts[2]), 1
        return Dense(COLUMNS, values)

    def values(self, sums: Floats) -> Values:
        expressed, missing, added, repeated, whole, checked = sums.T
        slots = expressed + missing
        return {
            "slot_recall": divide(expressed, slots),
            "slot_error": divide(missing + added, slots),
            "slot_error.missing": divide(missing, slots),
            "slot_error.added": divide(added, slots),
            "slot_error.repeated": divide(repeated, slots),
            "slot_error.outputs": divide(checked - whole, checked),
        }

    def undefined(self, part: str) -> str:
        return "no input has a value to express"

    def notes(self, items: Items) -> list[str]:
        looked = list(zip(islice(items.examples, LOOKED_AT), items.outputs[:LOOKED_AT], strict=False))
        if looked and not self.forms and not latin([output for _, output in looked]):
            return ["slot_error: values in Latin script cannot be found in outputs of another script. Give forms=FILE."]
        return []
