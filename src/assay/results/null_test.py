"""Null test: the false-positive rate of a significance test on your own outputs, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.statistics import concat
from assay.progress import track
from assay.records.id_column import TAG
from assay.results.comparable import common_items
from assay.results.compare import CompareRequest, compare_systems
from assay.results.dependence import Diagnosis, diagnose
from assay.results.equal_means import with_equal_means
from assay.results.index import INDEPENDENT
from assay.results.result import Result
from assay.results.shared_clusters import with_same_clusters
from assay.results.verdict import LEVEL, is_significant
from assay.stats.interval import wilson_interval
from assay.stats.paired_tests import TESTS

DRAWS = 200
"""Default number of simulated comparisons."""
SAMPLES = 499
"""Permutations or resamples of each test: p has steps of .002."""
CLUSTER = "simulated cluster"
"""Field of simulated items: a cluster that is drawn twice is two clusters."""
WITH, WITHOUT = "with clusters", "without clusters"


@dataclass(frozen=True)
class FalsePositives:
    """The false-positive rate of a test: rejections among simulated comparisons without a true difference."""

    rejected: int
    draws: int
    """Number of simulations."""
    low: float
    """Lower end of the 95 % confidence interval of the rate."""
    high: float

    @property
    def share(self) -> float:
        """The false-positive rate."""
        return self.rejected / self.draws

    @property
    def kept(self) -> bool:
        """Whether the rate is compatible with the significance level: its interval is not above it."""
        return self.low <= LEVEL


Rates = dict[str, FalsePositives]
"""False-positive rates by metric."""


@dataclass(frozen=True)
class NullTest:
    """False-positive rates by metric, and of any metric after correction, of the test as `assay.compare` runs it."""

    by_name: Rates
    any_after_correction: FalsePositives
    test: str
    systems: list[str]
    cluster: str | None = None
    """Field whose clusters were simulated: those in use, or those by which items depend on each other."""
    clusters: int | None = None
    with_clusters: Rates = field(default_factory=dict)
    """Rates of the test that resamples these clusters."""
    without_clusters: Rates = field(default_factory=dict)
    """Rates of the test that treats the items of a cluster as independent."""
    dependence: Sequence[Diagnosis] = ()
    """Groupings of items that were examined, the largest design effect first."""

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay analyze null-test --json` prints."""

        def shown(rate: FalsePositives) -> dict[str, object]:
            return {"rejected": rate.share, "low": rate.low, "high": rate.high, "draws": rate.draws}

        def by_metric(rates: Rates) -> dict[str, object]:
            return {name: shown(rate) for name, rate in rates.items()}

        return {
            "level": LEVEL,
            "test": self.test,
            "systems": self.systems,
            "metrics": by_metric(self.by_name),
            "any_after_correction": shown(self.any_after_correction),
            "cluster": self.cluster,
            "clusters": self.clusters,
            "with_clusters": by_metric(self.with_clusters),
            "without_clusters": by_metric(self.without_clusters),
            "dependence": [each.to_dict() for each in self.dependence],
            "assumes_independent_items": self.cluster is None,
        }


def null_test(
    results: Sequence[Result],
    *,
    draws: int = DRAWS,
    test: str = "permutation",
    samples: int = SAMPLES,
    seed: int = 0,
    cluster: str | None = None,
) -> NullTest:
    """Estimate the false-positive rate of a test on your own outputs.

    Each simulation takes a pair of systems, resamples the items, and assigns the two outputs of every item to the two
    sides at random, so that there is no true difference. The share of p below .05 should be near 5 %.

    Items that share a document, source, reference, input or identifier are examined for dependence. If they depend on
    each other, whole clusters are resampled from differences minus their mean, and the rate is given with and without
    clusters in the test.

    Args:
        results: Two or more results of `assay.score` on the same items.
        draws: Number of simulations.
        test: The test, as in `assay.compare`.
        samples: Number of permutations or resamples of each test.
        seed: Random seed (default: 0).
        cluster: Field whose items are not independent; `none` to simulate independent items (default: the clusters of
            `assay.compare`, or else the grouping with the largest design effect).

    Returns:
        False-positive rates by metric (`by_name`), and of any metric after correction.

    Raises:
        AssayError: There are fewer than two results, or no metric can be tested.

    Example:
        >>> texts = {"a": ["the cat sat", "a dog", "no"] * 7, "b": ["a cat sat", "the dog", "so"] * 7}
        >>> results = assay.score_all(texts, ["the cat sat", "a dog", "no"] * 7, metrics="rouge1")
        >>> checked = assay.null_test(list(results.values()), draws=20)
        >>> checked.by_name["rouge1"].draws
        20
    """
    if len(results) < 2:
        raise AssayError("null test: give two or more systems; simulations swap their outputs.")
    request = CompareRequest(test, samples, seed, intervals=False)
    request.check(results)
    pairs = [with_same_clusters(common_items(a, b, []), cluster) for a, b in combinations(results, 2)]
    used = pairs[0][0]
    if len(used.kinds) > 1:
        raise AssayError(f"cluster={used.clusters_by}: the null test takes one cluster field.")
    request.resolved(used)
    diagnoses = diagnose([each.clustered(INDEPENDENT) for each in pairs[0]])
    worst = next((each.field for each in diagnoses if each.dependent), None)
    simulated = used.clusters_by or (worst if cluster != INDEPENDENT else None)
    if simulated:
        pairs = [with_same_clusters(with_equal_means(*pair), simulated) for pair in pairs]
    ways = {WITH: replace(request, cluster=CLUSTER)} if simulated and TESTS[test].takes_clusters else {}
    ways[WITHOUT] = replace(request, cluster=INDEPENDENT)
    rejected: dict[str, dict[str, list[bool]]] = {way: {} for way in ways}
    any_significant: dict[str, list[bool]] = {way: [] for way in ways}
    words = dict.fromkeys(ways, "")
    random = np.random.default_rng(seed)
    for number in track(range(draws), "null test"):
        one, other = pairs[number % len(pairs)]
        null = resample_items(one, other, random)
        if not simulated:
            null = exchange_outputs(*null, random)
        for way, each_request in ways.items():
            comparison = compare_systems([null], replace(each_request, seed=seed + number))[0]
            words[way] = comparison.test
            known = {name: row for name, row in comparison.items() if row.p is not None}
            for name, row in known.items():
                rejected[way].setdefault(name, []).append(row.p is not None and row.p < LEVEL)
            any_significant[way].append(any(is_significant(row.p_adjusted) for row in known.values()))
    if not any(rejected.values()):
        raise AssayError("No metric could be tested on these outputs. `assay compare` shows the reasons.")
    rates = {way: {name: _rate(each) for name, each in by_name.items()} for way, by_name in rejected.items()}
    way = WITH if used.clusters_by else WITHOUT
    return NullTest(
        rates[way], _rate(any_significant[way]), words[way].replace(f"by {CLUSTER} ", f"by {simulated} "),
        [result.system for result in results], simulated, pairs[0][0].units if simulated else None,
        rates.get(WITH, {}), rates[WITHOUT] if simulated else {}, diagnoses,
    )  # fmt: skip


def _rate(rejections: Sequence[bool]) -> FalsePositives:
    rejected, draws = sum(rejections), len(rejections)
    return FalsePositives(rejected, draws, *wilson_interval(rejected, draws))


def resample_items(a: Result, b: Result, random: np.random.Generator) -> tuple[Result, Result]:
    """Return both results on a bootstrap resample of items, or of whole clusters, which the field `CLUSTER` names."""
    units = a.units
    members = [[i] for i in range(a.n)] if a.codes is None else [np.flatnonzero(a.codes == u) for u in range(units)]
    drawn = random.integers(0, units, units)
    items = np.concatenate([members[unit] for unit in drawn]).astype(np.intp)
    clusters = np.repeat(np.arange(units), [len(members[unit]) for unit in drawn])
    columns = {
        name: list(map(str, values.tolist()))
        for name, values in (("id", np.arange(len(items))), (TAG + CLUSTER, clusters))
    }
    taken = [result.take(items) for result in (a, b)]
    first, second = (
        replace(each, index=each.index.with_columns(columns), cluster=INDEPENDENT if a.codes is None else CLUSTER)
        for each in taken
    )
    return first, second


def exchange_outputs(a: Result, b: Result, random: np.random.Generator) -> tuple[Result, Result]:
    """Return two systems without a true difference: the outputs of every item (or cluster) are swapped at random."""
    coins = random.integers(0, 2, a.units)
    moved = (coins if a.codes is None else coins[a.codes]) * a.n
    here = np.arange(a.n)
    sides = ((here + moved).astype(np.intp), (here + a.n - moved).astype(np.intp))
    theirs = {measurement.signature: measurement for measurement in b.measurements}
    both = [(m, concat([m.rows, theirs[m.signature].rows])) for m in a.measurements if m.signature in theirs]
    first, second = (
        replace(a, system=name, measurements=tuple(replace(m, rows=rows.take(side)) for m, rows in both))
        for name, side in zip("ab", sides, strict=True)
    )
    return first, second
