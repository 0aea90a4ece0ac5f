"""Components of variance: published analyses, negative estimates, unbalanced designs, coverage of the intervals."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.components import balanced, components
from assay.stats.mixed import fit
from assay.stats.profile_interval import variance_interval
from assay.stats.validation import UndefinedStatistic, group_codes
from tests.support.rating_tables import DYESTUFF, DYESTUFF2, PASTES, PENICILLIN

PLATE, SAMPLE = (index.ravel() for index in np.indices(PENICILLIN.shape))


def test_crossed_and_nested_as_published() -> None:
    found = components(PENICILLIN.ravel(), {"plate": PLATE, "sample": SAMPLE})
    assert found.method == "mean squares"
    variances = {name: part.variance for name, part in found.parts.items()}
    assert variances == pytest.approx({"plate": 0.7169, "sample": 3.7309, "residual": 0.3024}, abs=6e-5)
    row = np.arange(60)
    found = components(PASTES.ravel(), {"batch": row // 6, "cask": row // 2})
    variances = {name: part.variance for name, part in found.parts.items()}
    assert variances == pytest.approx({"batch": 1.657, "cask": 8.434, "residual": 0.678}, abs=5e-4)
    assert sum(part.share for part in found.parts.values()) == pytest.approx(1)
    assert all(part.low <= part.variance <= (part.high or 0) for part in found.parts.values())


def test_below_zero_is_said_and_set_to_zero() -> None:
    """Box and Tiao print -1.322 for the batches of these yields."""
    found = components(DYESTUFF2.ravel(), {"batch": np.arange(30) // 5})
    part = found.parts["batch"]
    assert (part.variance, part.low) == (0, 0)
    assert part.estimate == pytest.approx(-1.3219, abs=5e-5)
    assert found.notes == ("batch: the estimate is negative (-1.322) and was set to 0",)


def test_a_missing_row_asks_for_the_likelihood() -> None:
    factors = {"plate": PLATE[1:], "sample": SAMPLE[1:]}
    found = components(PENICILLIN.ravel()[1:], factors)
    assert found.method == "restricted likelihood"
    model = fit(PENICILLIN.ravel()[1:], np.ones(143), factors)
    assert {name: part.variance for name, part in found.parts.items()} == model.variances
    assert all(part.low < part.variance < (part.high or 0) for part in found.parts.values())
    gone = components(DYESTUFF2.ravel()[1:], {"batch": np.arange(29) // 5})
    assert gone.variance("batch") == gone.parts["batch"].low == 0
    assert 0 < (gone.parts["batch"].high or 0) < np.var(DYESTUFF2)
    assert gone.notes == ("batch: the estimate is 0",)


def test_intervals_are_lme4s() -> None:
    """Profile intervals of Yield ~ 1 + (1 | Batch) of Dyestuff by maximum likelihood, in Bates' book of lme4."""
    model = fit(DYESTUFF.ravel(), np.ones(30), {"batch": np.arange(30) // 5}, reml=False)
    batch, residual = (np.sqrt(np.array(variance_interval(model, name), dtype=float)) for name in ("batch", "residual"))
    assert batch == pytest.approx([12.20, 84.06], rel=5e-3)
    assert residual == pytest.approx([38.23, 67.66], rel=5e-3)


def test_what_is_balanced() -> None:
    seed, run, item = (index.ravel() for index in np.indices((3, 2, 5)))
    inner = group_codes(seed, run)
    assert balanced({"seed": seed, "run": inner, "item": item, "item x seed": group_codes(item, seed)})
    assert balanced({"seed": seed, "item": item})
    assert not balanced({"seed": seed[1:], "item": item[1:]})
    assert not balanced({"seed": seed, "other": np.roll(seed, 3)})


def test_seeds_runs_and_items_at_once() -> None:
    """Decoding runs within seeds, both crossed with items: mean squares and likelihood agree."""
    rng = np.random.default_rng(2)
    seed, run, item = (index.ravel() for index in np.indices((5, 3, 30)))
    inner = group_codes(seed, run)
    factors = {"item": item, "seed": seed, "run": inner, "item x seed": group_codes(item, seed)}
    y = sum(
        rng.normal(0, sd, codes.max() + 1)[codes]
        for codes, sd in zip(factors.values(), (1, 0.8, 0.5, 0.6), strict=True)
    )
    y = y + rng.normal(0, 0.7, len(item))
    found = components(y, factors)
    assert found.method == "mean squares"
    model = fit(y, np.ones(len(y)), factors)
    assert {name: part.variance for name, part in found.parts.items()} == pytest.approx(model.variances, rel=1e-4)


def test_factors_without_variance_are_refused_with_the_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="seed has one level"):
        components([1.0, 2, 3], {"seed": [0, 0, 0]})
    with pytest.raises(UndefinedStatistic, match="item has a level for every row"):
        components([1.0, 2, 3], {"item": [0, 1, 2]})
    with pytest.raises(UndefinedStatistic, match="3 values and 2 levels"):
        components([1.0, 2, 3], {"item": [0, 1]})


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [False, True])
def test_intervals_cover(gaps: bool) -> None:
    rng = np.random.default_rng(11)
    truth = {"item": 0.25, "rater": 0.16, "residual": 0.5}
    hits = dict.fromkeys(truth, 0)
    studies = 40 if gaps else 100
    for _ in range(studies):
        item, rater = (index.ravel() for index in np.indices((30, 8)))
        if gaps:
            kept = rng.random(len(item)) < 0.6
            item, rater = item[kept], rater[kept]
        y = rng.normal(0, 0.5, 30)[item] + rng.normal(0, 0.4, 8)[rater] + rng.normal(0, 0.5**0.5, len(item))
        found = components(y, {"item": item, "rater": rater})
        for name, variance in truth.items():
            part = found.parts[name]
            hits[name] += part.low <= variance <= (np.inf if part.high is None else part.high)
    assert min(hits.values()) >= 0.85 * studies, hits
