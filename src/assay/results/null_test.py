"""Null test: the false-positive rate of a significance test on your own outputs, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars

from assay.errors import AssayError
from assay.metrics.engine.statistics import concat
from assay.progress import track
from assay.results.comparable import common_items
from assay.results.compare import CompareRequest, compare_systems
from assay.results.index import column_of
from assay.results.result import Result
from assay.results.verdict import LEVEL, is_significant
from assay.stats.interval import wilson_interval

DRAWS = 200
"""Default number of simulated comparisons."""
SAMPLES = 499
"""Permutations or resamples of each test: p has steps of .002."""


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


@dataclass(frozen=True)
class NullTest:
    """False-positive rates by metric, and of any metric after correction."""

    by_name: dict[str, FalsePositives]
    any_after_correction: FalsePositives
    test: str
    systems: list[str]

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay analyze null-test --json` prints."""

        def shown(rate: FalsePositives) -> dict[str, object]:
            return {"rejected": rate.share, "low": rate.low, "high": rate.high, "draws": rate.draws}

        return {
            "level": LEVEL,
            "test": self.test,
            "systems": self.systems,
            "metrics": {name: shown(rate) for name, rate in self.by_name.items()},
            "any_after_correction": shown(self.any_after_correction),
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

    Args:
        results: Two or more results of `assay.score` on the same items.
        draws: Number of simulations.
        test: The test, as in `assay.compare`.
        samples: Number of permutations or resamples of each test.
        seed: Random seed (default: 0).
        cluster: Field whose items are not independent; whole clusters are resampled and swapped.

    Returns:
        False-positive rates by metric (`by_name`), and of any metric after Holm correction.

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
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: the null test takes one cluster field.")
    pairs = [common_items(a.clustered(cluster), b.clustered(cluster), []) for a, b in combinations(results, 2)]
    request = CompareRequest(test, samples, seed, cluster, intervals=False)
    request.check(results)
    random = np.random.default_rng(seed)
    rejected: dict[str, list[bool]] = {}
    any_significant: list[bool] = []
    words = ""
    for number in track(range(draws), "null test"):
        null = exchange_outputs(*resample_items(*pairs[number % len(pairs)], random), random)
        comparison = compare_systems([null], replace(request, seed=seed + number))[0]
        words = comparison.test
        known = {name: row for name, row in comparison.items() if row.p is not None}
        for name, row in known.items():
            rejected.setdefault(name, []).append(row.p is not None and row.p < LEVEL)
        any_significant.append(any(is_significant(row.p_adjusted) for row in known.values()))
    if not rejected:
        raise AssayError("No metric could be tested on these outputs. `assay compare` shows the reasons.")
    by_name = {name: _rate(rejections) for name, rejections in rejected.items()}
    return NullTest(by_name, _rate(any_significant), words, [result.system for result in results])


def _rate(rejections: Sequence[bool]) -> FalsePositives:
    rejected, draws = sum(rejections), len(rejections)
    return FalsePositives(rejected, draws, *wilson_interval(rejected, draws))


def resample_items(a: Result, b: Result, random: np.random.Generator) -> tuple[Result, Result]:
    """Return both results on a bootstrap resample of items, or of whole clusters."""
    units = a.units
    members = [[i] for i in range(a.n)] if a.codes is None else [np.flatnonzero(a.codes == u) for u in range(units)]
    drawn = random.integers(0, units, units)
    items = np.concatenate([members[unit] for unit in drawn]).astype(np.intp)
    numbers = {"id": np.arange(len(items))}
    if a.cluster:
        numbers[column_of(a.index, a.cluster)] = np.repeat(np.arange(units), [len(members[unit]) for unit in drawn])
    columns = [polars.Series(name, values).cast(polars.String) for name, values in numbers.items()]
    taken = [result.take(items) for result in (a, b)]
    first, second = (replace(each, index=each.index.with_columns(columns)) for each in taken)
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
