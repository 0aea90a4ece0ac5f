"""Power of several correlated tests that are corrected together, by simulation of their joint distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.stats.distributions import normal_quantile
from assay.stats.skewed_interval import SKEWED
from assay.stats.skewed_test import transformed_t
from assay.stats.validation import UndefinedStatistic

Values = NDArray[np.float64]
DRAWS = 2000
"""Simulated studies: the standard error of a power of .8 is .009."""
MOST_UNITS = 10**8
MOST_RESAMPLED = 5000
"""Items up to which planned studies are resampled; with more, differences are normal."""


@dataclass(frozen=True)
class JointTests:
    """Tests of several differences on the same items, rejected in steps by max-T or Holm.

    A planned study is a bootstrap resample of the observed items, moved to the true differences, so that skewed
    differences keep their shape; without items it is normal, with the given correlation. A test rejects if its
    studentised difference is larger than the critical value of all tests that are not rejected yet.
    """

    correlation: Values
    alpha: float = 0.05
    joint: bool = True
    """Max-T, with the correlation of the tests; otherwise Holm."""
    seed: int = 0
    units: Values | None = None
    """Differences of items, one column per test; a column of NaN is simulated as normal."""
    for_skewness: bool = False
    """Whether a test of skewed differences also needs a significant t after Hall's transformation, as in `compare`."""
    _known: dict[tuple[int, ...], float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _simulated: dict[float, tuple[Values, Values, Values]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def noise(self) -> Values:
        """Studentised differences without a true difference, one row per simulated study; the same at every call."""
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        return np.asarray(np.random.default_rng(self.seed).standard_normal((2 * DRAWS, len(root))) @ root.T)

    def _studies(self, number: float) -> tuple[Values, Values, Values]:
        """Return errors of the differences in standard errors, estimated by true standard errors, and the skewness of
        the differences, by study."""
        random = np.random.default_rng(self.seed + 1)
        errors = self.noise[DRAWS:].copy()
        df = max(number - 1, 1.0)
        spreads = np.repeat(np.sqrt(random.chisquare(df, DRAWS) / df)[:, None], errors.shape[1], axis=1)
        skewness = np.zeros_like(errors)
        if self.units is None or len(self.units) > MOST_RESAMPLED:
            return errors, spreads, skewness
        count = max(2, round(number))
        known = np.flatnonzero(np.isfinite(self.units).all(axis=0) & (self.units.std(axis=0) > 0))
        values = self.units[:, known]
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        weights = random.multinomial(count, np.full(len(values), 1 / len(values)), DRAWS).astype(float)
        means, squares = weights @ values / count, weights @ values**2 / count
        errors[:, known] = means * np.sqrt(count)
        variances = np.clip(squares - means**2, 0, None)
        spreads[:, known] = np.sqrt(variances * count / (count - 1))
        if self.for_skewness:
            third = weights @ values**3 / count - 3 * means * squares + 2 * means**3
            skewness[:, known] = np.divide(third, variances**1.5, out=np.zeros_like(third), where=variances > 1e-12)
        return errors, spreads, skewness

    def critical(self, left: tuple[int, ...]) -> float:
        """Return the size from which the largest of the tests that are left is significant."""
        if left not in self._known:
            if len(left) == 1:
                self._known[left] = normal_quantile(1 - self.alpha / 2)
            elif self.joint:
                largest = np.abs(self.noise[:DRAWS, list(left)]).max(axis=1)
                self._known[left] = float(np.quantile(largest, 1 - self.alpha))
            else:
                self._known[left] = normal_quantile(1 - self.alpha / 2 / len(left))
        return self._known[left]

    def _limit(self, tests: int) -> float:
        """Return the critical value of a set of tests (bits)."""
        return self.critical(tuple(place for place in range(len(self.correlation)) if tests >> place & 1))

    def _tails(self, shifts: Values, number: float) -> Values:
        """Return the excess kurtosis of the permutation distribution of each test: sums of few large items have thin
        tails, and smaller critical values (Cornish and Fisher)."""
        tails = np.full(len(shifts), -2 * 3 / number)
        if self.units is not None:
            values = (self.units - self.units.mean(axis=0)) / self.units.std(axis=0) + shifts / np.sqrt(number)
            tails = -2 / number * (values**4).mean(axis=0) / (values**2).mean(axis=0) ** 2
        return np.asarray(np.clip(np.nan_to_num(tails, nan=-6 / number), -1, 0))

    def powers(self, shifts: Values, number: float) -> Values:
        """Return the power of each test.

        Args:
            shifts: True differences in standard errors of this number of items.
            number: Number of independent items (or clusters).
        """
        df = max(number - 1, 1.0)
        if number not in self._simulated:  # the search for a detectable difference asks for one number many times
            self._simulated[number] = self._studies(number)
        errors, spreads, skewness = self._simulated[number]
        with np.errstate(divide="ignore", invalid="ignore"):  # a study without variation rejects nothing
            t = np.nan_to_num((errors + shifts) / spreads, nan=0.0, posinf=0.0, neginf=0.0)
        # Permutations keep the observed difference in their spread.
        sizes = np.abs(t) / np.sqrt(1 + t**2 / df)
        tails = self._tails(shifts, number)
        if self.for_skewness:
            moved = np.abs(transformed_t(t, skewness, max(number, 2.0)))
            moved /= np.sqrt(1 + moved**2 / df)
            moved += tails / 24 * (moved**3 - 3 * moved)  # the limit that a permutation test has for the same p
            sizes = np.where(np.abs(skewness) > SKEWED * np.sqrt(number), np.minimum(sizes, moved), sizes)
        order = np.argsort(-sizes, axis=1)
        left = np.full(DRAWS, (1 << len(shifts)) - 1, dtype=object if len(shifts) > 62 else np.int64)
        going = np.ones(DRAWS, dtype=bool)
        rejected = np.zeros(len(shifts))
        for step in range(len(shifts)):
            first = order[:, step]
            limits = np.full(DRAWS, 1e9)
            for tests in set(left[going].tolist()):
                limits[going & (left == tests)] = self._limit(tests)
            going &= sizes[np.arange(DRAWS), first] > limits + tails[first] / 24 * (limits**3 - 3 * limits)
            np.add.at(rejected, first[going], 1)
            left = left - np.array([1 << place for place in first.tolist()], dtype=left.dtype)
        return rejected / DRAWS


def smallest(sufficient: Callable[[float], bool], start: float, most: float) -> float:
    """Return the smallest positive number, to one part in a thousand, that is sufficient.

    Args:
        sufficient: Whether a number is sufficient; if one is, larger ones are.
        start: A first guess.
        most: Numbers above it are not tried.

    Raises:
        UndefinedStatistic: No number up to `most` is sufficient.
    """
    low, high = 0.0, start
    while not sufficient(high):
        low, high = high, 2 * high
        if high > most:
            raise UndefinedStatistic(f"more than {most:,.0f} are needed")
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if sufficient(middle) else (middle, high)
    return high
