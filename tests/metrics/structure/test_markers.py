"""Marked spans: opened, closed, counted; markers glued to punctuation too."""

from __future__ import annotations

import math

import pytest

from assay.execution.loading import load_items
from assay.execution.request import choose as choose_metrics
from assay.execution.scoring import score_items
from assay.inputs.spans import spans_of_text


def test_closed_spans() -> None:
    text = "[ACT_START] a [ACT_START] b [ACT_END] c [ACT_END] [ACTOR_END] [ACTOR_START] d"
    opened, closed = spans_of_text(text, whitespace=False)
    assert (opened, closed) == (3, {"act": 1})
    glued = "[ACT_START] a [ACT_END], b"
    assert spans_of_text(glued, whitespace=False) == (1, {"act": 1})
    assert spans_of_text(glued, whitespace=True) == (1, {})
    result = score_items(load_items([text, glued, "no markers"]), choose_metrics("markers", None))
    assert result.values["closed_correctly"] == pytest.approx((1 / 3 + 1) / 2)
    assert result.values["closed_correctly.whitespace"] == pytest.approx((1 / 3 + 0) / 2)
    assert result.values["spans-act"] == pytest.approx(2 / 3)
    assert result.values["spans-act.sd"] == pytest.approx(math.sqrt(2 / 9))
    assert any("markers without spaces around them" in note for note in result.notes)
