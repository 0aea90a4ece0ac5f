"""Entailment pairs: which of the sets in a folder are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.datasets.nli import NliPairs
from assay.datasets.record import Report
from assay.errors import AssayError

ROW = "premise,hypothesis,label\nA cat sat on the mat.,A cat sat.,entailment\n"


def test_sets_that_are_not_read_are_named(tmp_path: Path) -> None:
    for name in ("snli", "rte"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dev.csv").write_text(ROW, encoding="utf-8")
    report = Report("nli")
    assert [example.tags["set"] for example in NliPairs().read(tmp_path, report=report)] == ["snli"]
    assert any("not read: rte" in note and "sets=mnli+scitail+snli+rte" in note for note in report.notes)
    whole = Report("nli")
    assert len(list(NliPairs(sets="snli+rte").read(tmp_path, report=whole))) == 2
    assert not any("not read" in note for note in whole.notes)


def test_an_unknown_set_is_named() -> None:
    with pytest.raises(AssayError, match=r"no set snl .did you mean snli"):
        NliPairs(sets="snl")
