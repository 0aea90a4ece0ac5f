"""assay metric reproduce faithful: how far our scores agree with people where nothing was fitted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.meta.reproduce import reproduce
from assay.meta.reproduce.faithful import MODELS


@pytest.mark.slow
def test_test_part_sentences_and_another_corpus(shared_data: Callable[[str], Path]) -> None:
    """Released scores give the printed numbers from the same rows; ours lie where they lay when they were written
    down."""
    cells = reproduce("faithful", shared_data("frank").parent)
    assert all(cell.match for cell in cells if cell.published is not None)
    found = {(cell.table, cell.row, cell.column): cell.computed for cell in cells}
    for row, wanted in (("faithful", [0.316, 0.445, 0.109]), ("faithful:overlap", [0.339, 0.458, 0.119])):
        pearson = [found["FRANK test, partial Pearson", row, part] for part in ("all", "CNN/DM", "XSum")]
        assert pearson == pytest.approx(wanted, abs=2e-3)
    assert all(found["FRANK test, partial Pearson", row, "all"] is None for row in MODELS)
    for part in ("all", "CNN/DM"):
        best = found["FRANK test, partial Pearson", "BERTScore P (RoBERTa), article, released", part]
        assert found["FRANK test, partial Pearson", "faithful", part] > best  # type: ignore[operator]
    table = "SummEval, Kendall within articles"
    own, *plain = (found[table, row, "consistency"] for row in ("faithful", "words in the article", "3-gram precision"))
    assert own >= max(plain)  # type: ignore[operator, type-var]
    assert found["FRANK test, altered sentences", "faithful", "of another article"] > 0.99  # type: ignore[operator]
    assert {cell.note for cell in cells if cell.row in MODELS} == {"requires a model: use --models"}
