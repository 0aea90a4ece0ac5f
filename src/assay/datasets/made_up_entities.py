"""Made-up instances of entity aggregation, with the real proportions: gold counts, sizes, reuse of phrases."""

from __future__ import annotations

import random

from assay.datasets.tesa_phrases import split_examples, with_candidates
from assay.records.kinds import Entities
from assay.records.types import Example
from assay.seeds import chance

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
    "person": "northern southern veteran rival young famous retired local wealthy exiled",
    "location": "northern southern coastal rival ancient famous remote busy wealthy mountain",
    "org": "northern southern veteran rival young famous failing local wealthy foreign",
}
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


def phrases(kind: str) -> list[str]:
    """All phrases of a type, the usual ones first: a noun alone, then with one word before it, then with two."""
    nouns, marks = NOUNS[kind].split(), KINDS[kind].split()
    single = [f"{mark} {noun}" for mark in marks for noun in nouns]
    double = [f"{a} {b} {noun}" for a in marks for b in marks if a < b for noun in nouns]
    return [*nouns, *single, *double]


def made_up_entities(n: int = 400, seed: int = 0) -> list[Example]:
    """`n` rankings of 24 candidates in three splits; the background of an entity hints at its phrases."""
    draw = chance(seed, "entities", n)
    golds, sizes, kinds = allotted(GOLD, n), allotted(TUPLES, n), allotted(TYPES, n)
    for column in (golds, sizes, kinds):
        draw.shuffle(column)
    examples = []
    for number, (gold, size, kind) in enumerate(zip(golds, sizes, kinds, strict=True)):
        examples.append(_instance(number, int(gold), int(size), str(kind), seed))
    return split_examples(with_candidates(examples, seed=seed), seed)


def _instance(number: int, gold: int, size: int, kind: str, seed: int) -> Example:
    draw = chance(seed, "instance", number)
    known = phrases(kind)
    usual = min(int(draw.paretovariate(0.9)) - 1, len(known) - 1)  # a few phrases are gold again and again
    first = known[usual] if draw.random() < 0.35 else draw.choice(known)
    noun = first.split()[-1]
    related = [phrase for phrase in known if phrase.split()[-1] == noun and phrase != first]
    chosen = [first]
    while len(chosen) < gold:
        pool = [noun] if draw.random() < 0.3 else related if draw.random() < 0.7 else known
        other = draw.choice(pool)
        if other not in chosen:
            chosen.append(other)
    names = [_name(draw) for _ in range(size)]
    single = noun.removesuffix("ies") + "y" if noun.endswith("ies") else noun.removesuffix("s")
    marks = sorted({word for phrase in chosen for word in phrase.split()[:-1]})
    background = []
    for name in names:
        hint = f"{name} is a {' '.join(marks)} {single} known for work (since {draw.randint(1900, 1999)}) in the area."
        background.append("" if draw.random() < 0.1 else hint)
    title = f"{names[0]} Meets {' and '.join(names[1:])}"
    context = f"On Monday {' and '.join(names)} were in the news again. Nobody had expected the {single} to agree."
    given = Entities(type=kind, entities=names, background=background, title=title, context=context)
    tags = {"type": kind, "size": str(size)}
    return Example(
        id=f"made-{number}", references=tuple(chosen), source=context, input=given.plain(), language="en", tags=tags
    )


def _name(draw: random.Random) -> str:
    return " ".join("".join(draw.choice(SYLLABLES) for _ in range(2)).capitalize() for _ in range(2))
