"""Pearson, Spearman and Kendall (tau-b and tau-c) correlations with two-sided p, and correlations within groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.distributions import normal_two_sided, t_two_sided
from assay.stats.ranks import ROUNDING, average_ranks, inversions, snapped, tie_counts
from assay.stats.validation import UndefinedStatistic, finite_pair, group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Method = Literal["pearson", "spearman", "kendall-b", "kendall-c"]
EXACT_KENDALL = 30  # rows without ties up to which the p of Kendall is exact


@dataclass(frozen=True)
class Correlation:
    """A correlation with its two-sided p, the number of rows, and the method of p."""

    r: float
    p: float
    n: int
    method: str
    df: int | None = None


def pearson(x: ArrayLike, y: ArrayLike, lost_df: int = 0) -> Correlation:
    """Return Pearson's r; p from t with n - 2 - lost_df degrees of freedom."""
    a, b = finite_pair(x, y, 3)
    return of_r(product_moment(a, b), len(a), lost_df)


def spearman(x: ArrayLike, y: ArrayLike, lost_df: int = 0) -> Correlation:
    """Return Spearman's rho, Pearson's r of average ranks; p from t with n - 2 - lost_df degrees of freedom."""
    a, b = finite_pair(x, y, 3)
    return of_r(product_moment(average_ranks(a), average_ranks(b)), len(a), lost_df, "spearman")


def of_r(r: float, n: int, lost_df: int = 0, method: str = "pearson") -> Correlation:
    """Return the p of a known correlation, e.g. one of a paper, from t with n - 2 - lost_df degrees of freedom."""
    df = n - 2 - lost_df
    if df < 1:
        raise UndefinedStatistic(f"{n} rows and {lost_df} fitted groups leave no degrees of freedom")
    t = math.inf if abs(r) >= 1 else abs(r) * math.sqrt(df / ((1 - r) * (1 + r)))
    return Correlation(r, t_two_sided(t, df), n, f"{method}, t with {df} df", df)


def kendall(x: ArrayLike, y: ArrayLike, variant: Literal["b", "c"] = "b") -> Correlation:
    """Return Kendall's tau-b or Stuart's tau-c, in O(n log n).

    p is exact for up to 30 rows without ties, else a normal approximation with correction for ties.
    """
    a, b = finite_pair(x, y, 2)
    n = len(a)
    ties_x, ties_y = tie_counts(a), tie_counts(b)
    _refuse_constant(len(ties_x), len(ties_y))
    order = np.lexsort((b, a))
    discordant = inversions(b[order])
    both = np.unique(np.column_stack([a, b]), axis=0, return_counts=True)[1]
    pairs, tied_x, tied_y = n * (n - 1) // 2, _pairs(ties_x), _pairs(ties_y)
    balance = pairs - tied_x - tied_y + _pairs(both) - 2 * discordant  # concordant minus discordant
    if variant == "b":
        tau = balance / math.sqrt(pairs - tied_x) / math.sqrt(pairs - tied_y)
    else:
        m = min(len(ties_x), len(ties_y))
        tau = 2 * m * balance / (n * n * (m - 1))
    tau = max(-1.0, min(1.0, tau))
    if tied_x == tied_y == 0 and n <= EXACT_KENDALL:
        return Correlation(tau, _exact_kendall_p(n, discordant), n, f"kendall-{variant}, exact p")
    p = normal_two_sided(balance / math.sqrt(_kendall_variance(n, ties_x, ties_y)))
    return Correlation(tau, p, n, f"kendall-{variant}, normal approximation, ties corrected")


def correlate(x: ArrayLike, y: ArrayLike, method: Method, lost_df: int = 0) -> Correlation:
    """Return the correlation of two columns by a method."""
    if method == "pearson":
        return pearson(x, y, lost_df)
    if method == "spearman":
        return spearman(x, y, lost_df)
    if method in ("kendall-b", "kendall-c"):
        return kendall(x, y, "b" if method == "kendall-b" else "c")
    raise UndefinedStatistic(f"unknown correlation '{method}'; choose pearson, spearman, kendall-b or kendall-c")


@dataclass(frozen=True)
class Averaged:
    """A correlation averaged over groups, and the groups that were left out with the reason."""

    r: float
    values: tuple[float, ...]
    method: str
    left_out: tuple[tuple[int, str], ...]

    @property
    def groups(self) -> int:
        return len(self.values)


def averaged_within(x: ArrayLike, y: ArrayLike, groups: ArrayLike, method: Method) -> Averaged:
    """Return the mean of the correlations in each group. Groups are documents at the summary level."""
    a, b = finite_pair(x, y, 2)
    codes = group_codes(groups)
    values, left_out = [], []
    for code in range(int(codes.max()) + 1):
        rows = codes == code
        try:
            values.append(correlate(a[rows], b[rows], method).r)
        except UndefinedStatistic as why:
            left_out.append((code, str(why)))
    if not values:
        raise UndefinedStatistic(f"no group of {len(left_out)} has a correlation: {left_out[0][1]}")
    return Averaged(float(np.mean(values)), tuple(values), method, tuple(left_out))


def of_group_means(x: ArrayLike, y: ArrayLike, groups: ArrayLike, method: Method) -> Correlation:
    """Return the correlation of group means. Groups are systems at the system level."""
    a, b = finite_pair(x, y, 2)
    codes = group_codes(groups)
    return correlate(group_means(a, codes), group_means(b, codes), method)


def group_means(values: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of each group; means that differ by rounding alone are made equal."""
    sizes = np.bincount(codes)
    noise = ROUNDING * np.bincount(codes, weights=np.abs(values)) / np.sqrt(sizes)
    return snapped(np.bincount(codes, weights=values) / sizes, noise)


def product_moment(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return Pearson's r, which does not depend on offset and scale of the columns. A constant column is an error."""
    da, db = centred(a), centred(b)
    _refuse_constant(1 + bool(da.any()), 1 + bool(db.any()))
    return max(-1.0, min(1.0, float(da @ db) / math.sqrt(float(da @ da)) / math.sqrt(float(db @ db))))


def centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a centred column, scaled so that squares neither overflow nor underflow; zeros for a constant column.

    Values that differ by rounding alone are constant, such as means of one number over groups of different sizes.
    """
    if float(np.ptp(values)) <= 8 * ROUNDING * float(np.abs(values).max()):
        return np.zeros(len(values))
    middle = values - np.median(values)
    middle = np.ldexp(middle, -math.frexp(float(np.abs(middle).max()))[1])  # a power of two is exact
    return np.asarray(middle - middle.mean())


def _refuse_constant(distinct_x: int, distinct_y: int) -> None:
    for name, distinct in (("first", distinct_x), ("second", distinct_y)):
        if distinct < 2:
            raise UndefinedStatistic(f"the {name} column is constant, so it has no correlation")


def _pairs(counts: NDArray[np.int64]) -> int:
    return int(np.sum(counts * (counts - 1)) // 2)


def _kendall_variance(n: int, ties_x: NDArray[np.int64], ties_y: NDArray[np.int64]) -> float:
    """Return the variance of concordant minus discordant pairs under independence, given the ties."""

    def sums(ties: NDArray[np.int64]) -> tuple[float, float, float]:
        t = ties.astype(np.float64)
        return (
            float(np.sum(t * (t - 1))),
            float(np.sum(t * (t - 1) * (t - 2))),
            float(np.sum(t * (t - 1) * (2 * t + 5))),
        )

    (x2, x3, xv), (y2, y3, yv) = sums(ties_x), sums(ties_y)
    m = float(n * (n - 1))
    variance = (m * (2 * n + 5) - xv - yv) / 18 + x2 * y2 / (2 * m)
    return variance + (x3 * y3 / (9 * m * (n - 2)) if n > 2 else 0.0)


def _exact_kendall_p(n: int, discordant: int) -> float:
    """Return the share of the n! orders that are at least as extreme, from the distribution of inversions."""
    counts = np.array([1.0])
    for size in range(2, n + 1):
        counts = np.convolve(counts, np.full(size, 1 / size))
    tail = min(discordant, n * (n - 1) // 2 - discordant)
    return min(1.0, 2 * float(counts[: tail + 1].sum()))
