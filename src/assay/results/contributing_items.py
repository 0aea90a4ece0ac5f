"""The items that contribute most to the difference between two systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.results.contributions import unit_sums
from assay.results.index import INDEPENDENT

if TYPE_CHECKING:
    from assay.results.comparison import Comparison
    from assay.results.result import Result


@dataclass(frozen=True)
class ContributingItem:
    """One item and its contribution to the difference b - a."""

    id: str
    contribution: float
    """The contributions of all items sum to the difference."""
    a: float | None
    """The score of this item alone; None for corpus-level metrics."""
    b: float | None


@dataclass(frozen=True)
class ContributingItems:
    """The items that contribute most to the difference on one metric, largest contribution first."""

    name: str
    a: str
    b: str
    difference: float
    items: list[ContributingItem]
    n: int
    better: int
    """Number of items on which b is better than a (higher, if the metric has no better direction)."""
    equal: int
    worse: int

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay compare --items --json` prints."""
        return {**vars(self), "items": [vars(item) for item in self.items]}


def contributing_items(comparison: Comparison, name: str | None = None, count: int = 20) -> ContributingItems:
    """Return the items that contribute most to a difference; see `Comparison.contributing_items`."""
    if count < 1:
        raise AssayError(f"items={count}: use a number of at least 1.")
    a, b = comparison.a.clustered(INDEPENDENT), comparison.b.clustered(INDEPENDENT)
    if name is None:
        name = next((each for each in comparison if _by_item(a, each) and _by_item(b, each)), None)
        if name is None:
            raise AssayError("No compared metric can be split by item. Compare by another metric, such as rouge1.")
    elif name not in comparison:
        raise AssayError(f"items by {name}: this metric is not compared. Use one of {', '.join(comparison)}.")
    elif not (_by_item(a, name) and _by_item(b, name)):
        raise AssayError(f"items by {name}: this metric depends on all texts together. Choose another metric.")
    differences = (b.contributions[name] - a.contributions[name]) / a.n
    order = np.argsort(-np.abs(differences), kind="stable")[:count]
    ids = a.index.ids
    values = [result.item_scores[name].tolist() if name in result.item_scores else None for result in (a, b)]
    items = [
        ContributingItem(
            ids[place], float(differences[place]), *(_number(each[place]) if each else None for each in values)
        )
        for place in order.tolist()
    ]
    changed = differences[~_are_equal(a, b, name)]
    up, down = int((changed > 0).sum()), int((changed < 0).sum())
    if a.parts[name][1].better == "lower":
        up, down = down, up
    difference = float(b.values[name] - a.values[name])
    return ContributingItems(name, a.system, b.system, difference, items, a.n, up, a.n - up - down, down)


def _by_item(result: Result, name: str) -> bool:
    return name in result.contributions and len(result.contributions[name]) == result.n


def _are_equal(a: Result, b: Result, name: str) -> NDArray[np.bool_]:
    """Return for each item whether its statistics are equal; in corpus-level metrics it may contribute nonetheless."""
    if name in a.item_scores and name in b.item_scores:
        mine, theirs = (np.asarray(result.item_scores[name], dtype=np.float64) for result in (a, b))
        return np.asarray(np.isclose(mine, theirs, rtol=1e-12, atol=1e-12))
    sums = [unit_sums(result, result.parts[name][0]) for result in (a, b)]
    if sums[0] is None or sums[1] is None:
        return np.asarray(np.isclose(a.contributions[name], b.contributions[name], rtol=1e-12, atol=1e-12))
    return np.asarray((sums[0] == sums[1]).all(axis=1))


def _number(value: float) -> float | None:
    return None if value is None or np.isnan(value) else float(value)
