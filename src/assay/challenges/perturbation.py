"""What a perturbation is, and a challenge set made with one: changed items that each name their parent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, NamedTuple

import msgspec

from assay.errors import AssayError, blaming
from assay.records.types import Example
from assay.seeds import chance
from assay.specs import WithOptions

SIZE = 500
"""Items of a challenge set, as GEM has them."""


@dataclass(frozen=True)
class Perturbation(WithOptions, ABC):
    """One way to alter what a system is given. The fields of a subclass are its options."""

    noun: ClassVar = "challenge"
    about: ClassVar[str]
    changes: ClassVar[str]
    """What it changes, in words: `the source`, `triples and slots`."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    citation: ClassVar[str] = ""

    @abstractmethod
    def change(self, example: Example, draw: Random) -> Example | None:
        """The example with its input altered; None where there is nothing to alter.

        Only what a system is given changes here: id, parent and tags are set for all perturbations alike. `draw` is
        all the chance there is; it depends on the seed and the item's id, never on the items before it.
        """


class ChallengeSet(NamedTuple):
    """What came of altering examples."""

    examples: list[Example]
    unchanged: list[str]
    """Ids of the items that were tried and could not be changed; they are not in the set."""


def challenge_set(
    perturbation: Perturbation, examples: Sequence[Example], *, size: int = SIZE, seed: int = 0
) -> ChallengeSet:
    """At most `size` altered examples, drawn by chance and kept in their order."""
    ids = [example.id for example in examples]
    if len(set(ids)) < len(ids):
        twice = next(id for i, id in enumerate(ids) if id in ids[:i])
        raise AssayError(f"id {twice} stands twice; a changed item could not name its parent")
    order = list(range(len(examples)))
    chance(seed, perturbation.name, "sample").shuffle(order)
    changed: dict[int, Example] = {}
    unchanged: list[int] = []
    for place in order:
        if len(changed) == size:
            break
        example = examples[place]
        with blaming(f"id {example.id}: {perturbation.name}", perturbation):
            altered = perturbation.change(example, chance(seed, perturbation.name, example.id))
        if not isinstance(altered, Example | None):
            raise AssayError(f"id {example.id}: {perturbation.name}: gave {type(altered).__name__}, not an example")
        if altered is None or _given(altered) == _given(example):
            unchanged.append(place)
        else:
            changed[place] = _child(altered, example, perturbation, seed)
    return ChallengeSet([changed[place] for place in sorted(changed)], [ids[place] for place in sorted(unchanged)])


def _given(example: Example) -> bytes:
    """What a system is given, as it would be written: a tuple is the list it was made from."""
    return msgspec.json.encode((example.source, example.input), order="deterministic")


def _child(altered: Example, parent: Example, perturbation: Perturbation, seed: int) -> Example:
    return msgspec.structs.replace(
        altered,
        id=f"{parent.id}/{perturbation.name}",
        parent=parent.id,
        tags={**parent.tags, "challenge": perturbation.name, "seed": str(seed)},
    )
