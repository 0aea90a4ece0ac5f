"""Synthetic facts with a sentence, and long sentences with shorter ones, of the grammar of the synthetic venues."""

from __future__ import annotations

import msgspec

from assay.datasets.synthetic_venues import NAMES, VALUES, synthetic_venues
from assay.records.inputs import read_input
from assay.records.kinds import Slots, Triple, Triples
from assay.records.types import Example
from assay.seeds import rng_for

PEOPLE = ("Ada Brook", "Bo Marsh", "Cleo Ridge", "Dan Holt", "Edda Vale", "Finn Lowe", "Gus Thorn", "Hilda Crane")
PREDICATES = {"food": "cuisine", "area": "near", "price": "priceRange", "meal": "openFor"}
ASIDES = ("as the older guides say", "if the visitors are to be believed", "despite its modest appearance",
          "according to the town council", "to the surprise of its neighbours")  # fmt: skip
KINDS = ("establishment", "eatery", "restaurant")


def synthetic_facts(size: int, seed: int = 0) -> list[Example]:
    """Return triples about a venue with one sentence each."""
    made = []
    for one in synthetic_venues(size, seed):
        pairs = [(slot, str(value)) for slot, value in read_input(one, Slots).slots]
        name = next(value for slot, value in pairs if slot == "name")
        triples = [Triple(name, PREDICATES[slot], value) for slot, value in pairs if slot != "name"]
        facts = Triples(triples=triples, category="Venue").plain()
        made.append(msgspec.structs.replace(one, id=one.id.replace("venues", "facts"), input=facts))
    return made


def synthetic_simplifications(size: int, seed: int = 0) -> list[Example]:
    """Return long sentences with three simplifications: without the aside, in short sentences, and the core alone."""
    made = []
    for i in range(size):
        draw = rng_for(seed, "simplifications", i)
        name, person, year = draw.choice(NAMES), draw.choice(PEOPLE), draw.randint(1850, 2010)
        food, area, meal = (draw.choice(VALUES[slot]) for slot in ("food", "area", "meal"))
        kind, aside = draw.choice(KINDS), draw.choice(ASIDES)
        core = f"{name} serves {food} food and is near the {area}"
        founded = f"was founded by {person} in {year}"
        source = (
            f"{name}, an {kind} which {founded}, {aside}, provides its customers with {food} food and is situated "
            f"in the vicinity of the {area}."
        )  # fmt: skip
        source = source.replace("an restaurant", "a restaurant")
        if draw.random() < 0.5:
            source = source[:-1] + f", where it is frequented for {meal}."
        references = (
            f"{name}, which {founded}, serves {food} food and is near the {area}.",
            f"{name} {founded}. It serves {food} food. It is near the {area}.",
            f"{core}.",
        )
        split = "train" if i < 0.7 * size else "validation" if i < 0.8 * size else "test"
        made.append(
            Example(id=f"simplifications-{i}", source=source, references=references, language="en", split=split)
        )
    return made
