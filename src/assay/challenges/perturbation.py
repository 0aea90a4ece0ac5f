"""Perturbations, and challenge sets made with them: changed items linked to their parents."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import msgspec

from assay.challenges.mirrored import mirrored
from assay.challenges.sampling import drawn_order
from assay.errors import AssayError, blaming
from assay.records.types import Example
from assay.seeds import rng_for
from assay.specs import WithOptions, options, spelled

SIZE = 500
"""Default number of items of a challenge set, as in GEM."""
SHORT = re.compile(r"[\w.+-]{1,24}")
"""Option values allowed in an id; files and commands are not."""


class Rejected(NamedTuple):
    """An altered input that is unsuitable for a set, with the reason."""

    why: str


@dataclass(frozen=True)
class Perturbation(WithOptions, ABC):
    """One way to alter the input of a system. The fields of a subclass are its options."""

    noun: ClassVar = "challenge"
    about: ClassVar[str]
    changes: ClassVar[str]
    """What it changes: `the source`, `triples and slots`."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    citation: ClassVar[str] = ""

    @abstractmethod
    def change(self, example: Example, draw: Random) -> Example | Rejected | None:
        """Return the example with its input altered; None if there is nothing to alter.

        Only the system's input changes here, and references that must change with it; id and parent
        are set for all perturbations alike, and tags may be added. `draw` is the only source of randomness; it depends
        on the seed and the item's id, never on the items before it.
        """

    @property
    def label(self) -> str:
        """Return the name of its items: its name with non-default options that distinguish sets."""
        usual = options(type(self)())
        chosen = {key: spelled(value) for key, value in options(self).items() if value != usual[key]}
        return ":".join([self.name, *(f"{key}={value}" for key, value in chosen.items() if SHORT.fullmatch(value))])

    def ahead(self, examples: Sequence[Example]) -> None:
        """Prepare for the items that are altered next; override it to process them as a batch."""
        return

    def why_not(self) -> str | None:
        """Return why it cannot run here, with the remedy; None if it can."""
        return None


class ChallengeSet(NamedTuple):
    """Result of altering examples."""

    examples: list[Example]
    unchanged: list[str]
    """Ids of the items that could not be changed; they are not in the set."""
    rejected: Mapping[str, str] = MappingProxyType({})
    """Ids of rejected items, changed too much, with the reason."""

    @property
    def accepted(self) -> float | None:
        """Share of the tried items that were not rejected; None if none was tried."""
        tried = len(self.examples) + len(self.unchanged) + len(self.rejected)
        return 1 - len(self.rejected) / tried if tried else None


def challenge_set(
    perturbation: Perturbation, examples: Sequence[Example], *, size: int = SIZE, seed: int = 0, by: str | None = None
) -> ChallengeSet:
    """Return at most `size` altered examples, sampled at random and kept in their order.

    With `by`, a tag, sampling is stratified by its values; triples that all have a category are stratified by it.
    """
    if why := perturbation.why_not():
        raise AssayError(f"challenge {perturbation.name} cannot be made here: {why}")
    order = _drawn(perturbation, examples, seed, by)
    changed: dict[int, Example] = {}
    unchanged: list[int] = []
    rejected: dict[int, str] = {}
    while order and len(changed) < size:
        batch, order = order[: size - len(changed)], order[size - len(changed) :]
        with blaming(perturbation.name, perturbation):
            perturbation.ahead([examples[place] for place in batch])
        for place, altered in _altered(perturbation, examples, batch, seed):
            if isinstance(altered, Rejected):
                rejected[place] = altered.why
            elif altered is None or _input_bytes(altered) == _input_bytes(examples[place]):
                unchanged.append(place)
            else:
                changed[place] = _child(altered, examples[place], perturbation, seed)
    return ChallengeSet(
        [changed[place] for place in sorted(changed)],
        [examples[place].id for place in sorted(unchanged)],
        {examples[place].id: rejected[place] for place in sorted(rejected)},
    )


def _drawn(perturbation: Perturbation, examples: Sequence[Example], seed: int, by: str | None) -> list[int]:
    """Return the positions of all examples in the order in which they are tried."""
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise AssayError(f"id {example.id} occurs twice; a changed item would have an ambiguous parent")
        seen.add(example.id)
    return drawn_order(examples, rng_for(seed, perturbation.name, "sample"), by)


def _altered(
    perturbation: Perturbation, examples: Sequence[Example], places: Sequence[int], seed: int
) -> Iterator[tuple[int, Example | Rejected | None]]:
    for place in places:
        example = examples[place]
        with blaming(f"id {example.id}: {perturbation.name}", perturbation):
            altered = perturbation.change(example, rng_for(seed, perturbation.name, example.id))
        if not isinstance(altered, Example | Rejected | None):
            raise AssayError(f"id {example.id}: {perturbation.name}: returned {type(altered).__name__}, not an example")
        yield place, altered


def _input_bytes(example: Example) -> bytes:
    """Return the input as it would be written: tuples as lists."""
    return msgspec.json.encode((example.source, example.input, example.contexts), order="deterministic")


def _child(altered: Example, parent: Example, perturbation: Perturbation, seed: int) -> Example:
    return msgspec.structs.replace(
        mirrored(altered, parent),
        id=f"{parent.id}/{perturbation.label}",
        parent=parent.id,
        tags={**altered.tags, "challenge": perturbation.label, "seed": str(seed)},
    )
