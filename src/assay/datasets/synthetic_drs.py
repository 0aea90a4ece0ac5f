"""Synthetic discourse representation structures with one sentence each: tense, negation, names and quantities.

The grammar has few words. Names and quantities of the test items are often new, so that they have to be copied.
"""

from __future__ import annotations

from typing import NamedTuple

from assay.records.kinds import Drs
from assay.records.types import Example
from assay.seeds import rng_for

STARTS = ("Al", "Bren", "Cor", "Dal", "El", "Far", "Gil", "Hol", "Ir", "Jon", "Kel", "Lor", "Mar", "Nor", "Or", "Per")
ENDS = {"male": ("an", "ric", "win", "o"), "female": ("a", "ine", "eth", "y")}
VERBS = {
    "buy": ("buy", "buys", "bought", "v.01"), "sell": ("sell", "sells", "sold", "v.01"),
    "see": ("see", "sees", "saw", "v.01"), "draw": ("draw", "draws", "drew", "v.03"),
    "find": ("find", "finds", "found", "v.01"), "clean": ("clean", "cleans", "cleaned", "v.01"),
}  # fmt: skip
"""Base form, present, past and sense."""
NOUNS = ("boat", "book", "lamp", "chair", "stone", "apple", "basket", "painting")
PLACES = ("harbour", "market", "garden", "station", "castle")
TENSES = {"present": ("EQU", False), "past": ("TPR", False), "future": ("TPR", True)}
"""Relation of the time of the event to now, and whether now comes first."""


class Event(NamedTuple):
    """What a sentence says."""

    name: str
    gender: str
    verb: str
    tense: str
    negated: bool
    quantity: int
    noun: str
    place: str


def synthetic_drs(size: int, seed: int = 0) -> list[Example]:
    """Return structures with their sentence: 70 % for training, 15 % each for validation and test."""
    made = []
    for number in range(size):
        event = draw_event(number, seed)
        split = next(
            name for share, name in ((0.7, "train"), (0.85, "validation"), (1.0, "test")) if number < share * size
        )
        made.append(
            Example(id=f"drs-{number}", references=(sentence(event),), input=Drs(clauses=clauses(event)).plain(),
                    language="en", split=split, tags={"tense": event.tense, "polarity": str(not event.negated)})
        )  # fmt: skip
    return made


def draw_event(number: int, seed: int) -> Event:
    draw = rng_for(seed, "drs", number)
    gender = draw.choice(list(ENDS))
    return Event(
        name=draw.choice(STARTS) + draw.choice(ENDS[gender]), gender=gender, verb=draw.choice(list(VERBS)),
        tense=draw.choice(list(TENSES)), negated=draw.random() < 0.25,
        quantity=draw.choice((1, 1, draw.randint(2, 99))), noun=draw.choice(NOUNS),
        place=draw.choice(("", *PLACES)),
    )  # fmt: skip


def sentence(event: Event) -> str:
    """Return the sentence of an event."""
    base, present, past, _ = VERBS[event.verb]
    if event.negated:
        verb = f"{ {'present': 'does', 'past': 'did', 'future': 'will'}[event.tense] } not {base}".strip()
    else:
        verb = {"present": present, "past": past, "future": f"will {base}"}[event.tense]
    article = "an" if event.noun[0] in "aeiou" else "a"
    many = f"{article} {event.noun}" if event.quantity == 1 else f"{event.quantity} {event.noun}s"
    where = f" at the {event.place}" if event.place else ""
    return f"{event.name} {verb} {many}{where}."


def clauses(event: Event) -> list[list[str]]:
    """Return the clauses of an event, in the order of its sentence; a negation moves them into a box of its own."""
    inside = "b3" if event.negated else "b2"
    relation, now_first = TENSES[event.tense]
    times = ['"now"', "t1"] if now_first else ["t1", '"now"']
    made = [
        ["b1", "REF", "x1"], ["b1", "Name", "x1", f'"{event.name.lower()}"'], ["b1", "PRESUPPOSITION", "b2"],
        ["b1", event.gender, '"n.02"', "x1"], ["b2", "REF", "t1"], ["b2", relation, *times],
        ["b2", "time", '"n.08"', "t1"], *([["b2", "NEGATION", "b3"]] if event.negated else []),
        [inside, "REF", "e1"], [inside, "Agent", "e1", "x1"], [inside, "Time", "e1", "t1"],
        [inside, event.verb, f'"{VERBS[event.verb][3]}"', "e1"], [inside, "Theme", "e1", "x2"], [inside, "REF", "x2"],
        *([[inside, "Quantity", "x2", f'"{event.quantity}"']] if event.quantity > 1 else []),
        [inside, event.noun, '"n.01"', "x2"],
    ]  # fmt: skip
    if event.place:
        made += [[inside, "Location", "e1", "x3"], [inside, "REF", "x3"], [inside, event.place, '"n.01"', "x3"]]
    return made
