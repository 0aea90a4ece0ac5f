"""Synthetic texts of people and of a machine, with ratings of how human they seem: 1 surely human, 5 surely machine.

A machine repeats words, drops small words and inserts symbols. People notice it in part: a rating rises with repetition
and symbols, falls with length, and has noise, so that it is not the source that is rated.
"""

from __future__ import annotations

from random import Random

from msgspec import structs

from assay.datasets.synthetic_venues import CLAUSES, NAMES, SPLITS, VALUES, sentence
from assay.records.kinds import Judged
from assay.records.types import Example
from assay.seeds import rng_for

CRITERION = "human-likeness"
JUDGES = 5
MIDDLE = 3.0
SMALL = ("the", "is", "for", "by", "near")
MARKS = ("#", "/", "*", "%")


def synthetic_sources(size: int, seed: int = 0) -> list[Example]:
    """Return the rated texts with their source as the reference."""
    return [structs.replace(example, references=(example.tags["system"],)) for example in synthetic_rated(size, seed)]


def synthetic_rated(size: int, seed: int = 0) -> list[Example]:
    """Return rated texts, one of a human and one of the machine in turn; `system` in the tags is the source, and the
    reference is what readers take them for: human if the mean rating is below 3."""
    made = []
    for number in range(size):
        draw = rng_for(seed, "rated", number)
        words = _written(draw)
        machine = number % 2 == 1
        faults = _damage(words, draw) if machine else 0
        mean = sum(_rating(faults, len(words), draw) for _ in range(JUDGES)) / JUDGES
        split = next(name for share, name in SPLITS if number < share * size)
        tags = {"system": "machine" if machine else "human", "length": str(5 * round(len(words) / 5))}
        label = "human" if mean < MIDDLE else "machine"
        text = " ".join(words)
        judged = Judged(output=text, human={CRITERION: mean})
        made.append(
            Example(
                id=f"rated-{number}",
                source=text,
                references=(label,),
                input=judged.plain(),
                language="en",
                split=split,
                tags=tags,
            )
        )
    return made


def _written(draw: Random) -> list[str]:
    """Return the words of one to three sentences."""
    texts = []
    for _ in range(draw.randint(1, 3)):
        slots = draw.sample(list(VALUES), draw.randint(1, len(VALUES)))
        pairs = [("name", draw.choice(NAMES)), *((slot, draw.choice(VALUES[slot])) for slot in slots)]
        texts.append(sentence(pairs, [draw.randrange(2) for _ in CLAUSES]))
    return " ".join(texts).split()


def _damage(words: list[str], draw: Random) -> int:
    """Damage a text in place; return the number of faults that people notice, which omissions are not."""
    faults = 0
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(words))
        kind = draw.choice(("repeat", "mark", "drop"))
        if kind == "repeat":
            words.insert(place, words[place])
        elif kind == "mark":
            words.insert(place, draw.choice(MARKS))
        elif any(word in SMALL for word in words):
            words.remove(next(word for word in words if word in SMALL))
        faults += kind != "drop"
    return faults


def _rating(faults: int, length: int, draw: Random) -> int:
    """Return the answer of one judge."""
    return min(5, max(1, round(2.6 + 0.7 * faults - 0.03 * length + draw.gauss(0, 0.8))))
