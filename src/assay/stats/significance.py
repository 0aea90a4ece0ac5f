"""Paired tests of two systems on the same items: t, Wilcoxon signed-rank, sign and permutation test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.distributions import normal_two_sided, t_two_sided
from assay.stats.ranks import average_ranks, tie_counts
from assay.stats.validation import UndefinedStatistic, finite_pair, group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

EXACT_WILCOXON = 25  # non-zero differences up to which `auto` enumerates instead of approximating
EXACT_FLIPS = 16  # units up to which all sign flips (65,536) are enumerated


@dataclass(frozen=True)
class TestResult:
    """The result of a two-sided test."""

    statistic: float
    p: float
    n: int
    """Number of units that entered the test."""
    method: str
    """Name of the test with its variant, for reports."""
    difference: float
    df: float | None = None
    smallest_p: float = 0.0
    """The smallest p that this number of units allows; 0 without such a bound."""

    __test__ = False  # the name starts like a test class; pytest must not collect it


def paired_t(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Test paired values with Student's t on their differences.

    Raises:
        UndefinedStatistic: All differences are equal.
    """
    x, y = finite_pair(a, b, 2)
    d = x - y
    spread = float(d.std(ddof=1))
    if spread == 0:
        raise UndefinedStatistic("all differences are equal, so t has no value; use the sign or permutation test")
    t = float(d.mean()) / (spread / math.sqrt(len(d)))
    df = len(d) - 1
    return TestResult(t, t_two_sided(t, df), len(d), "paired t", float(d.mean()), df)


def wilcoxon(a: ArrayLike, b: ArrayLike, method: Literal["auto", "normal", "exact"] = "auto") -> TestResult:
    """Test paired values with Wilcoxon's signed-rank test.

    Zero differences are dropped, ties share ranks, and the statistic is min(W+, W-).

    Args:
        a: Values of one system.
        b: Values of the other system on the same items.
        method: `normal` corrects the variance for ties, without continuity correction; `exact` enumerates the signs
            of the ranks, ties included; `auto` is exact up to 25 non-zero differences.

    Raises:
        UndefinedStatistic: All differences are zero.
    """
    x, y = finite_pair(a, b, 1)
    # rounding must not split ties: 0.3 - 0.2 and 0.2 - 0.1 are the same difference
    d = np.round(x - y, 12)
    nonzero = d[d != 0]
    n = len(nonzero)
    if n == 0:
        raise UndefinedStatistic("all differences are zero, so the signed-rank test has no value")
    ranks = average_ranks(np.abs(nonzero))
    plus = float(ranks[nonzero > 0].sum())
    w = min(plus, n * (n + 1) / 2 - plus)
    if method == "exact" or (method == "auto" and n <= EXACT_WILCOXON):
        p, best = _exact_signed_rank(ranks, w), 2.0 ** (1 - n)
        return TestResult(w, p, n, "Wilcoxon signed-rank, exact", float((x - y).mean()), smallest_p=best)
    ties = tie_counts(np.abs(nonzero))
    variance = n * (n + 1) * (2 * n + 1) / 24 - float(np.sum(ties**3 - ties)) / 48
    z = (w - n * (n + 1) / 4) / math.sqrt(variance)
    name = "Wilcoxon signed-rank, normal approximation, ties corrected, zeros dropped"
    return TestResult(w, normal_two_sided(z), n, name, float((x - y).mean()))


def _exact_signed_rank(ranks: NDArray[np.float64], w: float) -> float:
    """Return the two-sided p: the share of the 2^n sign choices whose smaller rank sum is at most w."""
    doubled = np.rint(2 * ranks).astype(int)  # ranks of ties can be halves
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways = (ways + shifted) / 2
    return min(1.0, 2 * float(ways[: round(2 * w) + 1].sum()))


def sign_test(a: ArrayLike, b: ArrayLike) -> TestResult:
    """Test with an exact binomial test how often a is larger than b; ties are dropped.

    Raises:
        UndefinedStatistic: All pairs are tied.
    """
    x, y = finite_pair(a, b, 1)
    wins, losses = int(np.sum(x > y)), int(np.sum(x < y))
    n = wins + losses
    if n == 0:
        raise UndefinedStatistic("all pairs are tied, so the sign test has no value")
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1))
    p = min(1.0, float(2 * tail / 2**n) if n < 1000 else math.exp(math.log(2 * tail) - n * math.log(2)))
    method, best = "sign test, exact binomial, ties dropped", 2.0 ** (1 - n) if n < 1000 else 0.0
    return TestResult(float(wins), p, n, method, float((x - y).mean()), smallest_p=best)


def sign_flip(
    a: ArrayLike, b: ArrayLike, samples: int = 10_000, seed: int = 0, clusters: ArrayLike | None = None
) -> TestResult:
    """Test the mean difference with a paired permutation test: the systems are exchanged in each pair or cluster.

    Up to 16 units all permutations are enumerated; otherwise p = (hits + 1) / (samples + 1).

    Args:
        a: Values of one system.
        b: Values of the other system on the same items.
        samples: Number of random permutations.
        seed: Random seed.
        clusters: Cluster of each pair; whole clusters are exchanged if given.
    """
    x, y = finite_pair(a, b, 1)
    d = x - y
    units = d if clusters is None else np.bincount(group_codes(clusters), weights=d)
    moving = units[units != 0]  # zero has no sign to flip
    observed = abs(float(units.sum()))
    tolerance = 1e-12 * max(1.0, float(np.abs(units).sum()))
    name = "paired permutation test" + ("" if clusters is None else " of clusters")
    if len(moving) <= EXACT_FLIPS:
        sums = np.zeros(1)
        for value in moving:
            sums = np.concatenate([sums + value, sums - value])
        p = float(np.mean(np.abs(sums) >= observed - tolerance))
        method = f"{name}, all {len(sums):,} permutations"
    else:
        rng = np.random.default_rng(seed)
        hits, left = 0, samples
        while left:
            block = min(left, max(1, 4_000_000 // len(moving)))
            signs = rng.integers(0, 2, size=(block, len(moving)), dtype=np.int8) * np.int8(2) - np.int8(1)
            hits += int(np.sum(np.abs(signs @ moving) >= observed - tolerance))
            left -= block
        p = (hits + 1) / (samples + 1)
        method = f"{name}, {samples:,} random permutations, seed {seed}"
    return TestResult(float(d.mean()), p, len(units), method, float(d.mean()))
