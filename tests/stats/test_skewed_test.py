"""Hall's transformed t test keeps its level for skewed differences with a mean of zero."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.stats.all_pairs import distance_of, unadjusted_p
from assay.stats.skewed_test import skewed_p


def test_symmetric_values_have_no_skewed_p() -> None:
    assert skewed_p(np.linspace(-1, 1.2, 40)) is None
    assert skewed_p(np.full(12, 0.05)) is None
    assert skewed_p(np.array([0.0, 1.0])) is None


def test_one_large_loss_is_allowed_for() -> None:
    values = np.append(np.full(29, 0.05), -0.45)  # one of 30: t = 2.0
    p = skewed_p(values)
    assert p is not None
    assert p > 0.3
    assert skewed_p(-values) == pytest.approx(p)


def test_level_of_equal_means() -> None:
    random = np.random.default_rng(3)
    values = np.where(random.random((1000, 60)) < 0.1, -0.45, 0.05)
    rejected = [(skewed_p(row) or 1.0) < 0.05 for row in values]
    assert np.mean(rejected) <= 0.06


@pytest.mark.parametrize("exact", [True, False])
def test_distance_has_at_least_its_p(exact: bool) -> None:
    null = np.abs(np.random.default_rng(0).normal(size=1000))
    for p in (0.001, 0.0312, 0.5, 1.0):
        found = unadjusted_p(np.array([distance_of(p, null, exact)]), null[:, None], exact)[0]
        assert p - 1e-9 <= found <= p + 0.0021


def _results(words: list[int]) -> tuple[assay.Result, assay.Result]:
    """Two systems; the second has this number of words right of ten where the first has five."""
    reference = "a b c d e f g h i j"
    first = ["a b c d e z z z z z"] * len(words)
    second = [" ".join([*reference.split()[:right], *["z"] * (10 - right)]) for right in words]
    references = [reference] * len(words)
    return assay.score(first, references, metrics="rouge1"), assay.score(second, references, metrics="rouge1")


@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_compare_allows_for_rare_losses(correction: str) -> None:
    a, b = _results([6] * 29 + [0])
    compared = assay.compare(a, b, correction=correction)  # type: ignore[arg-type]
    row = compared["rouge1"]
    assert row.p is not None
    assert row.p > 0.05
    assert row.low is None or (row.low <= 0 <= (row.high or 0))
    assert any("corrected for skewness" in each for each in compared.warnings)


def test_compare_warns_of_unseen_losses() -> None:
    a, b = _results([6] * 12)
    compared = assay.compare(a, b)
    assert compared["rouge1"].better == "b"
    assert any("may be absent" in each and "22%" in each for each in compared.warnings)
