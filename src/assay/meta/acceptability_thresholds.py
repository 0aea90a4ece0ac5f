"""Thresholds of an acceptability filter: the text that each keeps of every n-best list, and what it changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.errors import AssayError
from assay.metrics.engine.base import Part
from assay.models.context import Context
from assay.models.nli import load_nli
from assay.records.types import Example
from assay.results.compare import CompareRequest, compare_systems
from assay.results.result import Result
from assay.systems.neural.self_trained import first_acceptable

THRESHOLDS = tuple(tenth / 10 for tenth in range(1, 10))


class Candidates(NamedTuple):
    """The n-best list of one item, best first, with the probability that each text is unacceptable."""

    texts: Sequence[str]
    unacceptable: Sequence[float]


class Filtered(NamedTuple):
    """The texts that one threshold keeps."""

    threshold: float | None
    """Probability above which a text is dropped; None keeps the first of every list."""
    texts: tuple[str, ...]
    changed: tuple[int, ...]
    """Positions of items whose text is not the first of its list."""
    fallbacks: int
    """Items of which every text is above the threshold, so that the first is kept."""


class Row(NamedTuple):
    """One threshold, compared with the first text of every list."""

    threshold: float | None
    changed: int
    fallbacks: int
    score: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Corrected for the number of different sets of texts (max-T)."""


def filtered(lists: Sequence[Candidates], threshold: float | None) -> Filtered:
    chosen = [0 if threshold is None else first_acceptable(one.unacceptable, threshold) for one in lists]
    none = 0 if threshold is None else sum(min(one.unacceptable) > threshold for one in lists)
    texts = tuple(one.texts[place] for one, place in zip(lists, chosen, strict=True))
    changed = tuple(
        i for i, (one, text) in enumerate(zip(lists, texts, strict=True)) if text != one.texts[0]
    )  # fmt: skip
    return Filtered(threshold, texts, changed, none)


def sweep(lists: Sequence[Candidates], thresholds: Sequence[float]) -> list[Filtered]:
    """Return what no threshold and each of these keep."""
    return [filtered(lists, threshold) for threshold in (None, *thresholds)]


def compared(kept: Sequence[Filtered], results: Sequence[Result], part: Part) -> list[Row]:
    """Return a row per threshold; the first, without a threshold, is what the others are compared with."""
    different = {one.texts: result for one, result in zip(kept, results, strict=True) if one.changed}
    request = CompareRequest(family="metric")
    pairs = compare_systems([(results[0], result) for result in different.values()], request) if different else []
    by_texts = {texts: pair[part.name] for texts, pair in zip(different, pairs, strict=True)}
    rows = []
    for one, result in zip(kept, results, strict=True):
        pair = by_texts.get(one.texts)
        values = (pair.difference, pair.low, pair.high, pair.p_adjusted) if pair else (0.0, None, None, None)
        rows.append(Row(one.threshold, len(one.changed), one.fallbacks, result.scores[part.name].value, *values))
    return rows


def best(rows: Sequence[Row], part: Part) -> Row:
    """Return the best row; of equal ones the one that changes the fewest texts, then the highest threshold."""
    sign = -1 if part.better == "lower" else 1
    scored = [row for row in rows if row.score is not None]
    if not scored:
        raise AssayError(f"{part.name} cannot be computed on these items")
    return max(scored, key=lambda row: (sign * (row.score or 0.0), -row.changed, row.threshold or 1.0))


def paraphrases(
    kept: Filtered, lists: Sequence[Candidates], examples: Sequence[Example], model: str
) -> tuple[int, int]:
    """Return how many of the changed texts are paraphrases of a reference, and how many of the first texts instead of
    them: both entail each other."""
    entailment, context = load_nli(model), Context()

    def count(texts: Sequence[str]) -> int:
        pairs = [
            (text, one) for text, place in zip(texts, kept.changed, strict=True) for one in examples[place].references
        ]
        same = dict(zip(pairs, entailment.equivalent(pairs, context), strict=True))
        return sum(any(same[text, one] for one in examples[place].references)
                   for text, place in zip(texts, kept.changed, strict=True))  # fmt: skip

    return count([kept.texts[i] for i in kept.changed]), count([lists[i].texts[0] for i in kept.changed])
