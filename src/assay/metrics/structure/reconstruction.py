"""Reconstruction: whether an extractor recovers the dialogue acts of the input from the output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.inputs.acts import SEPARATOR, act_text
from assay.inputs.labelled import SERVICE
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.context import Context
from assay.models.extractor import ExtractedSpan, Extractor
from assay.records.inputs import kind_of, read_input
from assay.records.items import Items
from assay.records.kinds import Act, Acts
from assay.records.types import Example
from assay.text.phrases import plain_words

COLUMNS = ("exact", "same", "missing", "invented", "duplicated", "asked", "count")
LOOKED_AT = 100
LIKELY = 0.5
"""Probability above which a label of a whole text applies."""
Pair = tuple[str, str]
"""Act with slot, and a normalised value; empty for an act without a value."""


class Structure(NamedTuple):
    service: str
    acts: list[Act]

    @property
    def line(self) -> str:
        """The service and its acts in alphabetical order, as in the input of a model."""
        return SEPARATOR.join((self.service, ", ".join(sorted(map(act_text, self.acts)))))

    @property
    def pairs(self) -> Counter[Pair]:
        """Acts and values without order."""
        return Counter(
            (f"{act.act} {act.slot or ''}".strip(), " ".join(plain_words(value)))
            for act in self.acts
            for value in act.values or [""]
        )


class Difference(NamedTuple):
    """Differences between an output and its input."""

    missing: list[Pair]
    invented: list[Pair]
    duplicated: list[Pair]
    """Values that occur more often than in the input."""


@dataclass(frozen=True)
class Reconstruction(SumMetric):
    """Share of outputs from which a trained extractor recovers exactly the dialogue acts of their input.

    `reconstruction` compares the serialised acts, service and order of values included; `reconstruction.set` compares
    normalised acts and values in any order. `reconstruction.missing`, `.invented` and `.duplicated` are the errors
    relative to the number of values in the inputs.
    """

    model: str = ""
    """The folder of an extractor that was trained on dialog acts (`assay system train extractor`), frozen for all
    systems."""

    name: ClassVar = "reconstruction"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of outputs from which the input can be reconstructed"
    needs: ClassVar = ("inputs",)
    citation: ClassVar = "Bakshi et al. (2021), Structure-to-Text Generation with Self-Training"

    def parts(self) -> tuple[Part, ...]:
        whole = [Part(name, scale=100, digits=1) for name in ("reconstruction", "reconstruction.set")]
        errors = [
            Part(f"reconstruction.{kind}", "lower", shown=False, scale=100, digits=1, bounds=(0.0, None))
            for kind in ("missing", "invented", "duplicated")
        ]
        return *whole, *errors

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return {"model": Extractor(self.model).label if self.model and not self.why_not() else ""}

    def why_not(self) -> str | None:
        if not self.model:
            return "needs an extractor. Give reconstruction:model=FOLDER (of `assay system train extractor`)."
        return Extractor(self.model).why_not()

    def unfit(self, items: Items) -> str | None:
        if any(structure_of(example) for example in islice(items.examples, LOOKED_AT)):
            return None
        return "needs inputs of kind acts (a service and its dialogue acts)"

    def compute(self, items: Items, context: Context) -> Dense:
        read = Extractor(self.model).extract(list(items.outputs), context)
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, spans) in enumerate(zip(items.examples, read, strict=True)):
            wanted = structure_of(example)
            if wanted is not None:
                recovered = reconstructed(spans)
                differs = compare_structures(wanted, recovered)
                counts = [len(kind) for kind in differs]
                values[i] = recovered.line == wanted.line, not any(counts), *counts, wanted.pairs.total(), 1
        return Dense(COLUMNS, values)

    def values(self, sums: Floats) -> Values:
        column = dict(zip(COLUMNS, sums.T, strict=True))
        return {
            "reconstruction": divide(column["exact"], column["count"]),
            "reconstruction.set": divide(column["same"], column["count"]),
            **{
                f"reconstruction.{kind}": divide(column[kind], column["asked"])
                for kind in ("missing", "invented", "duplicated")
            },
        }

    def undefined(self, part: str) -> str:
        return "no input has dialogue acts"


def structure_of(example: Example) -> Structure | None:
    if not example.input or kind_of(example) != "acts":
        return None
    acts = read_input(example, Acts)
    return Structure(acts.service, list(acts.acts)) if acts.acts else None


def reconstructed(spans: Sequence[ExtractedSpan]) -> Structure:
    """Return the structure of extracted spans: values grouped by act, acts without values, the most probable
    service."""
    values: dict[str, list[str]] = {}
    labels: list[str] = []
    services: dict[str, float] = {}
    for one in spans:
        if one.start >= 0:
            values.setdefault(one.label, []).append(one.text)
        elif one.label.startswith(SERVICE):
            services[one.label.removeprefix(SERVICE)] = one.probability
        elif one.probability > LIKELY:
            labels.append(one.label)
    acts = [_act(label, values_of_act) for label, values_of_act in values.items()]
    for text in labels:
        act, _, rest = text.partition(" ")
        slot, _, value = rest.partition(" ")
        acts.append(Act(act, slot or None, [value] if value else []))
    return Structure(max(services, key=lambda name: services[name], default=""), acts)


def _act(label: str, values: list[str]) -> Act:
    act, _, slot = label.partition(" ")
    return Act(act, slot or None, values)


def compare_structures(wanted: Structure, recovered: Structure) -> Difference:
    """Return the missing, invented and duplicated values."""
    extra = recovered.pairs - wanted.pairs
    return Difference(
        list((wanted.pairs - recovered.pairs).elements()),
        [pair for pair in extra.elements() if pair not in wanted.pairs],
        [pair for pair in extra.elements() if pair in wanted.pairs],
    )
