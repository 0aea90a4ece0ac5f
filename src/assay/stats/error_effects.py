"""Systematic errors of a judge: what its error depends on, by least squares with errors robust to shared items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.clusters import cluster_error
from assay.stats.validation import UndefinedStatistic, group_codes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """The size of a systematic error, with its confidence interval and p value."""

    value: float
    low: float
    high: float
    p: float


def error_effects(
    errors: ArrayLike, systems: Sequence[str], items: Sequence[str], covariates: Mapping[str, ArrayLike],
    own: str | None = None,
) -> dict[str, Effect]:  # fmt: skip
    """Return the effects of systems (against the mean of all systems) and covariates on the error.

    Args:
        errors: Error of the judge for each output.
        systems: System of each output.
        items: Item of each output; outputs of an item are not independent.
        covariates: Further columns, such as the logarithm of the length.
        own: System written by the judge's own model; adds `self_preference`, its effect against the mean of the others.

    Returns:
        `level` (mean error), `system:NAME`, covariates by name, and `self_preference`.
    """
    y = np.asarray(errors, dtype=np.float64)
    names = sorted(set(systems))
    codes = np.array([names.index(system) for system in systems])
    dummies = (codes[:, None] == np.arange(len(names))[None, :]).astype(np.float64)
    columns = {name: np.asarray(column, dtype=np.float64) for name, column in covariates.items()}
    centred = [column - column.mean() for column in columns.values()]
    design = np.column_stack([dummies, *centred])
    gram = design.T @ design
    if np.linalg.matrix_rank(design) < len(gram):  # of the design: its products are singular up to rounding only
        raise UndefinedStatistic("systems and covariates are collinear; leave a covariate out")
    inverse = np.linalg.inv(gram)
    weights = inverse @ (design.T @ y)
    influence = (design @ inverse) * (y - design @ weights)[:, None] * len(y)
    clusters = group_codes(np.asarray(items))

    def effect(contrast: Floats) -> Effect:
        return _effect(float(contrast @ weights), influence @ contrast, clusters)

    many, width = len(names), design.shape[1]
    effects = {"level": effect(_row(width, dict.fromkeys(range(many), 1 / many)))}
    for i, name in enumerate(names) if many > 1 else ():
        effects[f"system:{name}"] = effect(_row(width, {j: (j == i) - 1 / many for j in range(many)}))
    for i, name in enumerate(columns):
        effects[name] = effect(_row(width, {many + i: 1.0}))
    if own is not None and own in names and many > 1:
        shares = {j: 1.0 if names[j] == own else -1 / (many - 1) for j in range(many)}
        effects["self_preference"] = effect(_row(width, shares))
    return effects


def mean_effect(values: ArrayLike, items: Sequence[str]) -> Effect:
    """Return the mean of values that are clustered by item."""
    column = np.asarray(values, dtype=np.float64)
    estimate = float(column.mean())
    return _effect(estimate, column - estimate, group_codes(np.asarray(items)))


def _effect(estimate: float, influence: Floats, clusters: NDArray[np.int64]) -> Effect:
    """Return an estimate with its interval. One that is the same in every cluster is certain, not undefined: a judge
    that always chooses the first text is biased."""
    error = cluster_error(influence, clusters)
    try:
        p = error.p(estimate)
    except UndefinedStatistic:
        p = 0.0
    return Effect(estimate, *error.interval(estimate), p)


def _row(width: int, parts: Mapping[int, float]) -> Floats:
    row = np.zeros(width)
    for place, value in parts.items():
        row[place] = value
    return row
