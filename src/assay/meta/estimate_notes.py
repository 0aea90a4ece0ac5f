"""What an estimate from few judgements leaves out or cannot tell: judgements, systems, and who judged what."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars
from numpy.typing import NDArray

from assay.records.types import Judgement
from assay.show.numbers import counted, share
from assay.stats.validation import group_codes

COMMON = 0.5
"""Share of judgements by the same annotators below which two systems may differ because of them."""
LEVEL = 0.01
PERMUTATIONS = 999


def unused(judgements: Sequence[Judgement], rows: Sequence[Judgement], criterion: str) -> list[str]:
    """Say how many judgements of the criterion are not used."""
    seen = sum(row.criterion == criterion and row.suggested for row in judgements)
    left = sum(row.criterion == criterion for row in judgements) - len(rows) - seen
    notes = [f"{left} judgements of {criterion} not used: of a pilot, of parts of outputs, or labels"] if left else []
    return notes + ([f"{seen} judgements not used: their annotators saw a model's suggestion"] if seen else [])


def unjudged(frame: polars.DataFrame, names: Sequence[str]) -> list[str]:
    """Say which systems have scores and no judgements."""
    missing = sorted({*frame["system"]} - {*names})
    return [f"no judgements, so no estimate: {', '.join(missing)}"] if missing else []


def shared_annotators(rows: Sequence[Judgement]) -> list[str]:
    """Warn if systems were judged by different annotators, more than a random assignment explains: the difference of
    two systems is then partly that between a lenient and a strict annotator."""
    systems = sorted({row.system for row in rows})
    person, system = group_codes([row.annotator for row in rows]), group_codes([row.system for row in rows])
    if len(systems) < 2 or person.max() == 0:
        return []
    counts = _counts(person, system)
    shares = counts / counts.sum(axis=0)
    named = [rows[int(place)].system for place in np.unique(system, return_index=True)[1]]
    common = {
        (a, b): float(np.minimum(shares[:, a], shares[:, b]).sum()) for a, b in combinations(range(len(named)), 2)
    }
    first, second = min(common, key=lambda pair: common[pair])
    if common[first, second] >= COMMON or _p_of_assignment(person, system) > LEVEL:
        return []
    few = sum(each < COMMON for each in common.values())
    others = f" (and {counted(few - 1, 'other pair')})" if few > 1 else ""
    return [
        f"{named[first]} and {named[second]}{others} were judged by different annotators: "
        f"{share(common[first, second])} of their judgements are by the same ones. The difference of the systems "
        "includes that of the annotators. Let every annotator judge all systems."
    ]


def _counts(person: NDArray[np.int64], system: NDArray[np.int64]) -> NDArray[np.float64]:
    cells = (int(person.max()) + 1, int(system.max()) + 1)
    return np.bincount(person * cells[1] + system, minlength=cells[0] * cells[1]).reshape(cells).astype(np.float64)


def _p_of_assignment(person: NDArray[np.int64], system: NDArray[np.int64]) -> float:
    """Return p of the hypothesis that annotators are random within systems (chi-squared by permutations)."""
    counts = _counts(person, system)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(person)
    observed, draw = float((counts**2 / expected).sum()), np.random.default_rng(0)
    reached = sum(
        float((_counts(draw.permutation(person), system) ** 2 / expected).sum()) >= observed - 1e-9
        for _ in range(PERMUTATIONS)
    )
    return (reached + 1) / (PERMUTATIONS + 1)
