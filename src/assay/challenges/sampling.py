"""Sample items of a set: at random, or stratified by a tag."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec

from assay.errors import AssayError
from assay.records.inputs import kind_of
from assay.records.types import Example
from assay.seeds import rng_for


def drawn_order(examples: Sequence[Example], draw: Random, by: str | None = None) -> list[int]:
    """Return the positions of all examples in random order, stratified by the tag in every prefix.

    Triples that all have a category are stratified by it by default, as GEM does for WebNLG.
    """
    order = list(range(len(examples)))
    draw.shuffle(order)
    if by is None and all(kind_of(example) == "triples" and "category" in example.tags for example in examples):
        by = "category"
    if by is None:
        return order
    groups: dict[str, list[int]] = {}
    for place in order:
        if by not in examples[place].tags:
            raise AssayError(f"id {examples[place].id}: has no tag {by} to sample by; omit --by, or add the tag")
        groups.setdefault(examples[place].tags[by], []).append(place)
    turns = {place: (i + 0.5) / len(group) for group in groups.values() for i, place in enumerate(group)}
    return sorted(order, key=lambda place: turns[place])


def sample(examples: Sequence[Example], size: int, *, seed: int = 0, by: str | None = None) -> list[Example]:
    """Return at most N examples in their order, each tagged with the split it was sampled from."""
    order = drawn_order(examples, rng_for(seed, "sample"), by)
    chosen = [examples[place] for place in sorted(order[:size])]
    return [
        msgspec.structs.replace(one, tags={**one.tags, "sample": one.split or "yes", "seed": str(seed)})
        for one in chosen
    ]
