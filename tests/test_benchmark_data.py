"""Released data of benchmarks: its folder is given, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.released import VARIABLE, MissingDataError, released


def test_the_folder_is_that_of_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eks").mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert released("eks") == tmp_path / "eks"
    with pytest.raises(MissingDataError, match=r"frank: no such file or folder; check --data or ASSAY_DATA"):
        released("frank")


def test_without_a_folder_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(MissingDataError, match=r"needs eks of released data; give its folder with --data DIR"):
        released("eks")
