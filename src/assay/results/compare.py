"""Comparison of systems on the same items: differences, confidence intervals, p-values and warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import AssayError
from assay.metrics.engine.base import Metric
from assay.metrics.engine.statistics import Floats
from assay.results.comparable import check_comparability, common_items
from assay.results.comparison import Compared, Comparison
from assay.results.differences import differences, permutations_of
from assay.results.pivots import RESAMPLES, pivots_of
from assay.results.posterior import posterior
from assay.results.result import Result
from assay.results.verdict import LEVEL, Correction, Family, Procedure, better_side, is_significant
from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.interval import MIN_RESAMPLES, check_resampling
from assay.stats.paired import Difference, items_needed
from assay.stats.paired_tests import TESTS

CORRECTIONS: dict[str, Callable[[ArrayLike], Floats]] = {"holm": holm, "bh": benjamini_hochberg}
PER_TEST = 10
"""Random permutations per test and level: a p that no permutation reaches stays below the level after correction."""


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
    """Compare two results on the items that both have; the test is paired.

    Args:
        a: A result of `assay.score` or `assay.load_run`.
        b: Another one; differences are b - a.
        test: `permutation`, `bootstrap`, `t`, `wilcoxon` or `sign`.
        samples: Number of random permutations or bootstrap resamples (default: as many as the number of tests needs).
        seed: Random seed (default: 0).
        cluster: Field whose items are not independent, e.g. `parent`: whole clusters are resampled. Up to two fields,
            comma-separated.
        correction: Correction for multiple comparisons: `holm` or `bh` (Benjamini-Hochberg).
        family: Tests that are corrected together: `all`, those of a `pair` of systems, or those of a `metric`.
        margin: Negligible difference by metric; each is also tested for equivalence and non-inferiority.
        bayes: Also compute posterior probabilities (`chances`).

    Returns:
        The compared metrics by name.

    Raises:
        AssayError: The results share no item or no metric, or an argument is out of range.

    Example:
        >>> a = assay.score(["the cat sat"] * 3, ["the cat sat"] * 3, metrics="rouge1")
        >>> b = assay.score(["a dog ran"] * 3, ["the cat sat"] * 3, metrics="rouge1")
        >>> assay.compare(a, b)["rouge1"].difference
        -1.0
    """
    request = CompareRequest(test, samples, seed, cluster, correction, family, margin or {}, bayes)
    return compare_systems([(a, b)], request)[0]


@dataclass(frozen=True)
class CompareRequest:
    """How systems are compared: the options of `assay compare`."""

    test: str = "permutation"
    samples: int | None = None
    seed: int = 0
    cluster: str | None = None
    correction: Correction | None = None
    """Default: Holm; max-T for all pairs of several systems (`results.many_systems`)."""
    family: Family = "all"
    margin: Mapping[str, float] = field(default_factory=dict)
    bayes: bool = False
    intervals: bool = True
    """False to compute p only."""

    @property
    def corrected(self) -> Correction:
        """The correction, with its default filled in."""
        return self.correction or "holm"

    def family_of(self, pair: int, name: str) -> object:
        """Return a key that is equal for all tests corrected together."""
        return {"all": None, "pair": pair, "metric": name}[self.family]

    def check(self, results: Sequence[Result]) -> None:
        """Raise AssayError for options that are unknown, out of range, or contradict each other."""
        for option, value, known in (
            ("test", self.test, tuple(TESTS)),
            ("correction", self.corrected, get_args(Correction)),
            ("family", self.family, get_args(Family)),
        ):
            if value not in known:
                raise AssayError(f"No {option} is called {value}. Use one of {', '.join(known)}.")
        for each in results:
            if not isinstance(each, Result):
                raise AssayError(f"compare: expected results of assay.score, not {type(each).__name__}.")
        if self.samples is not None and self.samples < MIN_RESAMPLES:
            raise AssayError(f"samples={self.samples}: use at least {MIN_RESAMPLES} resamples (1000 is usual).")
        check_resampling(self.samples or MIN_RESAMPLES, self.seed)
        if self.cluster and not TESTS[self.test].takes_clusters:
            raise AssayError(f"The {self.test} test assumes independent items. With --cluster use --test permutation.")
        if "," in (self.cluster or "") and (self.test not in ("permutation", "t") or self.margin or self.bayes):
            raise AssayError(
                f"--cluster {self.cluster}: two cluster fields allow the t test only, without margin or bayes."
            )
        for name, margin in self.margin.items():
            if not 0 < margin < float("inf"):
                raise AssayError(f"margin of {name}: {margin} is not a number above 0.")


class Pair(NamedTuple):
    """Two systems on their common items, and the metrics that both have."""

    a: Result
    b: Result
    names: list[str]
    warnings: list[str]
    apart: dict[str, str]
    """Metrics that are not comparable, with the reason: their scores are shown, but not tested."""

    @classmethod
    def of(cls, a: Result, b: Result, cluster: str | None) -> Pair:
        """Align two results on their common items and collect the warnings about comparing them."""
        warnings: list[str] = []
        a, b = common_items(a, b, warnings)
        a, b = a.clustered(cluster), b.clustered(cluster)
        names = [name for name in a.shown if name in b.parts]
        if not names:
            raise AssayError(f"{a.system} and {b.system} have no metric in common. Score both with the same --metrics.")
        more, apart = check_comparability(a, b, names)
        return cls(a, b, names, [*warnings, *more, *_explained(a, b, names, apart)], apart)

    @property
    def tested(self) -> list[str]:
        """The metrics that are comparable."""
        return [name for name in self.names if name not in self.apart]

    def label(self, name: str) -> str:
        """Return the display name that both share; the bare name if they differ in options."""
        return self.a.labels[name] if self.a.labels[name] == self.b.labels[name] else name


def compare_systems(pairs: Sequence[tuple[Result, Result]], request: CompareRequest) -> list[Comparison]:
    """Test every pair and adjust p over each family of tests."""
    request.check([result for pair in pairs for result in pair])
    paired = [Pair.of(a, b, request.cluster) for a, b in pairs]
    check_margins(request, paired)
    keys = [request.family_of(number, name) for number, pair in enumerate(paired) for name in pair.tested]
    largest = max((keys.count(key) for key in set(keys)), default=1)
    most = ceil(PER_TEST * largest / LEVEL)
    prepared = _prepared(paired, request)
    tasks = [(pair.a, pair.b, rows) for pair, rows in zip(paired, prepared, strict=True)]
    permuted = permutations_of(tasks, request.test, request.samples, most, request.seed)
    tested = [
        differences(*task, request.test, request.samples, counts) for task, counts in zip(tasks, permuted, strict=True)
    ]
    p_values = np.array([np.nan if row.p is None else row.p for each in tested for row in each.rows.values()])
    adjusted = np.full(len(p_values), np.nan)
    for key in dict.fromkeys(keys):
        of_family = np.array([place for place, other in enumerate(keys) if other == key])
        adjusted[of_family] = CORRECTIONS[request.corrected](p_values[of_family])
    sizes = {key: int(np.isfinite(p_values[[k == key for k in keys]]).sum()) for key in set(keys)}
    comparisons, place = [], 0
    for number, (pair, each) in enumerate(zip(paired, tested, strict=True)):
        rows = {}
        for name in pair.names:
            if name in pair.apart:
                rows[name] = scores_only(pair, name, request)
            else:
                rows[name] = compared_row(pair, name, each.rows[name], float(adjusted[place]), request)
                place += 1
        tests = max((sizes[request.family_of(number, name)] for name in pair.tested), default=0)
        how = Procedure(each.method, request.corrected, request.family, tests, len(pairs))
        warnings = [*pair.warnings, *_bounded_p(rows, how)]
        comparisons.append(Comparison(pair.a, pair.b, rows, warnings, how, pair.apart))
    return comparisons


def _prepared(pairs: Sequence[Pair], request: CompareRequest) -> list[dict[str, Difference]]:
    """Return the differences with their pivots; without pivots if a permutation test needs p only."""
    if (request.intervals or request.test != "permutation") and "," not in (request.cluster or ""):
        samples = request.samples or RESAMPLES
        return pivots_of([(pair.a, pair.b, pair.tested) for pair in pairs], samples, request.seed)
    return [{name: Difference(pair.b.values[name] - pair.a.values[name]) for name in pair.tested} for pair in pairs]


def check_margins(request: CompareRequest, pairs: Sequence[Pair]) -> None:
    """Raise AssayError for a margin of a metric that no pair has."""
    for name in request.margin:
        if not any(name in pair.names for pair in pairs):
            known = ", ".join(pairs[0].names)
            raise AssayError(f"margin of {name}: this metric is not compared. Use one of {known}.")


def _explained(a: Result, b: Result, names: Sequence[str], apart: Mapping[str, str]) -> list[str]:
    """Return what explains the differences of comparable metrics that can say so, e.g. a brevity penalty."""
    sentences = []
    for measurement in dict.fromkeys(b.parts[name][0] for name in names if name not in apart):
        if type(measurement.metric).explained is Metric.explained:
            continue
        shared = {
            part.name: name for name, (owner, part) in b.parts.items() if owner is measurement and name in a.parts
        }
        if {part.name for part in measurement.metric.parts()} == shared.keys():
            values = ({part: result.values[name] for part, name in shared.items()} for result in (a, b))
            sentences.append(measurement.metric.explained(*values))
    return [f"{b.system} against {a.system}: {words}" for words in sentences if words]


def _bounded_p(rows: Mapping[str, Compared], how: Procedure) -> list[str]:
    """Return a warning for metrics that more random permutations might have made significant."""
    tested = [row for row in rows.values() if row.floor and row.p_adjusted is not None]
    short = [row.label for row in tested if not is_significant(row.p_adjusted)]
    if not short:
        return []
    return [
        f"Too few permutations for {how.tests} tests on {', '.join(short)}: none was as extreme as the observed "
        "difference. Increase --samples."
    ]


def _scores(pair: Pair, name: str) -> tuple[float | None, float | None]:
    a, b = (float(result.values[name]) for result in (pair.a, pair.b))
    return None if np.isnan(a) else a, None if np.isnan(b) else b


def scores_only(pair: Pair, name: str, request: CompareRequest) -> Compared:
    """Return the row of a metric that is not comparable: both scores, and the reason."""
    a, b = _scores(pair, name)
    margin, why = request.margin.get(name), pair.apart[name]
    return Compared(a, b, None, None, None, None, None, pair.a.n, margin=margin, why=why, label=pair.label(name))


def compared_row(pair: Pair, name: str, row: Difference, adjusted: float, request: CompareRequest) -> Compared:
    """Return the row of a tested metric.

    Args:
        pair: Two systems on their common items.
        name: A metric of both.
        row: Its difference with p, interval and pivot.
        adjusted: p after correction, NaN if not tested.
        request: Margins, seed, and whether posterior probabilities are computed.
    """
    measurement, part = pair.a.parts[name]
    margin = request.margin.get(name)
    missing = np.isnan(row.difference)
    a, b = _scores(pair, name)
    p_adjusted = None if np.isnan(adjusted) else adjusted
    needed = None
    if row.pivot is not None and not measurement.metric.sized(part) and not missing:
        needed = items_needed(row.difference, row.pivot.error, pair.a.n)
    equal, not_worse = _margin_tests(row, margin, part.better == "lower")
    bayes = request.bayes and row.pivot is not None  # items that allow no interval allow no posterior either
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
        chances=posterior(pair.a, pair.b, name, part.better, margin, request.seed) if bayes else None,
        why=measurement.metric.undefined(part.name) if missing else row.why,
        label=pair.label(name),
    )


def _margin_tests(row: Difference, margin: float | None, lower: bool) -> tuple[float | None, float | None]:
    """Return p of the equivalence test (two one-sided tests) and p of the non-inferiority test of b."""
    if margin is None or row.pivot is None:
        return None, None
    above, below = row.pivot.p_at_most(-margin), row.pivot.p_at_least(margin)
    return max(above, below), below if lower else above
