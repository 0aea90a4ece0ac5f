"""Rarefaction: expected values of metrics that depend on the number of items, at a common number of items."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.metrics.checks.linter import depends_on_size, size_warning
from assay.metrics.engine.statistics import Floats
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.stats.resample import all_items
from assay.stats.subsets import exhaustive, subsets

DRAWS = 1000
"""Default number of random subsets."""
WEIGHED_ITEMS = 100_000
"""Maximum number of items over all subsets, for metrics that compute word weights again for each subset."""
FEWEST = 50
"""Minimum number of random subsets."""


class Rarefied(msgspec.Struct, frozen=True, kw_only=True):
    """The expected value of a metric on `items` items, drawn without replacement."""

    value: float | None
    items: int
    draws: int = 0
    """Number of random subsets; 0 if a formula or all subsets give the exact value."""
    error: float = 0.0
    """Monte Carlo standard error of the value; it does not express sampling of items."""
    why: str | None = None
    """Why there is no value."""

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay score --json` prints."""
        shown = msgspec.structs.asdict(self)
        return shown if self.why else {key: shown[key] for key in shown if key != "why"}


def rarefy(
    results: Mapping[str, Result], *, items: int | None = None, draws: int = DRAWS, seed: int = 0
) -> dict[str, dict[str, Rarefied]]:
    """Rarefy the metrics that depend on the number of items, so that sets of different sizes can be compared.

    Each value is the mean over subsets of `items` items: by a formula if there is one (numbers of types), over all
    subsets if they are few, else over random subsets. NIST and CIDEr weigh words by the references of each subset.

    Args:
        results: Results by name, e.g. those of `Result.by`.
        items: Number of items (default: that of the smallest set).
        draws: Number of random subsets.
        seed: Random seed (default: 0).

    Returns:
        Rarefied values by set and metric.

    Raises:
        AssayError: `items` is larger than the smallest set, or `draws` or `seed` is out of range.

    Example:
        >>> outputs = ["the cat sat", "the cat ran", "the dog sat"]
        >>> examples = [assay.Example(id=str(i), tags={"set": s}) for i, s in enumerate("aab")]
        >>> groups = assay.score(dict(zip("012", outputs)), examples=examples, metrics="vocab-1").by("set")
        >>> {name: group.values["vocab-1"] for name, group in groups.items()}
        {'a': 4.0, 'b': 3.0}
        >>> {name: metrics["vocab-1"].value for name, metrics in assay.rarefy(groups).items()}
        {'a': 3.0, 'b': 3.0}
    """
    if not results:
        return {}
    if draws < FEWEST or seed < 0:
        raise AssayError(f"rarefy: draws={draws} must be at least {FEWEST}, and seed={seed} at least 0.")
    smallest = min(results, key=lambda name: results[name].n)
    wanted = results[smallest].n if items is None else items
    if not 1 <= wanted <= results[smallest].n:
        raise AssayError(
            f"rarefy: items={wanted} must be from 1 to {results[smallest].n}, the size of {smallest}, the smallest set."
        )
    return {name: _rarefied(result, wanted, draws, seed) for name, result in results.items()}


def lint_groups(result: Result, groups: Mapping[str, Result]) -> list[str]:
    """Return a warning if groups differ in size and the result has metrics that depend on it."""
    metrics = dict.fromkeys(m.metric.name for m in result.measurements if depends_on_size(m.metric))
    sizes = [group.n for group in groups.values()]
    if not metrics or len(set(sizes)) < 2:
        return []
    return [
        f"{size_warning(metrics)}, and the groups have {min(sizes):,} to {max(sizes):,}. "
        f"Compare values at {min(sizes):,} outputs each: --rarefy, in Python assay.rarefy."
    ]


def size_dependent(result: Result) -> list[str]:
    """Return the metrics of a result that depend on the number of items."""
    return [name for name, (measurement, part) in result.parts.items() if measurement.metric.sized(part)]


def _rarefied(result: Result, items: int, draws: int, seed: int) -> dict[str, Rarefied]:
    names = size_dependent(result)
    rarefied: dict[str, Rarefied] = {}
    for measurement in dict.fromkeys(result.parts[name][0] for name in names):
        mine = [name for name in names if result.parts[name][0] is measurement]
        metric = measurement.metric
        known = metric.expected(measurement.rows, items)
        drawn: dict[str, Floats] = {}
        if not {result.parts[name][1].name for name in mine} <= known.keys():
            drawn = _drawn(measurement, result.n, items, draws, seed)
        for name in mine:
            part = result.parts[name][1].name
            if part in known:
                rarefied[name] = Rarefied(value=known[part], items=items)
            else:
                exact = exhaustive(result.n, items, _affordable(measurement, items, draws))
                rarefied[name] = _mean(drawn[part], items, exact, metric.undefined(part))
    return {name: rarefied[name] for name in names}


def _affordable(measurement: Measurement, items: int, draws: int) -> int:
    if not measurement.metric.weighed_together:
        return draws
    return min(draws, max(FEWEST, WEIGHED_ITEMS // items))


def _drawn(measurement: Measurement, n: int, items: int, draws: int, seed: int) -> dict[str, Floats]:
    """Return the values of all parts of a metric in each subset."""
    metric, rows = measurement.metric, measurement.rows
    folded = []
    for block in subsets(n, items, _affordable(measurement, items, draws), seed):
        if metric.weighed_together:
            folded += [metric.fold(rows.take(chosen), all_items(items)) for chosen in block.indices]
        else:
            folded.append(metric.fold(rows, block))
    return {part.name: np.concatenate([values[part.name] for values in folded]) for part in metric.parts()}


def _mean(values: Floats, items: int, exact: bool, why: str) -> Rarefied:
    missing = int(np.isnan(values).sum())
    if missing:
        some = f"undefined in {missing} of {len(values)} subsets of {items} items: {why}"
        reason = why if missing == len(values) else some
        return Rarefied(value=None, items=items, draws=0 if exact else len(values), why=reason)
    if exact:
        return Rarefied(value=float(values.mean()), items=items)
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Rarefied(value=float(values.mean()), items=items, draws=len(values), error=error)
