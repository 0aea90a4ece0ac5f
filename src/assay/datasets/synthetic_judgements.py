"""Synthetic judgements: annotators, a fair judge and a partial one, to practise the validation of judges."""

from __future__ import annotations

from random import Random

from assay.records.types import Judgement
from assay.seeds import rng_for

SYSTEMS = ("lead", "rewrite", "own")
"""`own` are outputs of the partial judge's own model."""
PARTIAL = 0.9
"""Points of the scale that the partial judge adds to `own`."""
NOISE = 0.7


def synthetic_judgements(items: int, seed: int = 0) -> list[Judgement]:
    """Return ratings from 1 to 5 of three annotators and two judges, for three systems."""
    draw = rng_for(seed, "judgements")
    rows = []
    for item in range(1, items + 1):
        for system in SYSTEMS:
            quality = draw.gauss(3.1, 1.1)
            for annotator in ("annotator-1", "annotator-2", "annotator-3", "fair", "partial"):
                extra = PARTIAL if (annotator, system) == ("partial", "own") else 0.0
                rows.append(Judgement(
                    id=f"item-{item:03}", system=system, annotator=annotator, criterion="quality",
                    value=_rating(quality + extra, draw), method="likert" if annotator[0] == "a" else "judge",
                ))  # fmt: skip
    return rows


FEW_SYSTEMS = tuple(f"system-{letter}" for letter in "abcdefgh")
FEW_ITEMS = 250


def synthetic_proxy_scores(items: int = FEW_ITEMS, seed: int = 0) -> list[dict[str, str | float]]:
    """Return scores of every output of eight systems: a judge that follows quality, and chrF that hardly does."""
    rows: list[dict[str, str | float]] = []
    for item in range(1, items + 1):
        for number, system in enumerate(FEW_SYSTEMS):
            quality, draw = _quality(item, number, seed), rng_for(seed, "proxies", item, number)
            judge, chrf = quality + draw.gauss(0.4, 0.6), 40 + 3 * quality + draw.gauss(0, 8)
            rows.append({"id": f"item-{item:03}", "system": system, "judge": round(judge, 2), "chrf": round(chrf, 1)})
    return rows


def synthetic_few_judgements(number: int, seed: int = 0) -> list[Judgement]:
    """Return ratings of a random sample of the outputs of `synthetic_proxy_scores`, as many of each system as fit."""
    chosen = []
    for place, system in enumerate(FEW_SYSTEMS):
        own = number // len(FEW_SYSTEMS) + (place < number % len(FEW_SYSTEMS))
        for item in sorted(rng_for(seed, "judged", place).sample(range(1, FEW_ITEMS + 1), own)):
            draw = rng_for(seed, "rating", item, place)
            chosen.append(Judgement(
                id=f"item-{item:03}", system=system, annotator=f"annotator-{draw.randint(1, 3)}", criterion="quality",
                value=_rating(_quality(item, place, seed), draw), method="likert",
            ))  # fmt: skip
    return chosen


def _quality(item: int, system: int, seed: int) -> float:
    return 2.6 + 0.12 * system + rng_for(seed, "quality", item, system).gauss(0, 1)


def _rating(quality: float, draw: Random) -> float:
    return float(min(5, max(1, round(quality + draw.gauss(0, NOISE)))))
