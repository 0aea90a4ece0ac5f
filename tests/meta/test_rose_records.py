"""ROSE: the eight rows of the paper, intervals, drops from parents, and what is odd in a record."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assay.errors import AssayError
from assay.meta.rose import rose, verdicts_of
from assay.records import Example, Judgement

ROWS = "001 011 010 010 001 111 111 111".split()
"""Semantics, grammaticality and phenomenon of Table 5, a to h."""


def judged(rows: list[str], system: str = "char", prefix: str = "", annotator: str = "one") -> list[Judgement]:
    names = ("semantics", "grammaticality", "phenomenon")
    return [
        Judgement(id=f"{prefix}{i}", system=system, annotator=annotator, criterion=name, value=float(value))
        for i, row in enumerate(rows)
        for name, value in zip(names, row, strict=True)
    ]


def test_the_eight_rows() -> None:
    assert [verdict.rose for verdict in verdicts_of(judged(ROWS))] == [0, 0, 0, 0, 0, 1, 1, 1]
    (rates,) = rose(judged(ROWS)).rates
    assert [rates.share(what) for what in ("semantics", "grammaticality", "phenomenon", "rose")] == [
        0.375, 0.75, 0.75, 0.375,
    ]  # fmt: skip
    assert all(rates.share("rose") <= rates.share(what) for what in rates.counts)
    assert list(rates.interval("rose")) == pytest.approx([0.1368, 0.6943], abs=1e-3)  # Wilson, 3 of 8


def test_right_in_meaning_without_the_phenomenon_is_odd() -> None:
    found = rose(judged(["110", "111"]))
    assert any("id 0 system char: semantics is 1 and phenomenon is 0" in w for w in found.warnings)
    assert any("One annotator only" in warning for warning in found.warnings)
    assert rose(judged(["111"]) + judged(["111"], annotator="two")).warnings == ()


def test_changed_items_against_their_parents() -> None:
    children = [Example(id=f"c{i}", parent=f"p{i}", tags={"challenge": "tense"}) for i in range(10)]
    both = judged(["111"] * 10, prefix="p") + judged(["111"] * 3 + ["011"] * 7, prefix="c")
    found = rose(both, children)
    assert [rates.name for rates in found.rates] == ["char", "char · tense"]
    ((name, n, gap, p),) = found.drops
    assert (name, n) == ("char · tense", 10)
    assert gap == pytest.approx(-0.7)
    assert p == pytest.approx(2 / 2**7)
    assert "ROSE -70.0 against the original items, 10 pairs" in found.table().notes[0]
    assert rose(judged(["111"], prefix="p") + judged(["111"], prefix="c"), children).drops[0][3] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda rows: [msgspec.structs.replace(rows[0], value=2.0), *rows[1:]],
            r"semantics is 2.0\. ROSE requires 0 or 1",
        ),
        (lambda rows: rows[1:], "semantics not judged"),
        (lambda rows: [*rows, msgspec.structs.replace(rows[0], value=1.0)], "is judged both 0 and 1"),
        (lambda rows: [msgspec.structs.replace(row, criterion="fluency") for row in rows], "No judgement has one of"),
    ],
)
def test_what_is_no_record_is_refused(change: Callable[[list[Judgement]], list[Judgement]], said: str) -> None:
    with pytest.raises(AssayError, match=said):
        rose(change(judged(["011"])))
