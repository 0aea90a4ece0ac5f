"""Marks and groups hold their family-wise level, reduced; `python -m benchmarks table_marks` has it whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.table_marks import simulate
from tests.conftest import DATA

SIMULATIONS = 60


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "partial"), [(2, False), (5, True), (10, False)])
def test_marks_and_groups_hold_their_level(shared_data: Callable[[str], Path], systems: int, partial: bool) -> None:
    """At most one table in twenty has anything wrong: of 60, 11 or more come less than once in a thousand."""
    shared_data("webnlg")
    tally = simulate(systems, 50, "all", partial, range(SIMULATIONS), samples=100)
    assert tally.simulations == SIMULATIONS
    assert tally.groups <= 10
    assert tally.marks <= tally.groups


@pytest.fixture(autouse=True)
def released_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks read released data from where the tests do."""
    monkeypatch.setenv("ASSAY_DATA", str(DATA))
