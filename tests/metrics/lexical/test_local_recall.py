"""Local recall."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import score


def test_gem_vector() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    values = score("local_recall", OUTPUTS, REFERENCES)
    assert values["local_recall-1"] == pytest.approx(0.645161, abs=1e-6)
    assert np.isnan(values["local_recall-2"])


def test_words_by_how_many_references_have_them() -> None:
    values = score("local_recall", ["a b", "x"], [["a b b c", "a c d", "a"], ["x y", "y"]])
    # a in three; c in two; b and d in one. x in one, y in two.
    assert values["local_recall-3"] == 1
    assert values["local_recall-2"] == 0
    assert values["local_recall-1"] == pytest.approx(2 / 3)
