"""Strengths of systems by judge: how far several judges agree on a ranking, and which place each of them prefers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

from assay.stats.adjust import holm
from assay.stats.distributions import normal_two_sided
from assay.stats.paired_comparison import PairedComparison, paired_comparison
from assay.stats.validation import UndefinedStatistic

LEVEL = 0.05


def position_columns(judges: Sequence[str]) -> dict[str, list[float]]:
    """Return one column for each judge, so that its preference for the first place is its own."""
    names = sorted({*judges})
    if len(names) == 1:
        return {"position": [1.0] * len(judges)}
    return {f"position:{name}": [float(judge == name) for judge in judges] for name in names}


def strengths_by_judge(
    judges: Sequence[str], first: Sequence[str], second: Sequence[str], results: Sequence[float], items: Sequence[str],
    covariates: Mapping[str, Sequence[float]],
) -> dict[str, PairedComparison | None]:  # fmt: skip
    """Return the strengths by each judge alone; None where they are not finite."""
    fits: dict[str, PairedComparison | None] = {}
    for name in sorted({*judges}):
        own = [place for place, judge in enumerate(judges) if judge == name]
        columns = {key: [column[place] for place in own] for key, column in covariates.items()}
        columns = {key: column for key, column in columns.items() if any(column)}
        texts = [[column[place] for place in own] for column in (first, second, items)]
        try:
            fits[name] = paired_comparison(texts[0], texts[1], [results[place] for place in own], texts[2], columns)
        except UndefinedStatistic:
            fits[name] = None
    return fits


def disagreements(fits: Mapping[str, PairedComparison | None]) -> list[str]:
    """Return the systems whose strength differs significantly between two judges (Holm over all), in words.

    The judges saw the same items, which makes the tests cautious.
    """
    tests = []
    for a, b in combinations([name for name, fit in fits.items() if fit is not None], 2):
        one, other = fits[a], fits[b]
        assert one is not None
        assert other is not None
        for system in sorted({*one.systems} & {*other.systems}):
            i, j = one.systems.index(system), other.systems.index(system)
            apart = float(one.strengths[i] - other.strengths[j])
            error = sqrt(max(0.0, float(one.covariance[i, i] + other.covariance[j, j])))
            tests.append((normal_two_sided(apart / error) if error else 1.0, system, a, b, apart))
    adjusted = holm([test[0] for test in tests]).tolist() if tests else []
    significant = [
        (abs(test[-1]), *test[1:]) for test, p in zip(tests, adjusted, strict=True) if p < LEVEL
    ]  # fmt: skip
    return [
        f"{a} and {b} differ significantly about {system}: its strength differs by {apart:+.2f}"
        for _, system, a, b, apart in sorted(significant, reverse=True)
    ]
