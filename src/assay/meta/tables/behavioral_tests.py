"""Pass rates of behavioural tests as a table."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.behavioral_tests import BehavioralTest
from assay.show.numbers import share
from assay.show.tables import Cell, Column, Content, Table

TYPES = {"functionality": "minimum functionality", "invariance": "invariance", "direction": "direction"}


def behavioral_table(tests: Sequence[BehavioralTest], system: str, n: int) -> Table:
    """Return a row for each test."""
    rows: list[list[Content]] = []
    for test in tests:
        ends = f"[{share(test.low)}, {share(test.high)}]"
        rate = Cell(f"{share(test.rate)} {ends}", test.rate, test.low, test.high)
        rows.append([TYPES[test.type], test.test, rate, test.passed, test.n, test.about])
    columns = [
        Column("type", "left"), Column("test", "left"), Column("pass rate [95 % CI]"), Column("passed"), Column("n"),
        Column("requirement", "left", fold=True),
    ]  # fmt: skip
    return Table(columns, rows, f"{system} · {n} items")
