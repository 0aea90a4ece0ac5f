"""Systems on the same items: differences with intervals, p-values, and warnings where they mislead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import AssayError
from assay.metrics.engine.base import Metric
from assay.metrics.engine.statistics import Floats
from assay.results.comparable import common_items, misgivings
from assay.results.comparison import Compared, Comparison
from assay.results.differences import differences, swaps_of
from assay.results.pivots import RESAMPLES, pivots_of
from assay.results.posterior import posterior
from assay.results.result import Result
from assay.results.verdict import LEVEL, Correction, Family, Procedure, better_side
from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.interval import MIN_RESAMPLES, check_resampling
from assay.stats.paired import Difference, items_needed
from assay.stats.paired_tests import TESTS

CORRECTIONS: dict[str, Callable[[ArrayLike], Floats]] = {"holm": holm, "bh": benjamini_hochberg}
PER_TEST = 10
"""Swaps for each test and level: then a p that no swap reaches stays below the level after correction."""


def compare(
    a: Result,
    b: Result,
    *,
    test: str = "permutation",
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    correction: Correction = "holm",
    family: Family = "all",
    margin: Mapping[str, float] | None = None,
    bayes: bool = False,
) -> Comparison:
    """Compare two results on the items both have, with the same draws for both and for every metric.

    `a` and `b` are results of `assay.score` or `assay.load_run`; the difference is b - a. `test` is one of permutation,
    bootstrap, t, wilcoxon and sign, with as many `samples` (random swaps or resamples) from `seed` on; without
    `samples`, as many as the number of tests takes. `cluster` names a property (`parent`, a tag) whose items are not
    independent and are drawn together. `correction` is Holm's (`holm`) or Benjamini and Hochberg's (`bh`), over the
    `family` of tests: all of them, those of a pair of systems, or those of a metric. `margin` says by name how much of
    a difference does not matter: each such number is then also tested for being equal within it, and not worse. With
    `bayes` those with an interval have `chances`, too: how likely a is better, both equal within the margin, b better.

    >>> a = assay.score(["the cat sat"] * 3, ["the cat sat"] * 3, metrics="rouge1")
    >>> b = assay.score(["a dog ran"] * 3, ["the cat sat"] * 3, metrics="rouge1")
    >>> assay.compare(a, b)["rouge1"].difference
    -1.0
    """
    asked = Asked(test, samples, seed, cluster, correction, family, margin or {}, bayes)
    return compare_systems([(a, b)], asked)[0]


class Asked(NamedTuple):
    """How systems are to be compared."""

    test: str = "permutation"
    samples: int | None = None
    seed: int = 0
    cluster: str | None = None
    correction: Correction | None = None
    """If not said: Holm's, or for all pairs of several systems the step-down one (`results.together`)."""
    family: Family = "all"
    margin: Mapping[str, float] = {}
    bayes: bool = False
    intervals: bool = True
    """False where only p is wanted."""

    @property
    def corrected(self) -> Correction:
        return self.correction or "holm"

    def family_of(self, pair: int, name: str) -> object:
        """The tests over which this one is corrected."""
        return {"all": None, "pair": pair, "metric": name}[self.family]

    def check(self, results: Sequence[Result]) -> None:
        """Refuse what cannot be asked."""
        for what, given, known in (
            ("test", self.test, tuple(TESTS)),
            ("correction", self.corrected, get_args(Correction)),
            ("family", self.family, get_args(Family)),
        ):
            if given not in known:
                raise AssayError(f"No {what} is called {given}. Use one of {', '.join(known)}.")
        for each in results:
            if not isinstance(each, Result):
                raise AssayError(f"compare takes results of assay.score, not a {type(each).__name__}")
        if self.samples is not None and self.samples < MIN_RESAMPLES:
            least = f"a comparison takes at least {MIN_RESAMPLES} resamples, 1000 are usual"
            raise AssayError(f"samples={self.samples}: {least}")
        check_resampling(self.samples or MIN_RESAMPLES, self.seed)
        if self.cluster and not TESTS[self.test].takes_clusters:
            raise AssayError(f"the {self.test} test takes items as independent; with --cluster use permutation")
        if "," in (self.cluster or "") and (self.test not in ("permutation", "t") or self.margin or self.bayes):
            raise AssayError(f"--cluster {self.cluster}: two kinds are tested by t alone, without margin or bayes")
        for name, margin in self.margin.items():
            if not 0 < margin < float("inf"):
                raise AssayError(f"margin of {name}: {margin} is no difference; give a number above 0")


class Pair(NamedTuple):
    """Two systems on their common items, and the numbers that both have."""

    a: Result
    b: Result
    names: list[str]
    warnings: list[str]
    apart: dict[str, str]
    """Numbers that are not comparable, and why: they are shown, and nothing is tested or said."""

    @classmethod
    def of(cls, a: Result, b: Result, cluster: str | None) -> Pair:
        warnings: list[str] = []
        a, b = common_items(a, b, warnings)
        a, b = a.clustered(cluster), b.clustered(cluster)
        names = [name for name in a.shown if name in b.parts]
        if not names:
            raise AssayError(f"{a.system} and {b.system} have no metric in common; score both with the same --metrics")
        doubts, apart = misgivings(a, b, names)
        return cls(a, b, names, [*warnings, *doubts, *_explained(a, b, names, apart)], apart)

    @property
    def tested(self) -> list[str]:
        return [name for name in self.names if name not in self.apart]

    def label(self, name: str) -> str:
        """What both call it; the bare name where they were computed with different options."""
        return self.a.labels[name] if self.a.labels[name] == self.b.labels[name] else name


def compare_systems(pairs: Sequence[tuple[Result, Result]], asked: Asked) -> list[Comparison]:
    """Every pair tested, p adjusted over each family of tests."""
    asked.check([result for pair in pairs for result in pair])
    paired = [Pair.of(a, b, asked.cluster) for a, b in pairs]
    check_margins(asked, paired)
    keys = [asked.family_of(number, name) for number, pair in enumerate(paired) for name in pair.tested]
    largest = max((keys.count(key) for key in set(keys)), default=1)
    most = ceil(PER_TEST * largest / LEVEL)
    prepared = _prepared(paired, asked)
    asking = [(pair.a, pair.b, rows) for pair, rows in zip(paired, prepared, strict=True)]
    swapped = swaps_of(asking, asked.test, asked.samples, most, asked.seed)
    tested = [
        differences(*each, asked.test, asked.samples, counts) for each, counts in zip(asking, swapped, strict=True)
    ]
    p_values = np.array([np.nan if row.p is None else row.p for each in tested for row in each.rows.values()])
    adjusted = np.full(len(p_values), np.nan)
    for key in dict.fromkeys(keys):
        of_family = np.array([place for place, other in enumerate(keys) if other == key])
        adjusted[of_family] = CORRECTIONS[asked.corrected](p_values[of_family])
    sizes = {key: int(np.isfinite(p_values[[k == key for k in keys]]).sum()) for key in set(keys)}
    found, place = [], 0
    for number, (pair, each) in enumerate(zip(paired, tested, strict=True)):
        rows = {}
        for name in pair.names:
            if name in pair.apart:
                rows[name] = values_only(pair, name, asked)
            else:
                rows[name] = row_of(pair, name, each.rows[name], float(adjusted[place]), asked)
                place += 1
        tests = max((sizes[asked.family_of(number, name)] for name in pair.tested), default=0)
        how = Procedure(each.method, asked.corrected, asked.family, tests, len(pairs))
        found.append(Comparison(pair.a, pair.b, rows, [*pair.warnings, *_floors(rows, how)], how, pair.apart))
    return found


def _prepared(pairs: Sequence[Pair], asked: Asked) -> list[dict[str, Difference]]:
    """The differences with what intervals are read from; a permutation test asked for p alone is spared that."""
    if (asked.intervals or asked.test != "permutation") and "," not in (asked.cluster or ""):
        return pivots_of([(pair.a, pair.b, pair.tested) for pair in pairs], asked.samples or RESAMPLES, asked.seed)
    return [{name: Difference(pair.b.values[name] - pair.a.values[name]) for name in pair.tested} for pair in pairs]


def check_margins(asked: Asked, pairs: Sequence[Pair]) -> None:
    """Refuse a margin of a number that nobody has."""
    for name in asked.margin:
        if not any(name in pair.names for pair in pairs):
            raise AssayError(f"margin of {name}: no such number is compared; there are {', '.join(pairs[0].names)}")


def _explained(a: Result, b: Result, names: Sequence[str], apart: Mapping[str, str]) -> list[str]:
    """What differences come from, of metrics that can tell and are comparable."""
    found = []
    for measurement in dict.fromkeys(b.parts[name][0] for name in names if name not in apart):
        if type(measurement.metric).explained is Metric.explained:
            continue
        shared = {
            part.name: name for name, (owner, part) in b.parts.items() if owner is measurement and name in a.parts
        }
        if {part.name for part in measurement.metric.parts()} == shared.keys():
            values = ({part: result.values[name] for part, name in shared.items()} for result in (a, b))
            found.append(measurement.metric.explained(*values))
    return [f"{b.system} against {a.system}: {words}" for words in found if words]


def _floors(rows: Mapping[str, Compared], how: Procedure) -> list[str]:
    """Where more swaps might have made a difference sure."""
    short = [row.label for row in rows.values() if row.floor and row.p_adjusted is not None and not how.sure(row)]
    if not short:
        return []
    return [f"{', '.join(short)}: no swap came as far, but there were too few for {how.tests} tests; raise --samples"]


def _values(pair: Pair, name: str) -> tuple[float | None, float | None]:
    a, b = (float(result.values[name]) for result in (pair.a, pair.b))
    return None if np.isnan(a) else a, None if np.isnan(b) else b


def values_only(pair: Pair, name: str, asked: Asked) -> Compared:
    """Of a number that is not comparable: the two values, and why they are not set against each other."""
    a, b = _values(pair, name)
    margin, why = asked.margin.get(name), pair.apart[name]
    return Compared(a, b, None, None, None, None, None, pair.a.n, margin=margin, why=why, label=pair.label(name))


def row_of(pair: Pair, name: str, row: Difference, adjusted: float, asked: Asked) -> Compared:
    measurement, part = pair.a.parts[name]
    margin = asked.margin.get(name)
    missing = np.isnan(row.difference)
    a, b = _values(pair, name)
    p_adjusted = None if np.isnan(adjusted) else adjusted
    needed = None
    if row.pivot is not None and not measurement.metric.sized(part) and not missing:
        needed = items_needed(row.difference, row.pivot.error, pair.a.n)
    equal, not_worse = _within(row, margin, part.better == "lower")
    believed = asked.bayes and row.pivot is not None  # items that give no interval say as little about chances
    return Compared(
        a=a,
        b=b,
        difference=None if missing else float(row.difference),
        low=row.low,
        high=row.high,
        p=row.p,
        p_adjusted=p_adjusted,
        n=pair.a.n,
        better=better_side(row.difference, p_adjusted, part.better),
        floor=row.floor,
        effect=row.effect,
        items_needed=needed,
        margin=margin,
        p_equal=equal,
        p_not_worse=not_worse if part.better else None,
        bounds=row.pivot.bounds(1 - 2 * LEVEL) if row.pivot and margin is not None else None,
        chances=posterior(pair.a, pair.b, name, part.better, margin, asked.seed) if believed else None,
        why=measurement.metric.undefined(part.name) if missing else row.why,
        label=pair.label(name),
    )


def _within(row: Difference, margin: float | None, lower: bool) -> tuple[float | None, float | None]:
    """p of two one-sided tests that the difference lies within the margin, and of the one that b is not worse by it."""
    if margin is None or row.pivot is None:
        return None, None
    above, below = row.pivot.p_at_most(-margin), row.pivot.p_at_least(margin)
    return max(above, below), below if lower else above
