"""How much a system loses from one group of items to another: groups of a set, or a training sample and the test set.

The items of two groups are not the same, so nothing is paired: both are resampled on their own. The intervals of one
number hold together, over all of its groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.results.index import NONE, groups
from assay.results.result import Result
from assay.show.numbers import interval, number
from assay.show.tables import Cell, Column, Content, Table, write
from assay.stats.interval import check_resampling
from assay.stats.pivot import Pivot, from_spread, simultaneous

LEAST = 30
"""Items below which nothing is said of a group."""
SAMPLES = 1000


@dataclass(frozen=True)
class Gap:
    """One number of one group, and how far it lies from the others. The gap is group - others."""

    number: str
    group: str
    n: int
    value: float | None
    others: float | None
    gap: float | None
    low: float | None
    high: float | None
    why: str | None = None
    """Why there is no gap, or no interval."""

    @property
    def sure(self) -> bool:
        """Whether the interval, which holds together with those of the other groups, leaves zero out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class Gaps:
    """The gaps of a system. It prints as its table."""

    system: str
    of: str
    """What the groups are, in words."""
    against: str
    """What each is held against, in words."""
    rows: tuple[Gap, ...]
    least: int
    samples: int
    result: Result
    """Where parts and labels of the numbers are."""

    def to_dict(self) -> dict[str, Any]:
        """As `assay analyze groups --json` prints it."""
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            fields = {name: value for name, value in vars(row).items() if name not in ("number", "why") or value}
            fields.pop("number")
            found.setdefault(row.number, []).append({**fields, "sure": row.sure})
        return {
            "system": self.system, "groups": self.of, "against": self.against, "least": self.least, "metrics": found,
        }  # fmt: skip

    def table(self) -> Table:
        """Number after number, a row a group."""
        rows: list[list[Content]] = []
        last = ""
        for row in self.rows:
            part = self.result.parts[row.number][1]
            gap = f"{number(row.gap, part, signed=True)} {interval(row.low, row.high, part, signed=True)}".rstrip()
            values = [Cell(number(value, part), value) for value in (row.value, row.others)]
            mark = " *" if row.sure else "  "
            cell = Cell(gap + mark, row.gap, row.low, row.high, strong=row.sure, remark=row.why or "")
            label = self.result.labels[row.number]
            rows.append(["" if label == last else label, row.group, row.n, *values, cell])
            last = label
        columns = [
            Column("", "left"), Column(self.of, "left", fold=True), Column("n"), Column("value"),
            Column(self.against, fold=True), Column("gap (95 %)"),
        ]  # fmt: skip
        return Table(columns, rows, f"{self.system} by {self.of}", self.notes())

    def notes(self) -> list[str]:
        sure = [row for row in self.rows if row.sure]
        said = [f"{self.result.labels[row.number]} of {row.group}" for row in sure[:12]]
        more = f" and {len(sure) - 12} more" if len(sure) > 12 else ""
        first = f"Beyond chance (marked *): {', '.join(said)}{more}." if sure else "No gap is told from chance."
        whys = dict.fromkeys(f"{row.group}: {row.why}" for row in self.rows if row.why)
        how = f"Both sides resampled on their own, {self.samples:,} times; the intervals of a number hold together."
        return [first, how, *whys]

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")


def group_gaps(result: Result, by: str, *, least: int = LEAST, samples: int = SAMPLES, seed: int = 0) -> Gaps:
    """The groups of a `result` that share a value of the property `by`, each against all other items that have one.

    Groups of fewer than `least` items are named, and nothing is said of them; `samples` resamples, drawn by `seed`,
    give the intervals.

    >>> texts = ["the cat sat"] * 40 + ["a dog"] * 40
    >>> kept = [assay.Example(id=str(i), references=("the cat sat",), tags={"half": str(i // 40)}) for i in range(80)]
    >>> found = assay.group_gaps(assay.score(texts, examples=kept, metrics="rouge1"), "half")
    >>> [(gap.group, gap.gap) for gap in found.rows]
    [('0', 1.0), ('1', -1.0)]
    """
    places = {value: held for value, held in groups(result.index, by).items() if value != NONE}
    if len(places) < 2:
        raise AssayError(f"{by}: all items have the same value of it; a gap takes two groups")
    taken = {value: result.take(held) for value, held in places.items()}
    sides = []
    for value, held in places.items():
        others = [other for other in places if other != value]
        rest = np.setdiff1d(np.concatenate(list(places.values())), held)
        sides.append((value, taken[value], taken[others[0]] if len(others) == 1 else result.take(rest)))
    return _gaps(result, by, "others", sides, least, samples, seed)


def generalisation_gap(
    test: Result, others: Sequence[Result], *, least: int = LEAST, samples: int = SAMPLES, seed: int = 0
) -> Gaps:
    """A system on `others`, samples of its training or validation data, each against the same system on the `test` set.

    A large positive gap (of a number of which more is better) says that the system knows its training data by heart.
    `least`, `samples` and `seed` are as in `assay.group_gaps`.

    >>> sets = {name: [assay.Example(id=f"{name}{i}", references=("the cat sat",)) for i in range(40)] for name in "ab"}
    >>> good, bad = ["the cat sat"] * 40, ["the cat ran", "a dog"] * 20
    >>> test = assay.score(bad, examples=sets["a"], metrics="rouge1", system="test")
    >>> train = assay.score(good, examples=sets["b"], metrics="rouge1", system="train")
    >>> [(gap.group, round(gap.gap, 2)) for gap in assay.generalisation_gap(test, [train]).rows]
    [('train', 0.67)]
    """
    sides = []
    for other in others:
        shared = set(test.index["id"]) & set(other.index["id"])
        if shared:
            raise AssayError(
                f"{other.system}: {len(shared)} of its items are in {test.system}, too (the first: {min(shared)}); "
                "a sample of the same items says nothing about generalisation"
            )
        sides.append((other.system, other, test))
    return _gaps(test, "set", test.system, sides, least, samples, seed)


Sides = Sequence[tuple[str, Result, Result]]
"""The name of a group, its result, and what it is held against."""
Spread = Callable[[], Mapping[str, NDArray[np.float64]]]
"""Every number of a side, resample by resample."""


def _gaps(result: Result, of: str, against: str, sides: Sides, least: int, samples: int, seed: int) -> Gaps:
    check_resampling(samples, seed)
    if least < 2:
        raise AssayError(f"least={least}: a group takes at least 2 items to say anything of it")
    rows: list[Gap] = []
    # A side that stands in several gaps is drawn once for all: of two groups, each gap is the other's mirror.
    distinct = {id(side): side for _, one, rest in sides for side in (one, rest)}
    drawn = {key: partial(side.spread, samples, seed + i) for i, (key, side) in enumerate(distinct.items())}
    for name in result.shown:
        measured = [
            _side(name, group, one, rest, least, (drawn[id(one)], drawn[id(rest)])) for group, one, rest in sides
        ]
        ends = simultaneous([pivot for _, pivot in measured])
        for (gap, _), end in zip(measured, ends, strict=True):
            rows.append(gap if end is None else Gap(**{**vars(gap), "low": float(end[0]), "high": float(end[1])}))
    return Gaps(result.system, of, against, tuple(rows), least, samples, result)


def _side(
    name: str, group: str, one: Result, rest: Result, least: int, spreads: tuple[Spread, Spread]
) -> tuple[Gap, Pivot | None]:
    """What is known before the intervals of all groups are made to hold together."""
    values = [side.values.get(name, np.nan) for side in (one, rest)]
    value, others = (None if np.isnan(each) else float(each) for each in values)
    why = _why_not(name, one, rest, least)
    if why or value is None or others is None:
        return Gap(name, group, one.n, value, others, None, None, None, why or "it has no value"), None
    unsure = one.no_interval(name) or rest.no_interval(name)
    pivot = None
    if unsure is None:
        mine, theirs = (spread()[name] for spread in spreads)
        pivot = from_spread(value - others, mine - theirs)
    return Gap(name, group, one.n, value, others, value - others, None, None, unsure), pivot


def _why_not(name: str, one: Result, rest: Result, least: int) -> str | None:
    for side in (one, rest):
        if side.n < least:
            return f"{side.n} items, below {least}: nothing is said"
    if name not in one.parts or name not in rest.parts:
        return "only one of the two has it"
    mine, theirs = one.parts[name][0], rest.parts[name][0]
    if mine.metric.sized(one.parts[name][1]) and abs(one.n - rest.n) > 0.1 * max(one.n, rest.n):
        return f"{name} changes with the number of items ({one.n} and {rest.n}); draw samples of one size"
    same = one.signatures_here[id(mine)] == rest.signatures_here[id(theirs)]
    return None if same else "computed in different ways (signatures differ)"
