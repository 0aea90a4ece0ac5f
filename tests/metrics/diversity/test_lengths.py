"""Lengths in tokens."""

from __future__ import annotations

import pytest

from tests.support import each, score


def test_gem_vector() -> None:
    from tests.conftest import OUTPUTS

    values = score("lengths", OUTPUTS)
    assert values["total_length"] == 33
    assert values["mean_length"] == 11
    assert values["mean_length-nopunct"] == pytest.approx(9.6667, abs=1e-4)
    assert score("lengths", ["", "token number one token number two token number three", ""])["mean_length"] == 3


def test_each_output() -> None:
    assert each("lengths", ["a b.", ""])["mean_length"] == [3, 0]
