"""How much of a difference between two systems is associated with properties of their outputs.

The items' contributions to the difference are regressed on the differences of the properties (Oaxaca-Blinder with
common coefficients): items on which both systems have the same properties are expected to have the same score. What a
property explains depends on the others in the model, so it is averaged over all orders (Shapley). A field of the items
explains what its subsets' unequal sizes do: the difference minus that with subsets of equal weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records.documents import JSONObject
from assay.results.contributions import sums_by_unit
from assay.results.index import INDEPENDENT, column_of
from assay.results.text_properties import PROPERTIES, property_table
from assay.stats.interval import too_few, widened_interval
from assay.stats.resample import bootstrap
from assay.stats.shapley import shapley

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.comparison import Comparison
    from assay.results.result import Result

SAMPLES = 1_000
MOST_NAMES = 8
"""Number of properties and fields; each doubles the number of models."""
MOST_VALUES = 50
"""Number of values of a field."""
TOGETHER = 0.7
"""Correlation of the changes of two properties from which their parts are said to be inseparable: each explains half of
the other."""
RIDGE = 1e-9
"""Keeps a model with a constant property solvable; relative to the largest sum of squares."""


@dataclass(frozen=True)
class Associated:
    """A part of a difference, with its 95 % confidence interval (None for too few items)."""

    value: float
    low: float | None
    high: float | None

    @property
    def excludes_zero(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class Together(NamedTuple):
    """Two properties whose changes are correlated over items."""

    first: str
    second: str
    correlation: float


@dataclass(frozen=True)
class Explanation:
    """The parts of the difference on one metric: they and the unexplained remainder sum to it."""

    difference: float
    parts: dict[str, Associated]
    unexplained: Associated
    constant: Associated
    """The difference at equal properties, in a model that has it: what is the same in all items cannot be separated
    from properties that change in all items."""
    together: tuple[Together, ...] = ()
    """Properties that change in the same items, so that their parts cannot be separated."""

    def to_dict(self) -> JSONObject:
        return {
            "difference": self.difference,
            "parts": {name: vars(part) for name, part in self.parts.items()},
            "unexplained": vars(self.unexplained),
            "constant": vars(self.constant),
            "change_together": [each._asdict() for each in self.together],
        }


def explain(comparison: Comparison, names: Sequence[str], samples: int | None, seed: int) -> dict[str, Explanation]:
    """Return the explanation of every metric that can be split by item.

    Args:
        comparison: Two systems on their common items.
        names: Properties (`length`, `copying`, `repetition`, `entities`, `numbers`) and fields of the items.
        samples: Number of bootstrap resamples of items, or of clusters (default: 1000).
        seed: Random seed.

    Raises:
        AssayError: A name is unknown or given twice, or the texts are not available.
    """
    a, b = comparison.a, comparison.b
    _check(a, names)
    properties = [name for name in names if name in PROPERTIES]
    sources = [_properties(result, properties) for result in (a, b)] if properties else []
    changes = {name: sources[1][name] - sources[0][name] for name in properties}
    groups = {name: _groups(a, name) for name in names if name not in PROPERTIES}
    alone = a.clustered(INDEPENDENT).contributions, b.clustered(INDEPENDENT).contributions
    together = tuple(_together(changes))
    explained = {}
    for name, row in comparison.items():
        if row.difference is None or any(len(each.get(name, ())) != a.n for each in alone):
            continue
        low, high = a.parts[name][1].bounds
        steepest = np.inf if low is None or high is None else high - low
        model = _Model(alone[1][name] - alone[0][name], changes, groups, steepest)
        made = _explanation(row.difference, model, names, a, samples or SAMPLES, seed)
        explained[name] = replace(made, together=together)
    if not explained:
        raise AssayError("explain: no compared metric can be split by item. Compare by another metric, e.g. rouge1.")
    return explained


def _together(changes: Mapping[str, Floats]) -> Iterator[Together]:
    """Yield pairs of properties that change together: the best prediction of one by the other, without a constant."""
    for first, second in combinations(changes, 2):
        largest = 0.0
        for known, wanted in ((changes[first], changes[second]), (changes[second], changes[first])):
            squares = (wanted**2).sum(axis=0)
            predicted = known @ np.linalg.lstsq(known, wanted, rcond=None)[0]
            shares = np.divide((predicted**2).sum(axis=0), squares, out=np.zeros_like(squares), where=squares > 0)
            largest = max(largest, float(np.sqrt(shares.max(initial=0.0))))
        if largest >= TOGETHER:
            yield Together(first, second, min(largest, 1.0))


def _check(result: Result, names: Sequence[str]) -> None:
    if not names or len(names) > MOST_NAMES or len(set(names)) < len(names):
        raise AssayError(f"explain {','.join(names)}: give one to {MOST_NAMES} different names.")
    for name in names:
        if name not in PROPERTIES:
            try:
                column_of(result.index, name)
            except AssayError as error:
                raise AssayError(
                    f"explain {name}: neither one of {', '.join(PROPERTIES)}, nor a field. {error}"
                ) from None
    if len(result.kinds) > 1:
        raise AssayError("explain: two cluster fields are not supported. Give one field with --cluster.")


def _properties(result: Result, names: Sequence[str]) -> dict[str, Floats]:
    items = result.texts() if callable(result.texts) else result.texts
    if items is None:
        raise AssayError(f"explain: the texts of {result.system} are not available. Give outputs files.")
    place = {id: i for i, id in enumerate(items.ids)}
    missing = [id for id in result.index.ids if id not in place]
    if missing:
        raise AssayError(f"explain: {result.system} has no text of item {missing[0]}. Give outputs files.")
    chosen = [place[id] for id in result.index.ids]
    outputs, examples = [items.outputs[i] for i in chosen], [items.examples[i] for i in chosen]
    return {name: property_table(name, outputs, examples) for name in names}


def _groups(result: Result, key: str) -> NDArray[np.int64]:
    """Return the number of each item's subset; items without a value are a subset of their own."""
    values = [str(value) for value in result.index.values(column_of(result.index, key))]
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    if not 1 < len(codes) <= MOST_VALUES:
        raise AssayError(f"explain {key}: it has {len(codes)} values; a field of 2 to {MOST_VALUES} is required.")
    return np.array([codes[value] for value in values], dtype=np.int64)


class _Model:
    """Sums over items from which every model of a resample is fitted."""

    def __init__(
        self,
        differences: Floats,
        changes: Mapping[str, Floats],
        groups: Mapping[str, NDArray[np.int64]],
        steepest: float,
    ) -> None:
        self.steepest = steepest
        widths = [change.shape[1] for change in changes.values()]
        ends = np.cumsum([0, *widths])
        self.columns = {name: list(range(ends[i], ends[i + 1])) for i, name in enumerate(changes)}
        n, self.width = len(differences), int(ends[-1])
        self.groups = {name: int(codes.max()) + 1 for name, codes in groups.items()}
        x = np.hstack(list(changes.values())) if changes else np.zeros((n, 0))
        base = np.column_stack([np.ones(n), differences, x])
        squares = (x[:, :, None] * x[:, None, :]).reshape(n, -1)
        tables = [base, x * differences[:, None], squares]
        for name, codes in groups.items():
            member = np.eye(self.groups[name])[codes]
            tables.append((member[:, :, None] * base[:, None, :]).reshape(n, -1))
        self.table: Floats = np.hstack(tables)

    def _slopes(self, squares: Floats, products: Floats) -> Floats:
        """Return the coefficients of each resample. A change of one word in ten cannot move a score by more than a
        tenth of its range, which bounds them."""
        if not products.shape[1]:
            return products
        largest = np.einsum("rii->ri", squares).max(axis=1)
        ridge = (RIDGE * largest + np.finfo(float).tiny)[:, None, None] * np.eye(products.shape[1])
        fitted = np.linalg.solve(squares + ridge, products[:, :, None])[:, :, 0]
        return np.asarray(np.clip(fitted, -self.steepest, self.steepest))

    def constants(self, sums: Floats) -> Floats:
        """Return the constant of a model with all properties, in every resample."""
        p, n = self.width, sums[:, :1]
        total, x = sums[:, 1:2], sums[:, 2 : 2 + p]
        products = sums[:, 2 + p : 2 + 2 * p] - total * x / n
        squares = (
            sums[:, 2 + 2 * p : 2 + 2 * p + p * p].reshape(len(sums), p, p)
            - x[:, :, None] * x[:, None, :] / n[:, :, None]
        )
        return np.asarray((total[:, 0] - (self._slopes(squares, products) * x).sum(axis=1)) / n[:, 0])

    def values(self, sums: Floats, chosen: frozenset[str]) -> Floats:
        """Return what the chosen names explain in every resample, given sums of the table (one row per resample)."""
        p = self.width
        columns = [column for name, own in self.columns.items() if name in chosen for column in own]
        n, total, x = sums[:, 0], sums[:, 1], sums[:, 2 : 2 + p]
        products = sums[:, 2 + p : 2 + 2 * p][:, columns]
        start = 2 + 2 * p
        squares = sums[:, start : start + p * p].reshape(len(sums), p, p)[:, columns][:, :, columns]
        slopes = np.zeros((len(sums), p))
        slopes[:, columns] = self._slopes(squares, products)
        explained = (slopes * x).sum(axis=1) / n
        start += p * p
        for name, number in self.groups.items():
            table = sums[:, start : start + number * (2 + p)].reshape(len(sums), number, 2 + p)
            start += number * (2 + p)
            if name in chosen:
                left = table[:, :, 1] - np.einsum("rgp,rp->rg", table[:, :, 2:], slopes)
                sizes = table[:, :, 0]
                means = np.divide(left, sizes, out=np.zeros_like(left), where=sizes > 0)
                equal = means.sum(axis=1) / (sizes > 0).sum(axis=1)
                explained = explained + (total - (slopes * x).sum(axis=1)) / n - equal
        return np.asarray(explained)


def _explanation(
    difference: float, model: _Model, names: Sequence[str], result: Result, samples: int, seed: int
) -> Explanation:
    units = sums_by_unit(model.table, result.codes)
    sums = [units.sum(axis=0, keepdims=True)]
    enough = too_few(len(units)) is None
    if enough:
        sums += [resample.sums(units) for resample in bootstrap(len(units), samples, seed)]
    stacked = np.vstack(sums)
    shares = shapley(names, lambda chosen: model.values(stacked, chosen))
    means = stacked[:, 1] / stacked[:, 0]
    rest = means - sum(shares.values(), start=np.zeros(len(means)))
    rest[0] = difference - sum(float(share[0]) for share in shares.values())  # corpus scores are not exactly means

    def associated(values: Floats) -> Associated:
        ends = widened_interval(float(values[0]), values[1:], len(units)) if enough else None
        return Associated(float(values[0]), *(ends or (None, None)))

    parts = {name: associated(share) for name, share in shares.items()}
    return Explanation(difference, parts, associated(rest), associated(model.constants(stacked)))
