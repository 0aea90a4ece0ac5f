"""Shape of an input: the number of its parts and what they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags, each
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, Concepts, Slots, Table, Triples
from assay.records.types import Example


@dataclass(frozen=True)
class Shape(Contrast):
    """A slot that occurs twice counts twice in input_size and once in slot_names; same_subject is the number of
    triples with the most frequent subject."""

    name: ClassVar = "shape"
    about: ClassVar = "number of parts of an input, and what they share"
    gives: ClassVar = (
        "input_size; of triples also same_subject (unique, 2 …), same_object, same_property and both_roles "
        "(some, none); of slots also slot_names; of slots and acts also act_type; of tables also cells"
    )
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        return each(examples, shape)


def shape(example: Example) -> Tags:
    """Return the tags of one input; none for a kind without parts."""
    kind = kind_of(example)
    if kind == "triples":
        return _triples(read_input(example, Triples))
    if kind == "slots":
        slots = read_input(example, Slots)
        names = {slot for slot, _ in slots.slots}
        size = {"input_size": str(len(slots.slots)), "slot_names": str(len(names))}
        return {**size, "act_type": slots.act} if slots.act else size
    if kind == "acts":
        acts = read_input(example, Acts).acts
        return {"input_size": str(len(acts)), **({"act_type": acts[0].act} if acts else {})}
    if kind == "concepts":
        return {"input_size": str(len(read_input(example, Concepts).concepts))}
    if kind == "table":
        table = read_input(example, Table)
        return {"input_size": str(len(table.highlighted)), "cells": str(sum(map(len, table.table)))}
    return {}


def _triples(structure: Triples) -> Tags:
    subjects = Counter(triple.subject for triple in structure.triples)
    objects = Counter(triple.object for triple in structure.triples)
    properties = Counter(triple.predicate for triple in structure.triples)
    most = max(subjects.values(), default=0)
    return {
        "input_size": str(len(structure.triples)),
        "same_subject": str(most) if most > 1 else "unique",
        "same_object": _some(max(objects.values(), default=0) > 1),
        "same_property": _some(max(properties.values(), default=0) > 1),
        "both_roles": _some(bool(subjects.keys() & objects.keys())),
    }


def _some(shared: bool) -> str:
    return "some" if shared else "none"
