"""Entrainment: how far outputs follow the length and the wording of the turns before them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.bleu import Bleu
from assay.metrics.lexical.context_bleu import NAMES, SIDES, ContextBleu
from assay.models.context import Context
from assay.records.items import Items
from assay.stats.correlation import Correlation, pearson
from assay.text.tokenize import unicode_words

REFERENCES = "references"
FEWEST = 4
"""Items with turns of a side from which on a correlation is reported."""


class Entrained(NamedTuple):
    """One side of the dialog for one system, or for the references."""

    system: str
    side: str
    n: int
    """Items with a preceding turn of this side."""
    context_bleu: float
    length: Correlation | None
    """Pearson's r between the words of an output and the mean words of the turns."""
    reference_bleu: Correlation | None
    """Pearson's r between contextual BLEU-2 and sentence BLEU against the references; None for references."""


def entrainment(items: Items, turns: int = 5) -> list[Entrained]:
    """Return both sides for the outputs, then for the first references, of the items with preceding turns."""
    metric = ContextBleu(turns=turns)
    if why := metric.unfit(items):
        raise AssayError(f"entrainment: {why}")
    referenced = all(example.references for example in items.examples)
    rows = _of(items, items.system, metric, scored=referenced)
    if referenced:
        first = replace(items, outputs=tuple(example.references[0] for example in items.examples))
        rows += _of(first, REFERENCES, metric, scored=False)
    return rows


def _of(items: Items, name: str, metric: ContextBleu, scored: bool) -> list[Entrained]:
    made = np.asarray(metric.statistics(items).values)
    bleu = Bleu()
    against = np.asarray(bleu.per_example(bleu.compute(items, Context()))["bleu"]) if scored else None
    own = np.array([len(unicode_words(text)) for text in items.outputs], dtype=np.float64)
    rows = []
    for column, (side, _) in enumerate(zip(SIDES, NAMES, strict=True)):
        chosen = np.flatnonzero(made[:, 2 * column + 1])
        scores = made[chosen, 2 * column]
        lengths = np.array([_mean_length(metric.turns_of(items.examples[i], side)) for i in chosen.tolist()])
        rows.append(
            Entrained(
                name, side, len(chosen), float(scores.mean()) if len(chosen) else float("nan"),
                _correlated(own[chosen], lengths), None if against is None else _correlated(scores, against[chosen]),
            )
        )  # fmt: skip
    return rows


def _mean_length(turns: tuple[str, ...]) -> float:
    return float(np.mean([len(unicode_words(turn)) for turn in turns]))


def _correlated(x: Floats, y: Floats) -> Correlation | None:
    """Return the correlation; None for too few items or constant values."""
    if len(x) < FEWEST or not np.ptp(x) or not np.ptp(y):
        return None
    return pearson(x, y)
