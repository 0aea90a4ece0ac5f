"""Repetition inside an output."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import each, score


def test_loops_are_detected() -> None:
    values = each("repetition", ["a b a b a b", "a b c d"])
    assert values["repetition-1"] == pytest.approx([4 / 6, 0])
    assert values["repetition-2"] == pytest.approx([3 / 5, 0])
    assert values["repetition-4"] == pytest.approx([1 / 3, 0])


def test_short_outputs_do_not_count() -> None:
    assert score("repetition", ["a", "b b"])["repetition-2"] == 0
    assert np.isnan(score("repetition", ["a", "b"])["repetition-2"])
    assert score("repetition", ["", "b b"])["repetition-1"] == pytest.approx(0.5)
