"""Which values of its input an output says: coverage, omissions, additions and the slot error rate."""

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
    """Values of slots, entities of triples and values of dialog acts that the output has, lacks, adds or repeats.

    A value counts as said if its words stand in the output, or one of the forms known for it does.
    """

    forms: str = ""
    """A JSON file of surface forms, {slot: {value: [form, ...]}}, instead of those of E2E that are known."""

    name: ClassVar = "slot_error"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "which values of the input the output says, leaves out or adds"
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
        """The forms that values are looked for in."""
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
        return "needs inputs with values to say (slots, triples or dialog acts)"

    def statistics(self, items: Items) -> Dense:
        table = self.table()
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            said = compare_values(example, output, table)
            counts = [len(said.expressed), len(said.missing), len(said.added), len(said.repeated)]
            if counts[0] + counts[1]:
                values[i] = *counts, not (counts[1] or counts[2]), 1
        return Dense(COLUMNS, values)

    def values(self, sums: Floats) -> Values:
        said, missing, added, repeated, whole, checked = sums.T
        slots = said + missing
        return {
            "slot_recall": divide(said, slots),
            "slot_error": divide(missing + added, slots),
            "slot_error.missing": divide(missing, slots),
            "slot_error.added": divide(added, slots),
            "slot_error.repeated": divide(repeated, slots),
            "slot_error.outputs": divide(checked - whole, checked),
        }

    def undefined(self, part: str) -> str:
        return "no input has a value to say"

    def notes(self, items: Items) -> list[str]:
        looked = list(zip(islice(items.examples, LOOKED_AT), items.outputs[:LOOKED_AT], strict=False))
        if looked and not self.forms and not latin([output for _, output in looked]):
            return ["slot_error: values in Latin letters cannot be found in outputs of another script; give forms=FILE"]
        return []
