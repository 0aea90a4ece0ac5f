"""Numbers that depend on the number of items, brought to one size: their expected values in smaller sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.metrics.checks.linter import depends_on_size, size_warning
from assay.metrics.engine.statistics import Floats
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.stats.resample import whole
from assay.stats.subsets import exhaustive, subsets

DRAWS = 1000
WEIGHED_ITEMS = 100_000
"""Items that are weighed anew for one number at most: each subset has its own weights."""
FEWEST = 50
"""Subsets that are drawn at least."""


class Rarefied(msgspec.Struct, frozen=True, kw_only=True):
    """The expected value of a number in a set of `items` items drawn from those at hand, each at most once."""

    value: float | None
    items: int
    draws: int = 0
    """Subsets it is the mean of; 0 where a formula or all subsets give it exactly."""
    error: float = 0.0
    """Standard error of that mean. It says how exact the value is, not how it might come out with other items."""
    why: str | None = None
    """The reason where there is no value."""

    def to_dict(self) -> dict[str, Any]:
        """As `assay score --json` prints it."""
        shown = msgspec.structs.asdict(self)
        return shown if self.why else {key: shown[key] for key in shown if key != "why"}


def rarefy(
    results: Mapping[str, Result], *, items: int | None = None, draws: int = DRAWS, seed: int = 0
) -> dict[str, dict[str, Rarefied]]:
    """The numbers of several `results` that depend on the number of items, as if all had the same number.

    `results` are sets by name, such as `Result.by` gives; `items` is the number of the smallest unless another is asked
    for. Each value is the mean over subsets of so many items: by a formula where there is one (numbers of types), over
    all subsets where they are few, else over as many as `draws` says, from `seed` on. NIST and CIDEr weigh words by the
    references of the set, so every subset is weighed anew.

    >>> outputs = ["the cat sat", "the cat ran", "the dog sat"]
    >>> examples = [assay.Example(id=str(i), tags={"set": s}) for i, s in enumerate("aab")]
    >>> groups = assay.score(dict(zip("012", outputs)), examples=examples, metrics="vocab-1").by("set")
    >>> {name: group.values["vocab-1"] for name, group in groups.items()}
    {'a': 4.0, 'b': 3.0}
    >>> {name: numbers["vocab-1"].value for name, numbers in assay.rarefy(groups).items()}
    {'a': 3.0, 'b': 3.0}
    """
    if not results:
        return {}
    if draws < FEWEST or seed < 0:
        raise AssayError(f"rarefy: draws={draws} must be at least {FEWEST}, and seed={seed} at least 0")
    smallest = min(results, key=lambda name: results[name].n)
    wanted = results[smallest].n if items is None else items
    if not 1 <= wanted <= results[smallest].n:
        raise AssayError(
            f"rarefy: items={wanted} must be from 1 to {results[smallest].n}, which is what {smallest} has; "
            "a set cannot be made larger than it is"
        )
    return {name: _rarefied(result, wanted, draws, seed) for name, result in results.items()}


def lint_groups(result: Result, groups: Mapping[str, Result]) -> list[str]:
    """For groups of items side by side: numbers of the result that differ between them for their sizes alone."""
    metrics = dict.fromkeys(m.metric.name for m in result.measurements if depends_on_size(m.metric))
    sizes = [group.n for group in groups.values()]
    if not metrics or len(set(sizes)) < 2:
        return []
    return [
        f"{size_warning(metrics)}, and the groups have {min(sizes):,} to "
        f"{max(sizes):,}; compare what they would have with {min(sizes):,} each (--rarefy, in Python assay.rarefy)"
    ]


def sized_numbers(result: Result) -> list[str]:
    """The numbers of a result that depend on the number of items."""
    return [name for name, (measurement, part) in result.parts.items() if measurement.metric.sized(part)]


def _rarefied(result: Result, items: int, draws: int, seed: int) -> dict[str, Rarefied]:
    names = sized_numbers(result)
    found: dict[str, Rarefied] = {}
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
                found[name] = Rarefied(value=known[part], items=items)
            else:
                exact = exhaustive(result.n, items, _affordable(measurement, items, draws))
                found[name] = _mean(drawn[part], items, exact, metric.undefined(part))
    return {name: found[name] for name in names}


def _affordable(measurement: Measurement, items: int, draws: int) -> int:
    if not measurement.metric.weighed_together:
        return draws
    return min(draws, max(FEWEST, WEIGHED_ITEMS // items))


def _drawn(measurement: Measurement, n: int, items: int, draws: int, seed: int) -> dict[str, Floats]:
    """The values of all numbers of a metric in each subset."""
    metric, rows = measurement.metric, measurement.rows
    folded = []
    for block in subsets(n, items, _affordable(measurement, items, draws), seed):
        if metric.weighed_together:
            folded += [metric.fold(rows.take(chosen), whole(items)) for chosen in block.indices]
        else:
            folded.append(metric.fold(rows, block))
    return {part.name: np.concatenate([values[part.name] for values in folded]) for part in metric.parts()}


def _mean(values: Floats, items: int, exact: bool, why: str) -> Rarefied:
    missing = int(np.isnan(values).sum())
    if missing:
        told = why if missing == len(values) else f"{missing} of {len(values)} sets of {items} items have none: {why}"
        return Rarefied(value=None, items=items, draws=0 if exact else len(values), why=told)
    if exact:
        return Rarefied(value=float(values.mean()), items=items)
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Rarefied(value=float(values.mean()), items=items, draws=len(values), error=error)
