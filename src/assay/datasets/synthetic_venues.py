"""Synthetic sentences about venues with a known grammar: slots to text, words to a sentence, and users with a style.

The grammar has few words, so that small models learn it within minutes and a mechanism can be tested against the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from assay.records.inputs import read_input
from assay.records.kinds import Concepts, Slots
from assay.records.types import Example
from assay.seeds import rng_for
from assay.text.english import STOP

NAMES = ("Alder", "Bramble", "Cinder", "Dunlin", "Ember", "Fennel", "Gorse", "Heron", "Ivory", "Juniper", "Kestrel",
         "Lantern", "Mallow", "Nettle", "Osprey", "Pepper")  # fmt: skip
VALUES = {
    "food": ("Thai", "French", "Indian", "Greek", "Polish", "Turkish"),
    "area": ("harbour", "market", "station", "castle", "river"),
    "price": ("cheap", "moderate", "expensive"),
    "meal": ("breakfast", "lunch", "dinner"),
}
CLAUSES = {
    "food": ("serves {} food", "cooks {} dishes"),
    "area": ("is near the {}", "stands by the {}"),
    "price": ("has {} prices", "asks for {} prices"),
    "meal": ("is good for {}", "opens for {}"),
}
"""Ways to express a slot; synthetic users prefer one of them."""
OPENINGS = ("", "Well, ", "Honestly, ", "In fact, ", "By the way, ", "As I said, ", "Oh, ", "Sure, ", "I think ",
            "Some say ", "Of course, ")  # fmt: skip
ENDINGS = (".", "!", ", I hope.", ", you know.", ", my friend.")
SPLITS = ((0.7, "train"), (0.85, "validation"), (1.0, "test"))


def synthetic_venues(size: int, seed: int = 0) -> list[Example]:
    """Return meaning representations with one sentence each."""
    return [_slots_example(i, rng_for(seed, "venues", i), size) for i in range(size)]


def synthetic_concepts(size: int, seed: int = 0) -> list[Example]:
    """Return the content words of sentences, in their order, with the sentence."""
    made = []
    for i in range(size):
        one = _slots_example(i, rng_for(seed, "concepts", i), size)
        words = [word.strip(".,") for word in one.references[0].split()]
        kept = [word for word in words if word.lower() not in STOP]
        made.append(
            Example(id=f"concepts-{i}", references=one.references, input=Concepts(concepts=kept).plain(),
                    language="en", split=one.split)
        )  # fmt: skip
    return made


def synthetic_users(size: int, seed: int = 0) -> list[Example]:
    """Return questions with a response by each of eleven users; a user has an opening, an ending and preferred
    phrases."""
    made = []
    for i in range(size):
        one = _slots_example(i, rng_for(seed, "users", i), size)
        pairs = [(slot, str(value)) for slot, value in read_input(one, Slots).slots]
        for user, opening in enumerate(OPENINGS):
            style = rng_for(seed, "style", user)
            text = sentence(pairs, [style.randrange(2) for _ in CLAUSES])
            whole = opening + text.rstrip(".") + ENDINGS[user % len(ENDINGS)]
            made.append(
                Example(id=f"users-{i}-{user}", references=(whole,), input=one.input, language="en",
                        split=held_out(rng_for(seed, "split", i, user)),
                        tags={"user": f"user-{user:02}", "question": f"question-{i}"})
            )  # fmt: skip
    return made


def held_out(draw: Random) -> str:
    """Return a random split, so that users and questions of all splits are in the training data."""
    place = draw.random()
    return next(name for share, name in SPLITS if place < share)


def sentence(pairs: Sequence[tuple[str, str]], ways: Sequence[int]) -> str:
    """Return the sentence of a meaning representation; `ways` has the phrase of each slot."""
    chosen = dict(zip(CLAUSES, ways, strict=True))
    name = next(value for slot, value in pairs if slot == "name")
    clauses = [CLAUSES[slot][chosen[slot]].format(value) for slot, value in pairs if slot != "name"]
    listed = clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
    return f"{name} {listed}."


def _slots_example(number: int, draw: Random, size: int) -> Example:
    slots = sorted(draw.sample(list(VALUES), draw.randint(1, len(VALUES))), key=list(VALUES).index)
    pairs = [("name", draw.choice(NAMES)), *((slot, draw.choice(VALUES[slot])) for slot in slots)]
    text = sentence(pairs, [draw.randrange(2) for _ in CLAUSES])
    split = next(name for share, name in SPLITS if number < share * size)
    return Example(id=f"venues-{number}", references=(text,), input=Slots(slots=pairs).plain(), language="en",
                   split=split)  # fmt: skip
