"""Two systems on the same items: differences with intervals, p-values, and warnings where they mislead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.rows import concat
from assay.results.measure import Measurement
from assay.results.result import Result
from assay.stats.adjust import holm
from assay.stats.paired import Difference, from_bootstrap, from_permutation, items_needed
from assay.stats.resample import swaps

Test = Literal["bootstrap", "permutation"]


@dataclass(frozen=True)
class Compared:
    """One number of two systems. The difference is b - a."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    items_needed: int | None = None
    """About how many items would show a difference of this size; None where the question makes no sense."""
    why: str | None = None


class Comparison(Mapping[str, Compared]):
    """All numbers of two systems, by name."""

    def __init__(self, a: Result, b: Result, rows: dict[str, Compared], warnings: list[str], test: Test) -> None:
        self.a, self.b = a, b
        self.warnings = warnings
        self.test = test
        self._rows = rows

    def __getitem__(self, name: str) -> Compared:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_dict(self) -> dict[str, Any]:
        """As `assay compare --json` prints it."""
        metrics = {}
        for name, row in self._rows.items():
            metrics[name] = {key: value for key, value in vars(row).items() if key != "why" or value}
        return {
            "a": self.a.system,
            "b": self.b.system,
            "test": self.test,
            "metrics": metrics,
            "warnings": self.warnings,
        }


def compare(a: Result, b: Result, *, test: Test = "bootstrap", samples: int = 1000, seed: int = 0) -> Comparison:
    """Compare two results on the items both have, with the same draws for both and for every metric."""
    if test not in ("bootstrap", "permutation"):
        raise AssayError(f"no test called {test}; there are bootstrap and permutation")
    warnings: list[str] = []
    a, b = _common_items(a, b, warnings)
    names = [name for name in a.shown if name in b.labels]
    if not names:
        raise AssayError(f"{a.system} and {b.system} have no metric in common; score both with the same --metrics")
    _warn(a, b, names, warnings)
    spread_a, spread_b = a.spread(samples, seed), b.spread(samples, seed)
    differences = {
        name: from_bootstrap(a.values[name], b.values[name], spread_a[name], spread_b[name]) for name in names
    }
    if test == "permutation":
        p_values = _permutation(a, b, names, samples, seed)
        differences = {name: row._replace(p=p_values[name]) for name, row in differences.items()}
    adjusted = holm([np.nan if row.p is None else row.p for row in differences.values()])
    rows = {
        name: _row(a, name, a.values[name], b.values[name], row, float(p))
        for (name, row), p in zip(differences.items(), adjusted, strict=True)
    }
    return Comparison(a, b, rows, warnings, test)


def _row(a: Result, name: str, value_a: float, value_b: float, row: Difference, adjusted: float) -> Compared:
    measurement, part = a.labels[name]
    missing = np.isnan(row.difference)
    needed = None
    if row.error is not None and not measurement.metric.size_dependent and not missing:
        needed = items_needed(row.difference, row.error, a.n)
    return Compared(
        a=None if np.isnan(value_a) else float(value_a),
        b=None if np.isnan(value_b) else float(value_b),
        difference=None if missing else row.difference,
        low=row.low,
        high=row.high,
        p=row.p,
        p_adjusted=None if np.isnan(adjusted) else adjusted,
        n=a.n,
        items_needed=needed,
        why=measurement.metric.undefined(part.name) if missing else None,
    )


def _permutation(a: Result, b: Result, names: list[str], samples: int, seed: int) -> dict[str, float | None]:
    """Fold the rows of both systems, put one after the other, over random swaps."""
    both = _stack(a, b, names)
    swapped_a = both.fold(first for first, _ in swaps(a.n, samples, seed))
    swapped_b = both.fold(second for _, second in swaps(a.n, samples, seed))  # the same swaps again
    return {name: from_permutation(a.values[name], b.values[name], swapped_a[name], swapped_b[name]) for name in names}


def _stack(a: Result, b: Result, names: list[str]) -> Result:
    stacked: list[Measurement] = []
    for mine in dict.fromkeys(a.labels[name][0] for name in names):
        theirs = next(b.labels[name][0] for name in names if a.labels[name][0] is mine)
        stacked.append(replace(mine, rows=concat([mine.rows, theirs.rows])))
    return replace(a, measurements=tuple(stacked))


def _common_items(a: Result, b: Result, warnings: list[str]) -> tuple[Result, Result]:
    ids_a, ids_b = a.index["id"].to_list(), b.index["id"].to_list()
    if ids_a == ids_b:
        return a, b
    place = {id: i for i, id in enumerate(ids_b)}
    common = [(i, place[id]) for i, id in enumerate(ids_a) if id in place]
    if not common:
        raise AssayError(f"{a.system} and {b.system} have no item in common; compare outputs for the same items")
    if len(common) < max(len(ids_a), len(ids_b)):
        warnings.append(
            f"items differ: compared on the {len(common)} that both have ({a.system} has {len(ids_a)}, "
            f"{b.system} has {len(ids_b)})"
        )
    first, second = (np.array(side, dtype=np.intp) for side in zip(*common, strict=True))
    return a.take(first), b.take(second)


def _warn(a: Result, b: Result, names: list[str], warnings: list[str]) -> None:
    if a.digest and b.digest and a.digest != b.digest:
        warnings.append("the two were not scored against the same references and sources")
    different = [name for name in names if a.labels[name][0].signature != b.labels[name][0].signature]
    for name in different:
        mine, theirs = a.labels[name][0].signature, b.labels[name][0].signature
        warnings.append(f"{name}: signatures differ, so the values are not comparable ({mine} against {theirs})")
    only = [*dict.fromkeys(part for part in [*a.labels, *b.labels] if (part in a.labels) != (part in b.labels))]
    if only:
        listed = ", ".join(only[:6]) + (" …" if len(only) > 6 else "")
        warnings.append(f"only one of the two has {listed}")
    if a.n < 100:
        warnings.append(f"{a.n} items: below 100, differences between systems are unreliable")
