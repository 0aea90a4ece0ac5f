"""`assay store anomalies`: what it prints, what it exits with, and the same as alarms of a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Call

Run = Callable[..., Call]


def scores(folder: Path, **rouge: float) -> Path:
    numbers = {name: {"precision": 0.5, "recall": 0.5, "fmeasure": value} for name, value in rouge.items()}
    value = {"submission_name": "x", "tides_test": {"N": 500, **numbers}}
    (folder / "x.scores.json").write_text(json.dumps(value))
    return folder


def test_anomalies_are_printed_and_reported(here: Run, tmp_path: Path) -> None:
    folder = scores(tmp_path, rouge1=0.4, rouge2=0.0, rougeL=0.5)
    call = here("store", "anomalies", folder)
    assert call.code == 0
    assert "2 anomalies" in call.out
    assert "tides test: x: rougeL above rouge1, which is impossible" in call.out
    assert "exactly zero: 1" in call.out
    failed = here("store", "anomalies", folder, "--fail")
    assert failed.code == 1
    assert "2 anomalies in" in failed.err
    report = here("report", folder, "-o", tmp_path / "r.csv", "--json")
    assert any("which is impossible" in alarm for alarm in report.json["alarms"])


def test_plausible_scores_have_no_anomalies(here: Run, tmp_path: Path) -> None:
    call = here("store", "anomalies", scores(tmp_path, rouge1=0.4, rouge2=0.1, rougeL=0.3), "--fail")
    assert call.code == 0, call.err
    assert "no anomalies" in call.out
    assert here("store", "anomalies", tmp_path / "nothing").code == 1
