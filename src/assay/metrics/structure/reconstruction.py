"""Reconstruction match: whether the input can be read back from the output, by a model that never sees the input."""

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
"""From where on a text is held to say what a label stands for."""
Pair = tuple[str, str]
"""Act and slot, and a value in plain words; an act without a value has an empty one."""


class Structure(NamedTuple):
    service: str
    acts: list[Act]

    @property
    def line(self) -> str:
        """The service and its acts in alphabetical order, as a model is given them."""
        return SEPARATOR.join((self.service, ", ".join(sorted(map(act_text, self.acts)))))

    @property
    def pairs(self) -> Counter[Pair]:
        """What is said, value by value, in no order."""
        return Counter(
            (f"{act.act} {act.slot or ''}".strip(), " ".join(plain_words(value)))
            for act in self.acts
            for value in act.values or [""]
        )


class Difference(NamedTuple):
    """What an output says otherwise than its input."""

    missing: list[Pair]
    invented: list[Pair]
    duplicated: list[Pair]
    """Values that the input has, and that are said more often than there."""


@dataclass(frozen=True)
class Reconstruction(SumMetric):
    """Share of outputs from which a trained extractor reads the very acts that their input has.

    `reconstruction` compares the written line, service and order of values included; `reconstruction.set` compares acts
    and values in plain words and in any order.
    """

    model: str = ""
    """The folder of an extractor that was trained on dialog acts (`assay system train extractor`), frozen for all
    systems."""

    name: ClassVar = "reconstruction"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "outputs from which the input can be read back"
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
            return "requires reconstruction:model=FOLDER, an extractor (`assay system train extractor`)"
        return Extractor(self.model).why_not()

    def unfit(self, items: Items) -> str | None:
        if any(structure_of(example) for example in islice(items.examples, LOOKED_AT)):
            return None
        return "needs inputs of kind acts: a service and its dialog acts"

    def compute(self, items: Items, context: Context) -> Dense:
        read = Extractor(self.model).extract(list(items.outputs), context)
        values = np.zeros((len(items), len(COLUMNS)))
        for i, (example, found) in enumerate(zip(items.examples, read, strict=True)):
            asked = structure_of(example)
            if asked is not None:
                said = reconstructed(found)
                differs = compare_structures(asked, said)
                counts = [len(kind) for kind in differs]
                values[i] = said.line == asked.line, not any(counts), *counts, asked.pairs.total(), 1
        return Dense(COLUMNS, values)

    def values(self, sums: Floats) -> Values:
        held = dict(zip(COLUMNS, sums.T, strict=True))
        return {
            "reconstruction": divide(held["exact"], held["count"]),
            "reconstruction.set": divide(held["same"], held["count"]),
            **{
                f"reconstruction.{kind}": divide(held[kind], held["asked"])
                for kind in ("missing", "invented", "duplicated")
            },
        }

    def undefined(self, part: str) -> str:
        return "no input has dialog acts"


def structure_of(example: Example) -> Structure | None:
    if not example.input or kind_of(example) != "acts":
        return None
    given = read_input(example, Acts)
    return Structure(given.service, list(given.acts)) if given.acts else None


def reconstructed(found: Sequence[ExtractedSpan]) -> Structure:
    """What an extractor read: values that belong to one act together, acts without one, and the likeliest service."""
    values: dict[str, list[str]] = {}
    said: list[str] = []
    services: dict[str, float] = {}
    for one in found:
        if one.start >= 0:
            values.setdefault(one.label, []).append(one.text)
        elif one.label.startswith(SERVICE):
            services[one.label.removeprefix(SERVICE)] = one.probability
        elif one.probability > LIKELY:
            said.append(one.label)
    acts = [_act(label, held) for label, held in values.items()]
    for text in said:
        act, _, rest = text.partition(" ")
        slot, _, value = rest.partition(" ")
        acts.append(Act(act, slot or None, [value] if value else []))
    return Structure(max(services, key=lambda name: services[name], default=""), acts)


def _act(label: str, values: list[str]) -> Act:
    act, _, slot = label.partition(" ")
    return Act(act, slot or None, values)


def compare_structures(asked: Structure, said: Structure) -> Difference:
    """Value by value: what is left out, made up, and said again."""
    extra = said.pairs - asked.pairs
    return Difference(
        list((asked.pairs - said.pairs).elements()),
        [pair for pair in extra.elements() if pair not in asked.pairs],
        [pair for pair in extra.elements() if pair in asked.pairs],
    )
