"""Tail probabilities and quantiles of the normal, Student's t and F distributions, without SciPy."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def normal_two_sided(z: float) -> float:
    """Return P(|Z| >= |z|) for a standard normal Z."""
    return math.erfc(abs(z) / math.sqrt(2))


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


def t_two_sided(t: float, df: float) -> float:
    """Return P(|T| >= |t|) for Student's t with df degrees of freedom."""
    if math.isinf(t):
        return 0.0
    square = t * t
    return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square))


def t_upper(t: float, df: float) -> float:
    """Return P(T > t)."""
    half = t_two_sided(t, df) / 2
    return half if t >= 0 else 1 - half


@lru_cache(maxsize=256)
def t_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t, by Newton steps within a bracket."""
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    tail = 1 - probability
    low, high = 0.0, 2.0
    while t_upper(high, df) > tail:
        low, high = high, high * 2
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    t = min(max(normal_quantile(probability), low), high)
    for _ in range(100):
        excess = t_upper(t, df) - tail
        low, high = (t, high) if excess > 0 else (low, t)
        density = math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = t + excess / density
        following = step if low < step < high else (low + high) / 2
        if abs(following - t) <= 1e-13 * max(1.0, abs(t)):
            return following
        t = following
    return t


def f_upper(f: float, above: float, below: float) -> float:
    """Return P(F > f) for Fisher's F with degrees of freedom `above` (numerator) and `below` (denominator)."""
    if f <= 0:
        return 1.0
    return incomplete_beta(below / 2, above / 2, below / (below + above * f), above * f / (below + above * f))


def f_quantile(probability: float, above: float, below: float) -> float:
    """Return the quantile of Fisher's F."""
    tail = 1 - probability
    low, high = 0.0, 1.0
    while f_upper(high, above, below) > tail:
        low, high = high, high * 2
        if math.isinf(high):
            return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f_upper(middle, above, below) > tail else (low, middle)
    return high


def noncentral_t_upper(t: float, df: float, shift: float) -> float:
    """Return P(T' > t) for the noncentral t: the normal tail averaged over the standard deviation."""
    spread = 12 / math.sqrt(2 * df)
    nodes, weights = _legendre()
    low, high = max(0.0, 1 - spread), 1 + spread + 4 / df
    s = (high - low) / 2 * nodes + (high + low) / 2
    log_density = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2) + (df - 1) * np.log(s) - df * s * s / 2
    tail = np.array([0.5 * math.erfc((t * value - shift) / math.sqrt(2)) for value in s])
    return float((high - low) / 2 * np.sum(weights * np.exp(log_density) * tail))


@cache
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss(200)
    return nodes, weights


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz).

    `rest` is 1 - x, an argument because subtraction would lose its digits if x is close to 1.
    """
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast only below
        return 1 - incomplete_beta(b, a, rest, x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    tiny = 1e-300
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1 / _nonzero(1 + term * d, tiny)
            c = _nonzero(1 + term / c, tiny)
            step *= d * c
        fraction *= step
        if abs(step - 1) < 1e-15:
            break
    return math.exp(log_front) * fraction / a


def _nonzero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
