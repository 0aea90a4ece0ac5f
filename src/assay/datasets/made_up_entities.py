"""Made-up instances of entity aggregation, with the real proportions: gold counts, sizes, reuse of phrases.

Three quarters of the published phrases are gold for one instance alone, and a few for a tenth of all: the noun of a
group and its usual kinds come again and again here, and phrases of two kinds are used once and never again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.datasets.tesa_phrases import split_examples, with_candidates
from assay.records.kinds import Entities
from assay.records.types import Example
from assay.seeds import rng_for

GOLD = {1: 89, 2: 644, 3: 705, 4: 259, 5: 20, 6: 1}
"""How many of TESA's 1,718 instances have so many gold phrases."""
TUPLES = {2: 1299, 3: 259, 4: 74, 5: 43, 6: 43}
TYPES = {"person": 941, "location": 629, "org": 148}

NOUNS = {
    "person": "politicians actors singers coaches judges painters writers bankers generals pilots doctors teachers",
    "location": "cities towns ports islands villages harbours valleys regions states suburbs resorts capitals",
    "org": "companies banks unions airlines museums studios publishers breweries clubs charities refineries insurers",
}
KINDS = {
    "person": "northern southern veteran rival young famous retired local wealthy exiled foreign noted striking bold",
    "location": "northern southern coastal rival ancient famous remote busy wealthy mountain foreign noted grand bold",
    "org": "northern southern veteran rival young famous failing local wealthy foreign modern noted striking bold",
}
STEEP, PLAIN, RARE, AGAIN = 1.0, 0.6, 0.34, 0.08
"""How fast nouns and kinds become rare, how often the noun alone is gold, how often a phrase is a rare one, and how
often that is one which was used before."""
TOLD = 0.35
"""How often what is told of an entity, or of the group, holds a word of its phrases."""
SYLLABLES = (
    "bar",
    "do",
    "el",
    "fen",
    "gar",
    "ho",
    "il",
    "ka",
    "lor",
    "mi",
    "nor",
    "os",
    "pa",
    "ril",
    "su",
    "tam",
    "ved",
)


def allotted(shares: dict[int, int] | dict[str, int], n: int) -> list[int | str]:
    """`n` values in the given proportions, by largest remainder."""
    total = sum(shares.values())
    exact = {key: n * share / total for key, share in shares.items()}
    counts = {key: int(value) for key, value in exact.items()}
    rest = sorted(exact, key=lambda key: (counts[key] - exact[key], str(key)))
    for key in rest[: n - sum(counts.values())]:
        counts[key] += 1
    return [key for key, count in counts.items() for _ in range(count)]


@dataclass
class _Rare:
    """Rare phrases of one noun: those not used so far, and the others."""

    fresh: Iterator[str]
    used: list[str] = field(default_factory=list)

    def draw(self, draw: random.Random) -> str:
        if self.used and draw.random() < AGAIN:
            return draw.choice(self.used)
        self.used.append(next(self.fresh))
        return self.used[-1]


def rare_phrases(kind: str, seed: int) -> dict[str, _Rare]:
    """By noun: phrases with two and with three words before it, in random order."""
    marks = KINDS[kind].split()
    found: dict[str, _Rare] = {}
    for noun in NOUNS[kind].split():
        two = [f"{a} {b} {noun}" for a in marks for b in marks if a != b]
        three = [f"{a} {b} {c} {noun}" for a in marks for b in marks for c in marks if len({a, b, c}) == 3]
        for some in (two, three):
            rng_for(seed, "rare", kind, noun).shuffle(some)
        found[noun] = _Rare(iter([*two, *three]))
    return found


def made_up_entities(n: int = 400, seed: int = 0) -> list[Example]:
    """`n` rankings of 24 candidates in three splits; the background of an entity hints at its phrases."""
    draw = rng_for(seed, "entities", n)
    golds, sizes, kinds = allotted(GOLD, n), allotted(TUPLES, n), allotted(TYPES, n)
    for column in (golds, sizes, kinds):
        draw.shuffle(column)
    rare = {kind: rare_phrases(kind, seed) for kind in TYPES}
    examples = []
    for number, (gold, size, kind) in enumerate(zip(golds, sizes, kinds, strict=True)):
        examples.append(_instance(number, int(gold), int(size), str(kind), seed, rare[str(kind)]))
    return split_examples(with_candidates(examples, seed=seed), seed)


def _ranked(draw: random.Random, things: Sequence[str], steepness: float) -> str:
    """One of the things, the first ones far more often than the last."""
    weights = [1 / (place + 1) ** steepness for place in range(len(things))]
    return draw.choices(things, weights)[0]


def _instance(number: int, gold: int, size: int, kind: str, seed: int, rare: dict[str, _Rare]) -> Example:
    draw = rng_for(seed, "instance", number)
    noun = _ranked(draw, NOUNS[kind].split(), STEEP)
    chosen = [noun] if draw.random() < PLAIN else []
    while len(chosen) < gold:
        usual = f"{_ranked(draw, KINDS[kind].split(), STEEP)} {noun}"
        other = rare[noun].draw(draw) if draw.random() < RARE or usual in chosen else usual
        chosen += [other] if other not in chosen else []
    names = [_name(draw) for _ in range(size)]
    marks = sorted({word for phrase in chosen for word in phrase.split()[:-1]})
    background = ["" if draw.random() < 0.1 else _hint(name, noun, marks, kind, draw) for name in names]
    told = _singular(noun) if draw.random() < TOLD else "others"
    title = f"{names[0]} Meets {' and '.join(names[1:])}"
    context = f"On Monday {' and '.join(names)} were in the news again. Nobody had expected the {told} to agree."
    given = Entities(type=kind, entities=names, background=background, title=title, context=context)
    tags = {"type": kind, "size": str(size)}
    return Example(
        id=f"made-{number}", references=tuple(chosen), source=context, input=given.plain(), language="en", tags=tags
    )


def _hint(name: str, noun: str, marks: Sequence[str], kind: str, draw: random.Random) -> str:
    """What is told of an entity: its noun or another one, some of the words of its phrases and some that are not."""
    said = noun if draw.random() < TOLD else draw.choice(NOUNS[kind].split())
    words = [mark for mark in marks if draw.random() < TOLD]
    words += [draw.choice(KINDS[kind].split()) for _ in range(draw.randrange(3))]
    year = draw.randint(1900, 1999)
    return f"{name} is a {' '.join(dict.fromkeys(words))} {_singular(said)} known for work (since {year}) in the area."


def _singular(noun: str) -> str:
    return noun.removesuffix("ies") + "y" if noun.endswith("ies") else noun.removesuffix("s")


def _name(draw: random.Random) -> str:
    return " ".join("".join(draw.choice(SYLLABLES) for _ in range(2)).capitalize() for _ in range(2))
