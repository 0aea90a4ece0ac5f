"""Printed lines: paths stay whole, whatever the width of the terminal."""

from __future__ import annotations

import pytest

from assay.cli.shared.display import warn


def test_a_warning_breaks_no_path_at_a_hyphen(capsys: pytest.CaptureFixture[str]) -> None:
    path = "data/" + "-".join(["outputs"] * 20) + ".jsonl"
    warn([f"items differ between these two files, see {path} and the other one"])
    assert path in capsys.readouterr().err
