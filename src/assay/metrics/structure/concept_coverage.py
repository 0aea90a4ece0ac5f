"""Concept coverage: share of the required concepts that an output uses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.inputs import kind_of, read_input
from assay.records.items import Items
from assay.records.kinds import Concepts
from assay.records.types import Example
from assay.text.english import stem
from assay.text.tokenize import unicode_words

COLUMNS = ("used", "concepts", "whole", "count")
LOOKED_AT = 100


@dataclass(frozen=True)
class ConceptCoverage(SumMetric):
    """Share of the concepts of the inputs that occur in the outputs as whole words, ignoring case.

    `concept_coverage.outputs` is the share of outputs that use all their concepts.
    """

    forms: Literal["exact", "stems"] = "exact"
    """Match: the concept as written, or any word with the same English stem (dances, danced for dance)."""

    name: ClassVar = "concept_coverage"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the input's concepts that the output uses"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "Lin et al. (2020), CommonGen; Shvets (2021), System Description for CommonGen with POINTER"

    def parts(self) -> tuple[Part, ...]:
        return Part("concept_coverage", digits=3), Part("concept_coverage.outputs", shown=False, digits=3)

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def unfit(self, items: Items) -> str | None:
        if any(concepts_of(example) for example in islice(items.examples, LOOKED_AT)):
            return None
        return "needs inputs of kind concepts (the words that an output must use)"

    def statistics(self, items: Items) -> Dense:
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            concepts = concepts_of(example)
            if concepts:
                used = len(concepts) - len(self.missing(concepts, output))
                values[i] = used, len(concepts), used == len(concepts), 1
        return Dense(COLUMNS, values)

    def missing(self, concepts: list[str], output: str) -> list[str]:
        """Return the concepts that an output does not use; a concept of several words must occur contiguously."""
        text = f" {' '.join(self._words(output))} "
        return [concept for concept in concepts if f" {' '.join(self._words(concept))} " not in text]

    def _words(self, text: str) -> list[str]:
        words = unicode_words(text)
        return [stem(word) for word in words] if self.forms == "stems" else words

    def values(self, sums: Floats) -> Values:
        used, concepts, whole, count = sums.T
        return {"concept_coverage": divide(used, concepts), "concept_coverage.outputs": divide(whole, count)}

    def undefined(self, part: str) -> str:
        return "no input has a concept"


def concepts_of(example: Example) -> list[str]:
    """Return the distinct concepts of an input; empty for other kinds of input."""
    if not example.input or kind_of(example) != "concepts":
        return []
    return [concept for concept in dict.fromkeys(read_input(example, Concepts).concepts) if unicode_words(concept)]
