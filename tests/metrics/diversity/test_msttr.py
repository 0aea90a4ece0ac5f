"""MSTTR: segments of the stream of all outputs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import score


def test_gem_vector() -> None:
    from tests.conftest import OUTPUTS

    values = score("msttr:segment=12", OUTPUTS)
    assert values == pytest.approx({"msttr": 0.875, "msttr-nopunct": 0.91667}, abs=1e-5)


@pytest.mark.parametrize("width", [2, 5, 10])
def test_extremes(width: int) -> None:
    assert score(f"msttr:segment={width}", ["same " * 7, "same " * 13])["msttr"] == pytest.approx(1 / width)
    assert score(f"msttr:segment={width}", [" ".join(f"w{i}" for i in range(30))])["msttr"] == 1


def test_too_little_text_is_undefined() -> None:
    assert np.isnan(score("msttr", ["", ""])["msttr"])
    assert np.isnan(score("msttr:segment=50", ["only a few words here"])["msttr"])
