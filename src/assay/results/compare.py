"""Comparison of systems on the same items: differences, confidence intervals, p-values and warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import AssayError
from assay.metrics.engine.statistics import Floats
from assay.results.comparison import Compared, Comparison
from assay.results.differences import differences, permutations_of
from assay.results.explanation import explain as explain_differences
from assay.results.index import INDEPENDENT
from assay.results.max_t import correct_jointly, permuted_set
from assay.results.pair import Pair, check_margins, compared_row, scores_only, without_pivots
from assay.results.pivots import RESAMPLES, pivots_of
from assay.results.result import Result
from assay.results.skewed_differences import skewness_warnings
from assay.results.verdict import LEVEL, Correction, Family, Procedure, is_significant
from assay.show.numbers import counted
from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.distributions import normal_quantile
from assay.stats.interval import check_samples
from assay.stats.paired import Difference
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
    correction: Correction | None = None,
    family: Family = "all",
    margin: Mapping[str, float] | None = None,
    bayes: bool = False,
    explain: Sequence[str] = (),
) -> Comparison:
    """Compare two results on the items that both have; the test is paired.

    Args:
        a: A result of `assay.score` or `assay.load_run`.
        b: Another one; differences are b - a.
        test: `permutation`, `bootstrap`, `t`, `wilcoxon` or `sign`.
        samples: Number of random permutations or bootstrap resamples (default: as many as the number of tests needs).
        seed: Random seed (default: 0).
        cluster: Field whose items are not independent, e.g. `parent`: whole clusters are resampled. Up to two fields,
            comma-separated; `none` for independent items (default: `parent`, or a tag that identifies documents or
            dialogues, if several items share its value).
        correction: Correction for multiple comparisons: `max-t` (Westfall and Young), `holm` or `bh`
            (Benjamini-Hochberg). Default: `max-t` for the permutation test, `holm` for other tests.
        family: Tests that are corrected together: `all`, those of a `pair` of systems, or those of a `metric`.
        margin: Negligible difference by metric, on the scale of tables (`{"rouge1": 1}` is one point); each is also
            tested for equivalence and non-inferiority.
        bayes: Also compute posterior probabilities (`chances`).
        explain: Properties of outputs (`length`, `copying`, `repetition`, `entities`, `numbers`) and fields of items
            that differences may be associated with; see `Comparison.explanation`.

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
    names = (explain,) if isinstance(explain, str) else tuple(explain)
    request = CompareRequest(test, samples, seed, cluster, correction, family, margin or {}, bayes, explain=names)
    return compare_systems([(a, b)], request)[0]


@dataclass(frozen=True)
class CompareRequest:
    """How systems are compared: the options of `assay compare`."""

    test: str = "permutation"
    samples: int | None = None
    seed: int = 0
    cluster: str | None = None
    correction: Correction | None = None
    """Default: max-T where all tests use the same permutations, Holm for other tests."""
    family: Family = "all"
    margin: Mapping[str, float] = field(default_factory=dict)
    bayes: bool = False
    intervals: bool = True
    """False to compute p only."""
    diagnosed: bool = True
    """False to leave out the warning about items that depend on each other, and effective numbers of items."""
    explain: tuple[str, ...] = ()
    """Properties and fields that differences may be associated with."""

    @property
    def corrected(self) -> Correction:
        """The correction, with its default filled in."""
        return self.correction or ("max-t" if self.takes_max_t else "holm")

    @property
    def takes_max_t(self) -> bool:
        """Whether max-T applies: it needs permutations, which two cluster fields do not have."""
        return self.test == "permutation" and "," not in (self.cluster or "")

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
        check_samples(self.samples, self.seed)

    def resolved(self, result: Result) -> CompareRequest:
        """Return the request with the clusters of a result.

        Raises:
            AssayError: The test does not allow them.
        """
        fields = result.clusters_by
        if fields and not TESTS[self.test].takes_clusters:
            raise AssayError(
                f"The {self.test} test assumes independent items, and these are in {result.units:,} clusters by "
                f"{fields}. Use --test permutation, or --cluster none to ignore the clusters."
            )
        if len(result.kinds) > 1 and (self.test not in ("permutation", "t") or self.margin or self.bayes):
            raise AssayError(f"--cluster {fields}: two cluster fields allow the t test only, without margin or bayes.")
        request = replace(self, cluster=fields or INDEPENDENT)
        if request.correction == "max-t" and not request.takes_max_t:
            raise AssayError("--correction max-t needs the permutation test with at most one cluster field. Use holm.")
        return request


def compare_systems(pairs: Sequence[tuple[Result, Result]], request: CompareRequest) -> list[Comparison]:
    """Test every pair and adjust p over each family of tests; explain the differences if requested."""
    return explained(_compare_systems(pairs, request), request)


def explained(comparisons: list[Comparison], request: CompareRequest) -> list[Comparison]:
    """Return the comparisons, with explanations if requested."""
    for comparison in (each for each in comparisons if request.explain and not each.explanation):
        comparison.explanation = explain_differences(comparison, request.explain, request.samples, request.seed)
    return comparisons


def _compare_systems(pairs: Sequence[tuple[Result, Result]], request: CompareRequest) -> list[Comparison]:
    request.check([result for pair in pairs for result in pair])
    paired = [Pair.of(a, b, request, len(pairs) == 1) for a, b in pairs]
    request = max((request.resolved(pair.a) for pair in paired), key=lambda each: (each.cluster or "").count(","))
    check_margins(request, paired)
    if request.corrected != "max-t":
        return _by_p(paired, request)
    if request.family == "pair":
        return [comparison for pair in paired for comparison in _by_max_t([pair], request, len(paired))]
    return _by_max_t(paired, request, len(paired))


def _by_max_t(paired: Sequence[Pair], request: CompareRequest, pairs: int) -> list[Comparison]:
    """Test pairs by permutation and correct them jointly; pairs on the same items share their permutations."""
    sets = _on_same_items(paired)
    permuted = [
        permuted_set([(paired[number].a, paired[number].b) for number in numbers], request, request.seed + place)
        for place, numbers in enumerate(sets)
    ]
    comparisons: dict[int, Comparison] = {}
    for numbers, made in zip(sets, correct_jointly(permuted, request, pairs), strict=True):
        for place, number in enumerate(numbers):
            pair = paired[number]
            rows = made.rows(place, pair, {**without_pivots(pair), **made.of.differences[place]}, request)
            warnings = [*pair.warnings, *_bounded_p(rows, made.how), *skewness_warnings(pair.a, pair.b, rows)]
            comparisons[number] = Comparison(pair.a, pair.b, rows, warnings, made.how, pair.apart)
    return [comparisons[number] for number in range(len(paired))]


def _on_same_items(paired: Sequence[Pair]) -> list[list[int]]:
    """Return the positions of pairs, grouped by their items and clusters."""
    if len(paired) == 1:
        return [[0]]
    sets: dict[object, list[int]] = {}
    for number, pair in enumerate(paired):
        codes = None if pair.a.codes is None else tuple(pair.a.codes)
        sets.setdefault((tuple(pair.a.index["id"]), codes), []).append(number)
    return list(sets.values())


def _by_p(paired: Sequence[Pair], request: CompareRequest) -> list[Comparison]:
    """Test pairs by any test and correct p over each family, whatever the dependence of the tests."""
    keys = [request.family_of(number, name) for number, pair in enumerate(paired) for name in pair.tested]
    largest = max((keys.count(key) for key in set(keys)), default=1)
    most = ceil(PER_TEST * largest / LEVEL)
    prepared = _prepared(paired, request)
    tasks = [(pair.a, pair.b, rows) for pair, rows in zip(paired, prepared, strict=True)]
    permuted = permutations_of(tasks, request.test, request.samples, most, request.seed)
    tested = [
        differences(*task, request.test, request.samples, counts, request.seed)
        for task, counts in zip(tasks, permuted, strict=True)
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
        tests = max((sizes[request.family_of(number, name)] for name in pair.tested), default=0)
        level = LEVEL / max(tests, 1) if request.corrected == "holm" else LEVEL
        critical = normal_quantile(1 - level / 2)
        for name in pair.names:
            if name in pair.apart:
                rows[name] = scores_only(pair, name, request)
            else:
                rows[name] = compared_row(pair, name, each.rows[name], float(adjusted[place]), request, critical)
                place += 1
        smallest = min((row.smallest_p or 0.0 for row in rows.values() if row.p is not None), default=0.0)
        how = Procedure(each.method, request.corrected, request.family, tests, len(paired), smallest=smallest)
        warnings = [*pair.warnings, *_bounded_p(rows, how)]
        if request.test == "permutation" and len(pair.a.kinds) < 2:  # two fields: Student's t
            warnings += skewness_warnings(pair.a, pair.b, rows)
        comparisons.append(Comparison(pair.a, pair.b, rows, warnings, how, pair.apart))
    return comparisons


def _prepared(pairs: Sequence[Pair], request: CompareRequest) -> list[dict[str, Difference]]:
    """Return the differences with their pivots; without pivots if a permutation test needs p only."""
    crossed = any(len(pair.a.kinds) > 1 for pair in pairs)
    if (request.intervals or request.test != "permutation") and not crossed:
        samples = request.samples or RESAMPLES
        return pivots_of([(pair.a, pair.b, pair.tested) for pair in pairs], samples, request.seed)
    return [without_pivots(pair) for pair in pairs]


def _bounded_p(rows: Mapping[str, Compared], how: Procedure) -> list[str]:
    """Return a warning for metrics that more random permutations might have made significant."""
    tested = [row for row in rows.values() if row.floor and row.p_adjusted is not None]
    short = [row.label for row in tested if not is_significant(row.p_adjusted)]
    if not short:
        return []
    return [
        f"Too few permutations for {counted(how.tests, 'test')} on {', '.join(short)}: none was as extreme as the "
        "observed difference. Increase --samples."
    ]
