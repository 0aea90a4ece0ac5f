"""What a perturbation is, and a challenge set made with one: changed items that each name their parent."""

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
"""Items of a challenge set, as GEM has them."""
SHORT = re.compile(r"[\w.+-]{1,24}")
"""Values that may stand in an id; files and commands may not."""


class Rejected(NamedTuple):
    """An altered input that is not fit for a set, and why."""

    why: str


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
    def change(self, example: Example, draw: Random) -> Example | Rejected | None:
        """The example with its input altered; None where there is nothing to alter.

        Only what a system is given changes here, and references where they have to say something else; id and parent
        are set for all perturbations alike, and tags may be added. `draw` is all the chance there is; it depends on
        the seed and the item's id, never on the items before it.
        """

    @property
    def label(self) -> str:
        """What its items are called: its name with the options that are not the usual ones and tell sets apart."""
        usual = options(type(self)())
        chosen = {key: spelled(value) for key, value in options(self).items() if value != usual[key]}
        return ":".join([self.name, *(f"{key}={value}" for key, value in chosen.items() if SHORT.fullmatch(value))])

    def ahead(self, examples: Sequence[Example]) -> None:
        """Told which items will be asked for next: whoever works better on many at once does so here."""
        return

    def why_not(self) -> str | None:
        """Why it cannot work here, with the remedy; None where it can."""
        return None


class ChallengeSet(NamedTuple):
    """What came of altering examples."""

    examples: list[Example]
    unchanged: list[str]
    """Ids of the items that were tried and could not be changed; they are not in the set."""
    rejected: Mapping[str, str] = MappingProxyType({})
    """Ids of the items that were changed too much to be used, with the reason."""

    @property
    def accepted(self) -> float | None:
        """The share of the tried items that were not rejected; None where nothing was tried."""
        tried = len(self.examples) + len(self.unchanged) + len(self.rejected)
        return 1 - len(self.rejected) / tried if tried else None


def challenge_set(
    perturbation: Perturbation, examples: Sequence[Example], *, size: int = SIZE, seed: int = 0, by: str | None = None
) -> ChallengeSet:
    """At most `size` altered examples, drawn by chance and kept in their order.

    With `by`, a tag, they are drawn in proportion to its values; triples that all have a category are by themselves.
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
            elif altered is None or _given(altered) == _given(examples[place]):
                unchanged.append(place)
            else:
                changed[place] = _child(altered, examples[place], perturbation, seed)
    return ChallengeSet(
        [changed[place] for place in sorted(changed)],
        [examples[place].id for place in sorted(unchanged)],
        {examples[place].id: rejected[place] for place in sorted(rejected)},
    )


def _drawn(perturbation: Perturbation, examples: Sequence[Example], seed: int, by: str | None) -> list[int]:
    """The places of all examples in the order in which they are tried."""
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise AssayError(f"id {example.id} stands twice; a changed item could not name its parent")
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
            raise AssayError(f"id {example.id}: {perturbation.name}: gave {type(altered).__name__}, not an example")
        yield place, altered


def _given(example: Example) -> bytes:
    """What a system is given, as it would be written: a tuple is the list it was made from."""
    return msgspec.json.encode((example.source, example.input), order="deterministic")


def _child(altered: Example, parent: Example, perturbation: Perturbation, seed: int) -> Example:
    return msgspec.structs.replace(
        mirrored(altered, parent),
        id=f"{parent.id}/{perturbation.label}",
        parent=parent.id,
        tags={**altered.tags, "challenge": perturbation.label, "seed": str(seed)},
    )
