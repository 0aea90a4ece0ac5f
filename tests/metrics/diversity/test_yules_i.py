"""Yule's I."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import score


def test_vectors() -> None:
    from tests.conftest import OUTPUTS

    assert score("yules_i", OUTPUTS)["yules_i"] == pytest.approx(16.962, abs=5e-4)
    assert score("yules_i", ["a a b"])["yules_i"] == pytest.approx(4 / 3)
    assert np.isnan(score("yules_i", ["a b c"])["yules_i"])
