"""Ordinal mixed models: the published fit of the wine data, Laplace by whole matrices, answers that are apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.miscmodels.ordinal_model import OrderedModel

from assay.stats.ordinal import _Likelihood, fit_ordinal
from assay.stats.validation import UndefinedStatistic
from tests.support.rating_tables import WINE

BOTTLE, JUDGE = (index.ravel() for index in np.indices(WINE.shape))
TREATMENT = np.column_stack([BOTTLE >= 4, BOTTLE // 2 % 2]).astype(float)


def test_wine_is_clmms() -> None:
    """rating ~ temp + contact + (1 | judge), as the tutorial of R's ordinal package prints it."""
    model = fit_ordinal(WINE.ravel(), TREATMENT, {"judge": JUDGE})
    assert model.converged
    assert model.log_likelihood == pytest.approx(-81.56541, abs=5e-6)
    assert model.fixed == pytest.approx([3.0630, 1.8349], abs=5e-5)
    assert np.sqrt(np.diag(model.covariance)) == pytest.approx([0.5954, 0.5125], abs=2e-4)
    assert model.thresholds == pytest.approx([-1.6237, 1.5134, 4.2285, 6.0888], abs=5e-5)
    assert model.errors == pytest.approx([0.6824, 0.6038, 0.8090, 0.9725], abs=2e-4)
    assert model.variances["judge"] == pytest.approx(1.279461, rel=5e-5)
    crossed = fit_ordinal(WINE.ravel(), TREATMENT, {"judge": JUDGE, "bottle": BOTTLE})
    assert crossed.variances["bottle"] == 0
    assert crossed.log_likelihood == pytest.approx(model.log_likelihood, abs=1e-8)


def plain_laplace(at: np.ndarray, y: np.ndarray, x: np.ndarray, z: np.ndarray, levels: tuple[int, ...]) -> float:
    """The same approximation with whole matrices: scipy finds the modes, differences the curvature."""
    cuts = int(y.max())
    thresholds, fixed = at[:cuts], at[cuts : cuts + x.shape[1]]
    scaled = z * np.repeat(at[cuts + x.shape[1] :], levels)
    edges = np.concatenate([[-np.inf], thresholds, [np.inf]])

    def logistic(v: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-v)))

    def cost(u: np.ndarray) -> float:
        where = x @ fixed + scaled @ u
        return float(u @ u / 2 - np.log(logistic(edges[y + 1] - where) - logistic(edges[y] - where)).sum())

    u = optimize.minimize(cost, np.zeros(z.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    ends = [logistic(edges[y + k] - x @ fixed - scaled @ u) for k in (0, 1)]
    weight = sum(end * (1 - end) for end in ends)
    inner = scaled.T @ (scaled * np.asarray(weight)[:, None]) + np.eye(z.shape[1])
    return cost(u) + float(np.linalg.slogdet(inner)[1]) / 2


@settings(max_examples=8)
@given(st.integers(0, 10**6))
def test_likelihood_and_slope_are_those_of_the_whole_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    item, rater, system = rng.integers(0, 6, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    y = np.append(np.arange(3), rng.integers(0, 3, n - 3))
    x = np.column_stack([system, rng.normal(size=n)]).astype(float)
    cell = np.unique(item * 2 + system, return_inverse=True)[1]
    factors = [np.unique(codes, return_inverse=True)[1] for codes in (item, rater, cell)]
    likelihood = _Likelihood(y, x, dict(zip("irc", factors, strict=True)))
    at = np.array([-0.8, 0.9, 0.4, -0.3, 0.7, 0.5, 0.6])
    z = np.column_stack([np.eye(codes.max() + 1)[codes] for codes in factors])
    levels = tuple(int(codes.max()) + 1 for codes in factors)
    value, slope = likelihood.value_and_slope(at)
    assert value == pytest.approx(plain_laplace(at, y, x, z, levels), abs=1e-5)
    for k, step in enumerate(1e-5 * np.eye(len(at))):
        up, down = (likelihood.value_and_slope(at + move)[0] for move in (step, -step))
        assert slope[k] == pytest.approx((up - down) / 2e-5, abs=1e-4)


def test_without_random_effects_it_is_statsmodels() -> None:
    theirs = OrderedModel(WINE.ravel(), TREATMENT, distr="logit").fit(method="bfgs", disp=0, gtol=1e-8)
    likelihood = _Likelihood(WINE.ravel(), TREATMENT, {"judge": JUDGE})
    at = np.concatenate([theirs.model.transform_threshold_params(theirs.params)[1:-1], theirs.params[:2], [0.0]])
    value, slope = likelihood.value_and_slope(at)
    assert value == pytest.approx(-theirs.llf, abs=1e-8)
    assert slope[:-1] == pytest.approx(np.zeros(6), abs=1e-4)


def test_answers_that_do_not_overlap() -> None:
    """Every answer of the one is above every answer of the other: only a penalty makes that a number."""
    y = np.array([1, 2, 1, 2, 2, 1, 3, 4, 3, 4, 4, 3])
    x, rater = np.repeat([0.0, 1.0], 6), np.tile([0, 1, 2], 4)
    assert not fit_ordinal(y, x, {"rater": rater}).converged
    held = fit_ordinal(y, x, {"rater": rater}, [[1 / 25]])
    assert held.converged
    assert 2 < held.fixed[0] < 15


def test_models_without_a_solution_are_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="all answers are identical"):
        fit_ordinal([1, 1, 1], [0, 1, 0], {"rater": [0, 0, 1]})
    with pytest.raises(UndefinedStatistic, match="not identifiable"):
        fit_ordinal([1, 2, 3], [1, 1, 1], {"rater": [0, 0, 1]})
