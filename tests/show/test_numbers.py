"""How numbers look: rounded, without the zero that says nothing, a dash where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import pytest

from assay.records import Score
from assay.show.numbers import count, fixed, interval, number, probability, rounded, scored, share, size, span


@dataclass
class Part:
    scale: float = 1.0
    digits: int = 2
    bounds: tuple[float | None, float | None] = (0.0, 1.0)


PERCENT = Part(100.0, 1)
SIZE = Part(1.0, 1, (0.0, None))


@pytest.mark.parametrize(
    ("value", "digits", "signed", "expected"),
    [
        (0.5, 2, False, ".50"),
        (-0.25, 2, False, "-.25"),
        (None, 3, False, "–"),
        (nan, 3, False, "–"),
        (-0.0001, 2, False, ".00"),
        (-0.0001, 2, True, "-.00"),
        (0.0, 1, True, "+.0"),
        (1.5, 1, False, "1.5"),
        (10.05, 0, False, "10"),
        (0.2, 0, False, "0"),
    ],
)
def test_fixed(value: float | None, digits: int, signed: bool, expected: str) -> None:
    assert fixed(value, digits, signed=signed) == expected


def test_number_follows_the_part() -> None:
    assert number(0.4103, PERCENT) == "41.0"
    assert number(0.004, PERCENT) == "0.4"
    assert number(0.613, Part()) == ".61"
    assert number(1.0, Part()) == "1.00"
    assert number(0.5, SIZE) == "0.5"
    assert number(-0.033, PERCENT, signed=True) == "-3.3"
    assert number(0.01, Part(), signed=True) == "+.01"
    assert number(None, PERCENT) == "–"


def test_a_size_is_not_shown_as_zero() -> None:
    assert [size(0.02, PERCENT), size(0.00005, PERCENT), size(0.0, PERCENT)] == ["2.0", "0.005", "0.0"]
    assert [size(0.0034, Part()), size(None, PERCENT)] == [".003", "–"]


def test_probability() -> None:
    assert [probability(p) for p in (0.0, 0.00099, 0.001, 0.0424, 0.999, 0.9996, 1.0, None)] == [
        "<.001", "<.001", ".001", ".042", ".999", "1", "1", "–",
    ]  # fmt: skip


def test_intervals() -> None:
    assert scored(Score(value=0.66, low=0.641, high=0.679), PERCENT) == "66.0 [64.1, 67.9]"
    assert scored(Score(value=0.66), PERCENT) == "66.0"
    assert scored(Score(value=None), PERCENT) == "–"
    assert interval(-0.01, 0.02, PERCENT, signed=True) == "[-1.0, +2.0]"
    assert interval(None, 0.02, PERCENT) == ""
    assert span(0.123, 0.456, 2) == "[.12, .46]"
    assert span(None, 0.4) == "–"


def test_the_rest() -> None:
    assert [count(1200), count(None)] == ["1,200", "–"]
    assert [rounded(0.0123456), rounded(512.44), rounded(None)] == ["0.01235", "512.4", "–"]
    assert [share(0.834), share(-0.004), share(None)] == ["83%", "0%", "–"]
