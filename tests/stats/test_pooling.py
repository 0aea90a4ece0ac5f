"""Partial pooling: values of Rubin's eight schools, limits, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.pooling import partial_pooling

SCHOOLS = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])


def test_eight_schools() -> None:
    """Posterior means of Gelman et al., Table 5.3 (medians 10, 8, 7, 8, 5, 6, 10, 8)."""
    pooled = partial_pooling(SCHOOLS, ERRORS)
    assert pooled is not None
    assert pooled.estimates == pytest.approx([11, 8, 6, 8, 5, 6, 10, 8], abs=0.9)
    assert 5 < pooled.errors.min() < pooled.errors.max() < 9


def test_precise_groups_keep_their_estimates_and_few_groups_are_not_pooled() -> None:
    pooled = partial_pooling([0.0, 5.0, 10.0], [1e-4] * 3)
    assert pooled is not None
    assert pooled.estimates == pytest.approx([0, 5, 10], abs=1e-3)
    assert partial_pooling([1.0, 2.0], [1.0, 1.0]) is None
    assert partial_pooling([1.0, 2.0, 3.0], [1.0, 0.0, 1.0]) is None


@pytest.mark.parametrize("between", [0.0, 0.5, 2.0])
def test_pooled_estimates_are_nearer_to_the_truth_and_intervals_cover(between: float) -> None:
    random = np.random.default_rng(0)
    raw, shrunken, covered = [], [], []
    for _ in range(400):
        errors = random.uniform(0.5, 1.5, 15)
        truth = random.normal(2, between, 15)
        y = random.normal(truth, errors)
        pooled = partial_pooling(y, errors)
        assert pooled is not None
        raw.append(((y - truth) ** 2).mean())
        shrunken.append(((pooled.estimates - truth) ** 2).mean())
        covered.append((np.abs(pooled.estimates - truth) <= 1.96 * pooled.errors).mean())
    assert np.mean(shrunken) < np.mean(raw)
    assert np.mean(covered) >= 0.93
