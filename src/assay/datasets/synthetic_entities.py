"""Synthetic instances of entity aggregation, with the real proportions: gold counts, sizes, reuse of phrases.

Three quarters of the published phrases are gold for one instance only, and a few for a tenth of all. Here the noun of
a group and its usual kinds are frequent, and phrases of two kinds are used once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.datasets.synthetic_entity_texts import KINDS, NOUNS, write_texts
from assay.datasets.tesa_phrases import split_examples, with_candidates
from assay.records.kinds import Entities
from assay.records.types import Example
from assay.seeds import rng_for

GOLD = {1: 89, 2: 644, 3: 705, 4: 259, 5: 20, 6: 1}
"""Number of TESA's 1,718 instances by number of gold phrases."""
TUPLES = {2: 1299, 3: 259, 4: 74, 5: 43, 6: 43}
TYPES = {"person": 941, "location": 629, "org": 148}

STEEP, PLAIN, RARE, AGAIN = 0.95, 0.6, 0.34, 0.08
"""Exponent of the frequencies of nouns and kinds; probabilities that the noun alone is gold, that a phrase is rare, and
that a rare phrase was used before."""
OPPOSED = (
    {"northern", "southern"}, {"veteran", "young"}, {"young", "retired"}, {"local", "foreign"}, {"local", "exiled"},
    {"remote", "busy"}, {"coastal", "mountain"}, {"coastal", "inland"}, {"established", "young"}, {"local", "famous"},
    {"struggling", "wealthy"}, {"struggling", "leading"}, {"remote", "famous"}, {"ancient", "industrial"},
)  # fmt: skip
"""Kinds that one group cannot have together."""


def allotted(shares: dict[int, int] | dict[str, int], n: int) -> list[int | str]:
    """Return `n` values in these proportions, by largest remainder."""
    total = sum(shares.values())
    exact = {key: n * share / total for key, share in shares.items()}
    counts = {key: int(value) for key, value in exact.items()}
    rest = sorted(exact, key=lambda key: (counts[key] - exact[key], str(key)))
    for key in rest[: n - sum(counts.values())]:
        counts[key] += 1
    return [key for key, count in counts.items() for _ in range(count)]


@dataclass
class _Rare:
    """Rare phrases of one noun: unused and used ones."""

    fresh: Iterator[str]
    used: list[str] = field(default_factory=list)

    def draw(self, draw: random.Random) -> str:
        if self.used and draw.random() < AGAIN:
            return draw.choice(self.used)
        self.used.append(next(self.fresh))
        return self.used[-1]


def rare_phrases(kind: str, seed: int) -> dict[str, _Rare]:
    """Return phrases with two and with three words before each noun, in random order."""
    marks = list(KINDS[kind])
    phrases: dict[str, _Rare] = {}
    for noun in NOUNS[kind]:
        two = [f"{a} {b} {noun}" for a in marks for b in marks if a != b and not _opposed({a, b})]
        three = [
            f"{a} {b} {c} {noun}" for a in marks for b in marks for c in marks
            if len({a, b, c}) == 3 and not _opposed({a, b, c})
        ]  # fmt: skip
        for some in (two, three):
            rng_for(seed, "rare", kind, noun).shuffle(some)
        phrases[noun] = _Rare(iter([*two, *three]))
    return phrases


def _opposed(marks: set[str]) -> bool:
    return any(pair <= marks for pair in OPPOSED)


def synthetic_entities(n: int = 400, seed: int = 0) -> list[Example]:
    """Return `n` rankings of 24 candidates in three splits; texts about the entities suggest their phrases."""
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
    """Sample a value; earlier ones are more frequent."""
    weights = [1 / (place + 1) ** steepness for place in range(len(things))]
    return draw.choices(things, weights)[0]


def _instance(number: int, gold: int, size: int, kind: str, seed: int, rare: dict[str, _Rare]) -> Example:
    draw = rng_for(seed, "instance", number)
    noun = _ranked(draw, list(NOUNS[kind]), STEEP)
    chosen = [noun] if draw.random() < PLAIN else []
    while len(chosen) < gold:
        usual = f"{_ranked(draw, list(KINDS[kind]), STEEP)} {noun}"
        other = rare[noun].draw(draw) if draw.random() < RARE or usual in chosen else usual
        together = {word for phrase in (*chosen, other) for word in phrase.split()[:-1]}
        chosen += [other] if other not in chosen and not _opposed(together) else []
    marks = list(dict.fromkeys(word for phrase in chosen for word in phrase.split()[:-1]))
    texts = write_texts(kind, noun, marks, size, rng_for(seed, "texts", number))
    structure = Entities(
        type=kind, entities=texts.names, background=texts.background, title=texts.title, context=texts.context
    )
    return Example(
        id=f"made-{number}", references=tuple(chosen), source=texts.context, input=structure.plain(), language="en",
        tags={"type": kind, "size": str(size)},
    )  # fmt: skip
