"""Type-token ratio."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import score


def test_vectors() -> None:
    from tests.conftest import OUTPUTS

    assert score("ttr", OUTPUTS)["ttr"] == pytest.approx(0.72414, abs=5e-6)
    assert score("ttr", ["a A a"])["ttr"] == pytest.approx(2 / 3)
    assert np.isnan(score("ttr", ["", " "])["ttr"])
