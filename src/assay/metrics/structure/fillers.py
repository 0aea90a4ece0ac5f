"""Filler recall: share of the fillers of an event template that an output mentions, in total and by role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.records.inputs import kind_of, read_input
from assay.records.items import Items
from assay.records.kinds import Event
from assay.records.types import Example
from assay.text.english import without_articles

ROLES = ("perpind", "perporg", "target", "victim", "weapon")
"""Roles whose fillers are entities; date and location are separate scores."""
MORE = ("date", "location")


def mentioned(example: Example, output: str) -> dict[str, list[tuple[str, bool]]]:
    """Return the fillers of each role, and whether the output contains them as whole words; empty for other inputs."""
    event = read_input(example, Event) if example.input and kind_of(example) in ("", "event") else Event()
    text = f" {without_articles(output)} "
    return {
        role: [(filler, f" {bare} " in text) for filler in event.fillers(role) if (bare := without_articles(filler))]
        for role in (*ROLES, *MORE)
    }


@dataclass(frozen=True)
class FillerRecall(SumMetric):
    """Share of the fillers of the templates that occur verbatim in the outputs. Hallucinated entities are not
    detected."""

    name: ClassVar = "filler_recall"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the event template's fillers that the output mentions"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "our approximation of CEAF-REE recall without an extractor"

    def parts(self) -> tuple[Part, ...]:
        whole = Part("filler_recall", scale=100, digits=1)
        return whole, *(Part(f"filler_recall.{role}", shown=False, scale=100, digits=1) for role in (*ROLES, *MORE))

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{kind} {role}" for role in (*ROLES, *MORE) for kind in ("found", "all"))

    def statistics(self, items: Items) -> Dense:
        values = np.zeros((len(items), len(self.columns())))
        for i, (example, output) in enumerate(zip(items.examples, items.outputs, strict=True)):
            for j, fillers in enumerate(mentioned(example, output).values()):
                values[i, 2 * j : 2 * j + 2] = sum(hit for _, hit in fillers), len(fillers)
        return Dense(self.columns(), values)

    def values(self, sums: Floats) -> Values:
        last = 2 * len(ROLES)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = {"filler_recall": sums[:, 0:last:2].sum(axis=1) / sums[:, 1:last:2].sum(axis=1)}
            for j, role in enumerate((*ROLES, *MORE)):
                values[f"filler_recall.{role}"] = sums[:, 2 * j] / sums[:, 2 * j + 1]
        return values

    def undefined(self, part: str) -> str:
        return "no template has a filler for this role"
