"""Inputs without references, made by deleting parts of existing ones: slots, dialog acts, connected triples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.inputs.triples import Triple
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Triples
from assay.records.types import Example
from assay.seeds import rng_for

PARTS = {"slots": "slots", "acts": "acts", "triples": "triples", "concepts": "concepts"}
"""Field of an input that holds its parts, by kind."""
MOST = 20
"""Inputs made from one original."""
LISTED = 12
"""Number of parts up to which all subsets are listed; subsets of more parts are drawn."""
TRIES = 50
"""Draws per requested subset, before fewer are returned."""


def connected(triples: Sequence[Triple]) -> bool:
    """Return whether the triples form one component: each shares an entity with another."""
    left = [{triple[0], triple[2]} for triple in triples]
    reached = left.pop(0)
    while left:
        near = next((ends for ends in left if ends & reached), None)
        if near is None:
            return False
        left.remove(near)
        reached = reached | near
    return True


def subsets(count: int, most: int, draw: Random) -> list[tuple[int, ...]]:
    """Return at most `most` random non-empty proper subsets of `count` parts, as positions."""
    if count <= LISTED:
        every = [some for size in range(1, count) for some in combinations(range(count), size)]
        return every if len(every) <= most else sorted(draw.sample(every, most), key=every.index)
    chosen: dict[tuple[int, ...], None] = {}
    for _ in range(most * TRIES):
        if len(chosen) == most:
            break
        some = tuple(i for i in range(count) if draw.random() < 0.5)
        if 0 < len(some) < count:
            chosen[some] = None
    return list(chosen)


def reduced(example: Example, most: int = MOST, seed: int = 0) -> list[Example]:
    """Return copies of an example with part of its input and without references; triples stay connected."""
    kind = kind_of(example) if example.input else ""
    if kind not in PARTS:
        raise AssayError(f"id {example.id}: an input of kind {kind or 'none'} has no parts; give {', '.join(PARTS)}")
    field = PARTS[kind]
    parts: Sequence[Any] = (example.input or {})[field]  # type: ignore[assignment]
    draw = rng_for(seed, "deletion", example.id)
    if kind == "triples":
        triples = read_input(example, Triples).triples
        every = subsets(len(parts), 1 << LISTED, draw)
        fit = [some for some in every if connected([triples[i] for i in some])]
        chosen = fit if len(fit) <= most else sorted(draw.sample(fit, most), key=fit.index)
    else:
        chosen = subsets(len(parts), most, draw)
    return [
        msgspec.structs.replace(
            example,
            id=f"{example.id}-{'.'.join(str(i + 1) for i in some)}",
            input={**(example.input or {}), field: [parts[i] for i in some]},
            source=None, references=(), parent=example.id,
        )
        for some in chosen
    ]  # fmt: skip


def unpaired(examples: Iterable[Example], known: Iterable[Example], most: int = MOST, seed: int = 0) -> list[Example]:
    """Return reduced inputs of all examples, each once, without those of `known` examples."""
    seen = {input_key(example) for example in known}
    chosen = []
    for example in examples:
        for one in reduced(example, most, seed):
            key = input_key(one)
            if key not in seen:
                seen.add(key)
                chosen.append(one)
    return chosen


def input_key(example: Example) -> str:
    """Return an input as a text that is equal for equal inputs."""
    return json.dumps(example.input, sort_keys=True, ensure_ascii=False)
