"""The mean of the best of several trainings."""

from __future__ import annotations

import pytest

from assay.errors import AssayError
from assay.execution.training.best_runs import best_runs
from assay.records.documents import JSONObject


def trained(selected: float, pearson: float | None) -> JSONObject:
    row = {"set": "all", "n": 9, "pearson": pearson, "pearson_low": 0.0, "pearson_high": 1.0}
    return {"folder": f"run-{selected:g}", "selected": selected, "test": [row]}


def test_the_best_on_validation_data_are_averaged_on_test_data() -> None:
    runs = [trained(0.5, 0.9), trained(0.8, 0.6), trained(0.7, 0.4), trained(0.6, 0.1)]
    kept = best_runs(runs, 2)
    assert kept["folders"] == ["run-0.8", "run-0.7"]
    (row,) = kept["test"]
    assert (row["set"], row["runs"], row["pearson"]) == ("all", 2, pytest.approx(0.5))
    assert row["pearson_sd"] == pytest.approx(0.2 / 2**0.5)
    assert best_runs(runs, 1, lower=True)["folders"] == ["run-0.5"]


def test_an_undefined_score_stays_undefined() -> None:
    (row,) = best_runs([trained(0.5, None), trained(0.8, 0.6)], 2)["test"]
    assert row["pearson"] is None
    with pytest.raises(AssayError, match="2 models were trained"):
        best_runs([trained(0.5, None), trained(0.8, 0.6)], 3)
