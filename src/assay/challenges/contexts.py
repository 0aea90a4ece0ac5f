"""Plant contexts that should not mislead a system (unrelated, conflicting, shuffled), or remove relevant ones."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

import msgspec

from assay.challenges.perturbation import Perturbation
from assay.records.types import Example, Passage
from assay.text.cardinals import cardinals, varied

UNRELATED = (
    "Grey herons breed in colonies, usually in tall trees near water. A pair adds sticks to the same nest every year.",
    "To reset the router, hold the small button for ten seconds. The name of the network returns to that of the label.",
    "Whisk the eggs with the sugar until the mixture is pale, then fold in the flour and the melted butter by hand.",
    "The lake freezes from December to April in most years. A hut on its north shore sleeps twelve hikers.",
    "The novel begins with a letter that arrives eleven years late. Half of its chapters are told by a sister.",
    "The museum opens daily except Mondays. Trams stop in front of the entrance, and children enter free.",
    "Quarterly revenue rose because spare parts sold well, but steel became more expensive and profit slipped.",
    "The committee rejected the proposal by seven votes to five. A new attempt is possible after the elections.",
    "Moths were counted over two summers. Gardens with white lamps had fewer of them than dark gardens.",
    "The tenant pays small repairs. Either side may end the contract with three months' notice in writing.",
)
"""Passages about nothing in particular."""
PLANTED = "planted"
"""Beginning of the ids of planted contexts."""


@dataclass(frozen=True)
class Contexts(Perturbation):
    """Plant contexts. `unrelated`: passages about other things, at random places. `conflicting`: a copy of a context
    with its numbers changed, before the original. `shuffled`: the same contexts in another order. `removed`: without
    the contexts that the tag `relevant` names; the item becomes unanswerable (tag `answerable`).

    Ids of planted contexts are in the tag `planted`. References stay.
    """

    plant: Literal["unrelated", "conflicting", "shuffled", "removed"] = "unrelated"
    """What to plant."""
    count: int = 3
    """Number of unrelated passages."""

    name: ClassVar = "contexts"
    about: ClassVar = "contexts are planted, put in another order or removed (noise sensitivity of RAG)"
    changes: ClassVar = "the contexts"
    citation: ClassVar = "Chen et al. 2024, Benchmarking Large Language Models in Retrieval-Augmented Generation"

    def __post_init__(self) -> None:
        self.require("count", 1, len(UNRELATED))

    def change(self, example: Example, draw: Random) -> Example | None:
        if not example.contexts:
            return None
        made = {
            "unrelated": self._unrelated, "conflicting": _conflicting, "shuffled": _shuffled, "removed": _removed
        }[self.plant](example, draw)  # fmt: skip
        if made is None:
            return None
        known = {one.id for one in example.contexts}
        planted = ",".join(one.id for one in made if one.id not in known)
        tags = {**example.tags, **({"planted": planted} if planted else {})}
        if self.plant == "removed":
            tags["answerable"] = "false"
        return msgspec.structs.replace(example, contexts=tuple(made), tags=tags)

    def _unrelated(self, example: Example, draw: Random) -> list[Passage]:
        made = list(example.contexts)
        for number, text in enumerate(draw.sample(UNRELATED, self.count), 1):
            made.insert(draw.randint(0, len(made)), Passage(_free(example, number), text))
        return made


def _free(example: Example, number: int) -> str:
    """Return an id that no context of the item has."""
    known = {one.id for one in example.contexts}
    while f"{PLANTED}-{number}" in known:
        number += 100
    return f"{PLANTED}-{number}"


def _conflicting(example: Example, draw: Random) -> list[Passage] | None:
    """Return the contexts with a changed copy before one that has numbers; relevant contexts are taken first."""
    relevant = example.tags.get("relevant", "").split(",")
    places = [i for i, one in enumerate(example.contexts) if cardinals(one.text, years=True, language=example.language)]
    chosen = [i for i in places if example.contexts[i].id in relevant] or places
    if not chosen:
        return None
    place = draw.choice(chosen)
    text, end = example.contexts[place].text, 0
    pieces: list[str] = []
    for number in cardinals(text, years=True, language=example.language):
        pieces += [text[end : number.start], varied(number, draw)]
        end = number.end
    changed = "".join(pieces) + text[end:]
    if changed == text:
        return None
    made = list(example.contexts)
    made.insert(place, Passage(_free(example, 1), changed))
    return made


def _shuffled(example: Example, draw: Random) -> list[Passage] | None:
    made = list(example.contexts)
    if len({one.text for one in made}) < 2:
        return None
    while made == list(example.contexts):
        draw.shuffle(made)
    return made


def _removed(example: Example, draw: Random) -> list[Passage] | None:
    relevant = {id.strip() for id in example.tags.get("relevant", "").split(",")}
    made = [one for one in example.contexts if one.id not in relevant]
    return made if len(made) < len(example.contexts) else None
