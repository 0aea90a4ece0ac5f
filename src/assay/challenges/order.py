"""The parts of a structured input in another order, which means the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, cast

from assay.challenges.perturbation import Perturbation
from assay.records.inputs import kind_of, known_input, with_input
from assay.records.types import Example

PARTS = {"triples": "triples", "concepts": "concepts", "slots": "slots", "acts": "acts", "table": "highlighted"}
"""Kind of input to the field that holds its parts."""


@dataclass(frozen=True)
class Scramble(Perturbation):
    """References stay: they describe the same facts. What stands inside a part keeps its order."""

    name: ClassVar = "scramble"
    about: ClassVar = "triples, concepts, slots, dialog acts or highlighted cells stand in random order"
    changes: ClassVar = "inputs of the kinds triples, concepts, slots, acts and table"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def change(self, example: Example, draw: Random) -> Example | None:
        field = PARTS.get(kind_of(example))
        if field is None or known_input(example) is None:  # the second also refuses a damaged input, with its place
            return None
        parts = cast(list[Any], (example.input or {})[field])  # of which the kind has made sure
        if all(part == parts[0] for part in parts):  # none, one, or all alike: every order is the same
            return None
        moved = parts
        while moved == parts:
            moved = draw.sample(parts, len(parts))
        return with_input(example, **{field: moved})
