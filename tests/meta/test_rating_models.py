"""Mixed models of ratings with a known difference, in a reduced simulation; `python -m benchmarks.rating_models` has it
whole."""

from __future__ import annotations

import numpy as np
import pytest

from assay.meta.ratings import ModelKind
from benchmarks.rating_models import Setting, rates, study


def by_chance(share: float, draws: int) -> float:
    """Three standard errors of a share of so many studies."""
    return 3 * float(np.sqrt(share * (1 - share) / draws))


@pytest.mark.parametrize(("kind", "draws"), [("linear", 60), ("ordinal", 20)])
def test_models_cover_and_keep_their_level(kind: ModelKind, draws: int) -> None:
    """Tastes of items and annotators are large: an interval that takes ratings as independent would miss the truth."""
    covered, _ = rates(Setting(kind, 24, 4, 0.6, 0.8), draws)
    _, found = rates(Setting(kind, 24, 4, 0.6, 0.0), draws)
    assert covered >= 0.93 - by_chance(0.95, draws)
    assert found <= 0.06 + by_chance(0.05, draws)


def test_a_clear_difference_is_found() -> None:
    _, found = rates(Setting("linear", 30, 6, 0.1, 3.0), 20)
    assert found == 1


def test_independence_would_miss_the_truth() -> None:
    """The simulation can fail: a t test over all ratings of such a study rejects a true null far too often."""
    setting = Setting("linear", 24, 4, 0.6, 0.0)
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(60):
        rows = study(setting, rng)
        a, b = (np.array([float(row.value) for row in rows if row.system == name]) for name in "ab")
        rejected += bool(abs((a - b).mean()) > 1.99 * (a - b).std(ddof=1) / np.sqrt(len(a)))
    assert rejected / 60 > 0.2
