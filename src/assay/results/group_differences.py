"""Group differences of one system: between groups of items, or between training samples and the test set.

The items of two groups differ, so the test is unpaired: both sides are resampled independently. The confidence
intervals are simultaneous over all groups and metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records.documents import JSONObject
from assay.results.dependence import dependence_warnings
from assay.results.index import NONE, groups
from assay.results.margins import within_range
from assay.results.pooled_subsets import known_errors
from assay.results.result import Result
from assay.results.sentences import listed
from assay.show.numbers import interval, number
from assay.show.tables import Cell, Column, Content, Table, write
from assay.stats.interval import check_samples
from assay.stats.pivot import Pivot, pivot_of_resamples, simultaneous
from assay.stats.pooling import partial_pooling

LEAST = 30
"""Minimum number of items of a group (default)."""
SAMPLES = 1000
"""Default number of bootstrap resamples."""


@dataclass(frozen=True)
class GroupDifference:
    """One metric of one group. The difference is group - others."""

    metric: str
    group: str
    n: int
    value: float | None
    others: float | None
    difference: float | None
    low: float | None
    high: float | None
    why: str | None = None
    """Why there is no difference or no interval."""
    pooled: float | None = None
    """The difference by partial pooling over the groups of the metric; None for fewer than three groups."""
    pooled_low: float | None = None
    pooled_high: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the simultaneous confidence interval excludes zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class GroupDifferences:
    """The group differences of one system. It prints as a table."""

    system: str
    of: str
    """What the groups are, e.g. the name of a field."""
    against: str
    """What each group is compared with."""
    rows: tuple[GroupDifference, ...]
    least: int
    samples: int
    result: Result
    """A result with the formats and labels of the metrics."""
    warnings: tuple[str, ...] = ()
    """Items that depend on each other, and are not resampled as clusters."""

    def to_dict(self) -> JSONObject:
        """Return the object that `assay analyze groups --json` prints for one system."""
        metrics: dict[str, list[dict[str, object]]] = {}
        for row in self.rows:
            fields = {
                "group": row.group, "n": row.n, "value": row.value, "others": row.others, "gap": row.difference,
                "low": row.low, "high": row.high,
            }  # fmt: skip
            fields |= {"pooled": row.pooled, "pooled_low": row.pooled_low, "pooled_high": row.pooled_high}
            why = {"why": row.why} if row.why else {}
            metrics.setdefault(row.metric, []).append({**fields, **why, "sure": row.significant})
        return {
            "system": self.system, "groups": self.of, "against": self.against, "least": self.least, "metrics": metrics,
            "cluster": self.result.clusters_by, "warnings": list(self.warnings),
        }  # fmt: skip

    def table(self) -> Table:
        """Return a table with a row for each metric and group."""
        rows: list[list[Content]] = []
        last = ""
        for row in self.rows:
            part = self.result.parts[row.metric][1]
            ends = interval(row.low, row.high, part, signed=True)
            shown = f"{number(row.difference, part, signed=True)} {ends}".rstrip() + (" *" if row.significant else "  ")
            values = [Cell(number(value, part), value) for value in (row.value, row.others)]
            cell = Cell(shown, row.difference, row.low, row.high, strong=row.significant, remark=row.why or "")
            label = self.result.labels[row.metric]
            between = interval(row.pooled_low, row.pooled_high, part, signed=True)
            pooled = Cell(
                f"{number(row.pooled, part, signed=True)} {between}".rstrip(),
                row.pooled,
                row.pooled_low,
                row.pooled_high,
            )
            rows.append(["" if label == last else label, row.group, row.n, *values, cell, *[pooled] * self._has_pooled])
            last = label
        columns = [
            Column("", "left"), Column(self.of, "left", fold=True), Column("n"), Column("score"),
            Column(self.against, fold=True), Column("difference [95 % CI]"),
            *([Column("pooled [95 % CI]")] if self._has_pooled else []),
        ]  # fmt: skip
        return Table(columns, rows, f"{self.system} by {self.of}", self.notes())

    def notes(self) -> list[str]:
        """Return the verdict, the procedure, and the reasons for missing values."""
        names = [f"{self.result.labels[row.metric]} of {row.group}" for row in self.rows if row.significant]
        verdict = f"Significant (marked *): {listed(names)}." if names else "No significant group difference."
        whys = dict.fromkeys(f"{row.group}: {row.why}" for row in self.rows if row.why)
        result = self.result
        clusters = f", clustered by {result.clusters_by} ({result.units:,} clusters)" if result.clusters_by else ""
        how = (
            f"Unpaired bootstrap, {self.samples:,} resamples of each side{clusters}; 95 % confidence intervals "
            "simultaneous over all groups and metrics."
        )
        pooled = (
            "pooled: the difference by partial pooling, with its 95 % interval. It is the estimate to report: "
            "differences of small groups are mostly noise and are drawn towards the mean of all groups."
        )
        return [verdict, how, *([pooled] if self._has_pooled else []), *whys]

    @property
    def _has_pooled(self) -> bool:
        return any(row.pooled is not None for row in self.rows)

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")


def group_differences(
    result: Result, by: str, *, least: int = LEAST, samples: int = SAMPLES, seed: int = 0, cluster: str | None = None
) -> GroupDifferences:
    """Compare groups of items of one result, each with all other items.

    Args:
        result: A result of `assay.score` or `assay.load_run`.
        by: Field whose values are the groups: `language`, `split` or a tag.
        least: Minimum number of items; smaller groups are listed without a difference.
        samples: Number of bootstrap resamples of each side.
        seed: Random seed (default: 0).
        cluster: Field whose items are resampled together, or `none`, as in `assay.compare` (default: `parent`, or a
            tag that identifies documents or dialogues, if several items share its value).

    Returns:
        One row for each metric and group; the difference is group - others.

    Raises:
        AssayError: All items have the same value of the field, or two cluster fields are named.

    Example:
        >>> texts = ["the cat sat"] * 40 + ["a dog"] * 40
        >>> halves = [
        ...     assay.Example(id=str(i), references=("the cat sat",), tags={"half": str(i // 40)}) for i in range(80)
        ... ]
        >>> differences = assay.group_differences(assay.score(texts, examples=halves, metrics="rouge1"), "half")
        >>> [(row.group, row.difference) for row in differences.rows]
        [('0', 1.0), ('1', -1.0)]
    """
    result = _clustered(result, cluster)
    places = {value: members for value, members in groups(result.index, by).items() if value != NONE}
    if len(places) < 2:
        raise AssayError(f"{by}: all items have the same value. Choose a field with two or more values.")
    taken = {value: result.take(members) for value, members in places.items()}
    sides = []
    for value, members in places.items():
        others = [other for other in places if other != value]
        rest = np.setdiff1d(np.concatenate(list(places.values())), members)
        sides.append((value, taken[value], taken[others[0]] if len(others) == 1 else result.take(rest)))
    return _differences(result, by, "others", sides, least, samples, seed, dependence_warnings([result], by))


def generalisation_gap(
    test: Result,
    others: Sequence[Result],
    *,
    least: int = LEAST,
    samples: int = SAMPLES,
    seed: int = 0,
    cluster: str | None = None,
) -> GroupDifferences:
    """Compare a system on samples of its training or validation data with the same system on the test set.

    A large positive difference (for a metric where higher is better) indicates that the system memorised its training
    data. `least`, `samples`, `seed` and `cluster` are as in `assay.group_differences`.

    Args:
        test: The result on the test set.
        others: Results of the same system on samples of training or validation data.

    Returns:
        One row for each metric and sample; the difference is sample - test.

    Raises:
        AssayError: A sample shares items with the test set.

    Example:
        >>> sets = {s: [assay.Example(id=f"{s}{i}", references=("the cat sat",)) for i in range(40)] for s in "ab"}
        >>> good, bad = ["the cat sat"] * 40, ["the cat ran", "a dog"] * 20
        >>> test = assay.score(bad, examples=sets["a"], metrics="rouge1", system="test")
        >>> train = assay.score(good, examples=sets["b"], metrics="rouge1", system="train")
        >>> [(row.group, round(row.difference, 2)) for row in assay.generalisation_gap(test, [train]).rows]
        [('train', 0.67)]
    """
    test, others = _clustered(test, cluster), [_clustered(other, cluster) for other in others]
    sides = []
    for other in others:
        shared = set(test.index.ids) & set(other.index.ids)
        if shared:
            raise AssayError(
                f"{other.system}: {len(shared)} items are also in {test.system} (first: {min(shared)}). "
                "Use samples without test items."
            )
        sides.append((other.system, other, test))
    warnings = [f"{each.system}: {text}" for each in (test, *others) for text in dependence_warnings([each])]
    return _differences(test, "set", test.system, sides, least, samples, seed, warnings)


def _clustered(result: Result, cluster: str | None) -> Result:
    clustered = result.clustered(cluster)
    if len(clustered.kinds) > 1:
        raise AssayError(f"--cluster {cluster}: group differences take one cluster field.")
    return clustered


Sides = Sequence[tuple[str, Result, Result]]
"""The name of a group, its result, and the result it is compared with."""
Resampled = Callable[[], Mapping[str, NDArray[np.float64]]]
"""Resampled values of every metric of one side."""


def _differences(
    result: Result,
    of: str,
    against: str,
    sides: Sides,
    least: int,
    samples: int,
    seed: int,
    warnings: Sequence[str],
) -> GroupDifferences:
    check_samples(samples, seed)
    if least < 2:
        raise AssayError(f"least={least}: use at least 2 items.")
    rows: list[GroupDifference] = []
    # A side of several differences is resampled once: with two groups, each difference mirrors the other.
    distinct = {id(side): side for _, one, rest in sides for side in (one, rest)}
    drawn = {key: partial(side.resampled, samples, seed + i) for i, (key, side) in enumerate(distinct.items())}
    measured = [
        _side(name, group, one, rest, least, (drawn[id(one)], drawn[id(rest)]))
        for name in result.shown
        for group, one, rest in sides
    ]
    ends = simultaneous([pivot for _, pivot in measured])  # over all groups and metrics
    for (row, _), end in zip(measured, ends, strict=True):
        low, high = within_range(*end, result.parts[row.metric][1]) if end else (None, None)
        rows.append(row if low is None or high is None else replace(row, low=float(low), high=float(high)))
    rows = _pooled(rows, [pivot for _, pivot in measured], sides)
    return GroupDifferences(result.system, of, against, tuple(rows), least, samples, result, tuple(warnings))


def _pooled(rows: Sequence[GroupDifference], pivots: Sequence[Pivot | None], sides: Sides) -> list[GroupDifference]:
    """Return the rows with differences pooled over the groups of each metric.

    Groups without an interval of their own are pooled, too: the others alone would be a selection of groups.
    """
    made = list(rows)
    for start in range(0, len(rows), len(sides)):  # the groups of a metric
        errors = _errors(rows[start].metric, sides, rows[start : start + len(sides)], pivots[start:])
        places = [start + place for place, (group, _, _) in enumerate(sides) if group in errors]
        pooled = partial_pooling([rows[place].difference or 0.0 for place in places], list(errors.values()))
        for i, place in enumerate(places if pooled else []):
            assert pooled
            middle, reach = float(pooled.estimates[i]), 1.96 * float(pooled.errors[i])
            made[place] = replace(rows[place], pooled=middle, pooled_low=middle - reach, pooled_high=middle + reach)
    return made


def _errors(
    name: str, sides: Sides, rows: Sequence[GroupDifference], pivots: Sequence[Pivot | None]
) -> dict[str, float]:
    """Return the standard error of each difference, of all groups that are tested and whose error can be known."""
    tested = {
        group: (one, rest, pivot.error if pivot else None)
        for (group, one, rest), row, pivot in zip(sides, rows, pivots, strict=False)
        if row.difference is not None
    }
    own = {group: error for group, (_, _, error) in tested.items()}
    known = known_errors(own, {group: one.contributions.get(name) for group, (one, _, _) in tested.items()})
    errors = {}
    for group, (_, rest, error) in tested.items():
        others = rest.contributions.get(name)
        if error:
            errors[group] = error
        elif group in known and others is not None:
            errors[group] = float(np.hypot(known[group], others.std(ddof=1) / len(others) ** 0.5))
    return errors


def _side(
    name: str, group: str, one: Result, rest: Result, least: int, resampled: tuple[Resampled, Resampled]
) -> tuple[GroupDifference, Pivot | None]:
    """Return a difference without interval, and the pivot from which simultaneous intervals are computed."""
    values = [side.values.get(name, np.nan) for side in (one, rest)]
    value, others = (None if np.isnan(each) else float(each) for each in values)
    why = _why_not(name, one, rest, least)
    if why or value is None or others is None:
        return GroupDifference(name, group, one.n, value, others, None, None, None, why or "undefined"), None
    unsure = one.no_interval(name) or rest.no_interval(name)
    pivot = None
    if unsure is None:
        mine, theirs = (values()[name] for values in resampled)
        pivot = pivot_of_resamples(value - others, mine - theirs)
    return GroupDifference(name, group, one.n, value, others, value - others, None, None, unsure), pivot


def _why_not(name: str, one: Result, rest: Result, least: int) -> str | None:
    for side in (one, rest):
        if side.n < least:
            return f"not tested: {side.n} items, minimum {least}"
    if name not in one.parts or name not in rest.parts:
        return "only one side has it"
    mine, theirs = one.parts[name][0], rest.parts[name][0]
    if mine.metric.sized(one.parts[name][1]) and abs(one.n - rest.n) > 0.1 * max(one.n, rest.n):
        return f"{name} depends on the number of items ({one.n} and {rest.n}); use samples of one size"
    same = one.signatures_here[id(mine)] == rest.signatures_here[id(theirs)]
    return None if same else "not comparable (signatures differ)"
