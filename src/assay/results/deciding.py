"""The items that make the difference between two systems: what each contributes to it, the largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.results.contributions import unit_sums

if TYPE_CHECKING:
    from assay.results.comparison import Comparison
    from assay.results.result import Result


@dataclass(frozen=True)
class DecidingItem:
    """One item, and how much of the difference b - a comes from it."""

    id: str
    contribution: float
    """Those of all items add up to the difference."""
    a: float | None
    """The number of this item alone, where there is such a thing."""
    b: float | None


@dataclass(frozen=True)
class Deciding:
    """The items that decide about one number, the largest contribution first."""

    name: str
    a: str
    b: str
    difference: float
    items: list[DecidingItem]
    n: int
    better: int
    """On how many items b is better than a; where the number only describes, higher."""
    equal: int
    worse: int

    def to_dict(self) -> dict[str, Any]:
        """As `assay compare --items --json` prints it."""
        return {**vars(self), "items": [vars(item) for item in self.items]}


def deciding(comparison: Comparison, name: str | None = None, count: int = 20) -> Deciding:
    """What `Comparison.deciding` gives."""
    if count < 1:
        raise AssayError(f"items={count}: ask for at least one")
    a, b = comparison.a.clustered(None), comparison.b.clustered(None)
    if name is None:
        name = next((each for each in comparison if _by_item(a, each) and _by_item(b, each)), None)
        if name is None:
            raise AssayError("no number here can be taken apart by item; compare by another metric, such as rouge1")
    elif name not in comparison:
        raise AssayError(f"items by {name}: it is not compared here; there are {', '.join(comparison)}")
    elif not (_by_item(a, name) and _by_item(b, name)):
        raise AssayError(f"items by {name}: it depends on all texts together, so no item decides; name another number")
    gaps = (b.contributions[name] - a.contributions[name]) / a.n
    order = np.argsort(-np.abs(gaps), kind="stable")[:count]
    ids = a.index["id"].to_list()
    values = [result.per_example[name].to_list() if name in result.per_example.columns else None for result in (a, b)]
    items = [
        DecidingItem(ids[place], float(gaps[place]), *(_number(each[place]) if each else None for each in values))
        for place in order.tolist()
    ]
    alike = _alike(a, b, name)
    up, down = int((gaps[~alike] > 0).sum()), int((gaps[~alike] < 0).sum())
    if a.parts[name][1].better == "lower":
        up, down = down, up
    difference = float(b.values[name] - a.values[name])
    return Deciding(name, a.system, b.system, difference, items, a.n, up, a.n - up - down, down)


def _by_item(result: Result, name: str) -> bool:
    return name in result.contributions and len(result.contributions[name]) == result.n


def _alike(a: Result, b: Result, name: str) -> NDArray[np.bool_]:
    """The items that count the same for both systems; of a whole corpus' number they may still contribute."""
    if name in a.per_example.columns and name in b.per_example.columns:
        mine, theirs = (np.asarray(result.per_example[name].to_numpy(), dtype=np.float64) for result in (a, b))
        return np.asarray(np.isclose(mine, theirs, rtol=1e-12, atol=1e-12))
    sums = [unit_sums(result, result.parts[name][0]) for result in (a, b)]
    if sums[0] is None or sums[1] is None:
        return np.asarray(np.isclose(a.contributions[name], b.contributions[name], rtol=1e-12, atol=1e-12))
    return np.asarray((sums[0] == sums[1]).all(axis=1))


def _number(value: float) -> float | None:
    return None if value is None or np.isnan(value) else float(value)
