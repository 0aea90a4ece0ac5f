"""Shuffle the parts of a structured input without changing its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, cast

from assay.challenges.perturbation import Perturbation
from assay.records.inputs import kind_of, known_input, with_input
from assay.records.types import Example

PARTS: dict[str, tuple[str, ...]] = {
    "triples": ("triples",),
    "concepts": ("concepts",),
    "slots": ("slots",),
    "acts": ("acts",),
    "table": ("highlighted",),
    "drs": ("clauses",),
    "entities": ("entities", "background"),
    "events": ("templates",),
    "annotated": ("spans",),
}
"""Kind of input to the fields that hold its parts; several are moved together. Kinds that are not listed have no parts,
or parts whose order matters: the sentences of a source, two continuations."""


@dataclass(frozen=True)
class Scramble(Perturbation):
    """References do not change: they describe the same facts. The order within a part is kept."""

    name: ClassVar = "scramble"
    about: ClassVar = "triples, concepts, slots, dialog acts, highlighted cells, clauses … are in random order"
    changes: ClassVar = f"inputs of the kinds {', '.join(list(PARTS)[:-1])} and {list(PARTS)[-1]}"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def change(self, example: Example, draw: Random) -> Example | None:
        fields = PARTS.get(kind_of(example))
        if fields is None or known_input(example) is None:  # read_input also rejects a damaged input
            return None
        columns = [cast(list[Any], (example.input or {})[field]) for field in fields]  # validated by the kind
        parts = list(zip(*columns, strict=False))
        if len(parts) < len(columns[0]) or all(part == parts[0] for part in parts):
            return None  # none, one, or identical parts: every order is the same
        moved = parts
        while moved == parts:
            moved = draw.sample(parts, len(parts))
        return with_input(
            example, **{field: list(column) for field, column in zip(fields, zip(*moved, strict=True), strict=True)}
        )
