"""Are fits of linear mixed models the best ones? Random unbalanced designs of one to three factors, and statsmodels.

python -m benchmarks rating_models       # 500 designs, written to docs/evidence/studies.md
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from assay.stats.mixed import Mixed, fit

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
SAME = 2e-3
"""Difference of the criterion (minus twice the log-likelihood) up to which two fits are the same optimum."""
CLOSE = 0.02
"""Relative difference of standard deviations, in units of the largest, up to which the same optimum is the same fit."""


@dataclass
class Parity:
    """How many designs have the fit of statsmodels, a better one, a worse one, or other variances at the same value."""

    designs: int = 0
    same: int = 0
    better: int = 0
    worse: int = 0
    different: int = 0
    zero: int = 0
    """Designs with a variance of 0."""
    likelihood: float = 0.0
    """Largest difference between the likelihood of statsmodels at our estimates and ours."""
    unsettled: int = 0
    """Fits that do not call themselves converged."""


def one_factor(seed: int) -> tuple[Floats, Codes]:
    """Return responses with one random factor of moderate size, and its unbalanced levels."""
    rng = np.random.default_rng(seed)
    levels = int(rng.integers(5, 30))
    n = int(rng.integers(2 * levels, 6 * levels))
    group = np.concatenate([np.arange(levels), rng.integers(0, levels, n - levels)])
    return rng.normal(0, 0.5, levels)[group] + rng.normal(0, 1, n), group


@dataclass
class Zeros:
    """Designs of one factor: how many fits have a variance of 0, and for how many a grid of the likelihood has."""

    designs: int
    fitted: int = 0
    by_grid: int = 0


def zeros(designs: int) -> Zeros:
    """Fit designs of one factor, and search the same likelihood on a grid."""
    counts = Zeros(designs)
    grid = [np.zeros(1), *np.geomspace(1e-3, 10, 100)[:, None]]
    for seed in range(designs):
        y, group = one_factor(seed)
        model = fit(y, np.ones(len(y)), {"group": group})
        counts.fitted += model.variances["group"] == 0
        counts.by_grid += int(np.argmin([model.problem.profile(size)[0] for size in grid])) == 0
    return counts


def random_design(seed: int) -> tuple[Floats, Floats, dict[str, Codes]]:
    """Return responses, fixed effects, and one to three random factors, the third crossed or nested in the first."""
    rng = np.random.default_rng([29, seed])
    n = int(rng.integers(30, 120))
    count = 1 + seed % 3
    factors = {"a": rng.integers(0, int(rng.integers(4, 12)), n)}
    if count > 1:
        factors["b"] = rng.integers(0, int(rng.integers(3, 8)), n)
    if count > 2:
        inner = rng.integers(0, int(rng.integers(2, 4)), n)
        factors["c"] = factors["a"] * 4 + inner if seed % 2 else rng.integers(0, int(rng.integers(3, 8)), n)
    factors = {name: np.unique(codes, return_inverse=True)[1] for name, codes in factors.items()}
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    y = x @ np.array([2.0, 0.3]) + rng.normal(0, 1, n)
    for codes in factors.values():
        y = y + rng.normal(0, rng.choice([0.0, 0.3, 0.8, 1.5]), int(codes.max()) + 1)[codes]
    return y, x, factors


class Statsmodels:
    """The same model in statsmodels: its own fit, and its likelihood at any variances."""

    def __init__(self, y: Floats, x: Floats, factors: dict[str, Codes]) -> None:
        import pandas as pd
        import statsmodels.formula.api as smf

        data = pd.DataFrame({"y": y, "x": x[:, 1], "all": 1, **factors})
        parts = {name: f"0 + C({name})" for name in factors}
        self.model = smf.mixedlm("y ~ x", data, groups="all", re_formula="0", vc_formula=parts)

    def fit(self) -> tuple[float, Floats]:
        """Return minus twice the restricted log-likelihood, and the standard deviations, the residual last."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = self.model.fit(reml=True)
        return float(-2 * theirs.llf), np.sqrt(np.maximum([*theirs.vcomp, theirs.scale], 0.0))

    def criterion(self, model: Mixed) -> float:
        """Return minus twice its restricted log-likelihood at the estimates of our model."""
        from statsmodels.regression.mixed_linear_model import MixedLMParams

        *random, residual = model.variances.values()
        above_zero = np.maximum(np.array(random) / residual, 1e-10)  # statsmodels has no likelihood at 0
        at = MixedLMParams.from_components(fe_params=model.fixed, vcomp=above_zero)
        return float(-2 * self.model.loglike(at, profile_fe=False))


def parity(designs: int) -> Parity:
    """Fit random designs by both, and count."""
    found = Parity()
    for seed in range(designs):
        y, x, factors = random_design(seed)
        model, theirs = fit(y, x, factors), Statsmodels(y, x, factors)
        criterion, deviations = theirs.fit()
        found.designs += 1
        found.likelihood = max(found.likelihood, abs(theirs.criterion(model) - model.criterion))
        found.zero += min(model.variances.values()) == 0
        found.unsettled += not model.converged
        if model.criterion < criterion - SAME:
            found.better += 1
        elif model.criterion > criterion + SAME:
            found.worse += 1
        elif _apart(model, deviations) > CLOSE:
            found.different += 1
        else:
            found.same += 1
    return found


def _apart(model: Mixed, theirs: Floats) -> float:
    ours = np.sqrt(list(model.variances.values()))
    return float(np.abs(ours - theirs).max() / ours.max())


def paragraphs() -> str:
    """What the page says of 300 designs of one factor, and of 500 random ones."""
    one, many = zeros(300), parity(500)
    return f"""Measured {date.today()} with `python -m benchmarks rating_models`, seeds from 0.

| {one.designs} unbalanced designs with one random factor | |
|---|--:|
| variance of 0 by the fit | {one.fitted} |
| variance of 0 by a grid of the likelihood | {one.by_grid} |

| {many.designs} random unbalanced designs of one to three factors, against statsmodels | |
|---|--:|
| the same fit | {many.same} |
| a higher likelihood than that of statsmodels | {many.better} |
| a lower likelihood | {many.worse} |
| the same likelihood with other variances | {many.different} |
| a variance of 0 | {many.zero} |
| not converged | {many.unsettled} |
| largest difference between the two likelihoods at our estimates | {many.likelihood:.0e} |"""
