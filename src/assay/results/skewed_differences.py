"""Differences that few items decide: a p that allows for skewness, and warnings about losses that may be unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.results.margin_bounds import margin_units
from assay.results.verdict import LEVEL, is_significant
from assay.show.numbers import share
from assay.stats.distributions import t_two_sided
from assay.stats.pivot import standardised
from assay.stats.skewed_test import skewed_p
from assay.stats.stacked_columns import MANY_UNITS

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.comparison import Compared
    from assay.results.rankings import Rankings
    from assay.results.result import Result

FEW = 30
"""Number of items below which a tenth of them may be absent from one sample in twenty."""


def skewness_p(a: Result, b: Result, name: str) -> float | None:
    """Return the p that a permutation test must not be below; None if the items' differences are not skewed."""
    units = _differences(a, b, name)
    return None if units is None else skewed_p(units)


def _differences(a: Result, b: Result, name: str) -> Floats | None:
    """Return the differences of items or clusters; None for metrics over words, and for very many units.

    The mean of very many units is normal, unless almost all of its variance is that of single units.
    """
    measurement = a.parts[name][0]
    if a.units >= MANY_UNITS or measurement.metric.summands(measurement.rows) is None:
        return None
    if name not in a.contributions or name not in b.contributions:
        return None
    return b.contributions[name] - a.contributions[name]


def skewness_warnings(a: Result, b: Result, rows: Mapping[str, Compared]) -> list[str]:
    """Return warnings about differences whose significance depends on rare large ones, seen or unseen."""
    skewed, unopposed = [], []
    for name, row in rows.items():
        units = _differences(a, b, name) if row.p is not None else None
        if units is None:
            continue
        p, effect = skewed_p(units), standardised(units)
        if p is not None and effect is not None:
            t = effect * len(units) ** 0.5
            if p >= LEVEL > t_two_sided(t, len(units) - 1):
                skewed.append(row.label)
        if is_significant(row.p_adjusted) and _one_sided(units) and _may_be_undone(a, b, name, units):
            unopposed.append(row.label)
    what = "clusters" if a.clusters_by else "items"
    warnings = []
    if skewed:
        warnings.append(
            f"{', '.join(skewed)}: few {what} have much larger differences than the rest. The permutation test assumes "
            "symmetric differences, so p is that of a t test corrected for skewness (Hall, 1992)."
        )
    if unopposed:
        warnings.append(_unopposed(", ".join(unopposed), "the difference", a.units, what))
    return warnings


def unopposed_marks(results: Sequence[Result], rankings: Rankings) -> list[str]:
    """Return warnings about systems of a table that are significantly different from the best although no item
    contradicts it: large opposite differences may be absent from the items."""
    by_name = {result.system: result for result in results}
    labels: dict[str, list[str]] = {}
    for name, ranking in rankings.by_name.items():
        behind = (
            [each for each in ranking.systems if each not in (*ranking.best, *ranking.tied)] if ranking.best else []
        )
        for system in behind:
            best, other = by_name[ranking.best[0]], by_name[system]
            units = _differences(best, other, name)
            if units is not None and _one_sided(units) and _may_be_undone(best, other, name, units):
                labels.setdefault(system, []).append(best.labels[name])
    first = results[0]
    what = "clusters" if first.clusters_by else "items"
    return [
        _unopposed(", ".join(shown), f"the difference of {system} from the best", first.units, what)
        for system, shown in labels.items()
    ]


def _unopposed(labels: str, claim: str, units: int, what: str) -> str:
    """Return the warning about a claim that no item contradicts."""
    return (
        f"{labels}: none of {units} {what} contradicts {claim}, but large opposite differences in up to "
        f"{share(_unseen(units))} of all {what} may be absent from the sample. They could outweigh it, and p does not "
        "allow for them."
    )


def _one_sided(units: Floats) -> bool:
    """Return whether no difference is of the other sign, up to rounding."""
    least = 1e-9 * float(np.abs(units).max(initial=0.0))
    return bool(np.all(units >= -least) or np.all(units <= least))


def _may_be_undone(a: Result, b: Result, name: str, units: Floats) -> bool:
    """Return whether opposite differences that are as large as possible, and so rare that none was drawn, could make up
    for the mean difference; few units are always warned of."""
    bounded, mean = margin_units(a, b, name), float(units.mean())
    if len(units) < FEW or bounded is None:
        return len(units) < FEW
    return abs(mean) < _unseen(len(units)) * (bounded.down if mean > 0 else bounded.up)


def _unseen(units: int) -> float:
    """Return the share of all units that is absent from one sample in twenty."""
    return 1 - float(LEVEL ** (1 / units))
