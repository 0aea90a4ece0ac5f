"""Cardinals: what is one, and that another is written the same way."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.cardinals import cardinals, read_words, spell, varied


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("53", ["53"]),
        ("It cost $2.50, or 1,250 marks.", ["2.50", "1,250"]),
        ("three hundred and fifty-two dogs and forty cats", ["three hundred and fifty-two", "forty"]),
        ("Twelve of 5,000", ["Twelve", "5,000"]),
        ("-4.5 degrees, and -3", ["-4.5", "-3"]),
        ("5-year-old", ["5"]),
        ("one of them", []),
        ("one", ["one"]),
        ("two three", []),
        ("the B-52, an A380, the 4th, 12:30, 3/4, 1.2.3, 10-20", []),
        ("born on 5 May 1961, May 7, 1962 or 1963-02-03", []),
        ("in 1984, 1984.0 and 2101", ["1984.0", "2101"]),
        ("at 7 pm", []),
        ("call 01325 or 007, 0 or 0.5", ["0", "0.5"]),
    ],
)
def test_what_a_cardinal_is(text: str, found: list[str]) -> None:
    assert [each.text for each in cardinals(text)] == found


def test_years_count_where_asked() -> None:
    assert [each.text for each in cardinals("in 1984", years=True)] == ["1984"]


@given(st.integers(0, 10**12 - 1))
def test_words_are_read_as_they_are_spelled(number: int) -> None:
    assert read_words(spell(number)) == number


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        ("54", 100),
        ("5", 10),
        ("100", 1000),
        ("0", 10),
        ("0.05", "0.10"),
        ("34.0", 100),
        ("1,250", 10_000),
        ("fifty", 100),
    ],
)
@given(seed=st.integers(0, 1000))
def test_format_and_bounds_are_kept(seed: int, written: str, bound: int | str) -> None:
    (cardinal,) = cardinals(written)
    new = varied(cardinal, Random(seed))
    assert new != written
    (again,) = cardinals(new, years=True)
    assert 0 <= again.value <= Decimal(bound)
    assert again.decimals == cardinal.decimals
    assert again.text[0].isalpha() == cardinal.text[0].isalpha()


def test_signs_and_groups_are_kept() -> None:
    assert all(varied(cardinals("-53")[0], Random(i)).startswith("-") for i in range(20))
    thousands = [varied(cardinals("1,250")[0], Random(i)) for i in range(20)]
    assert all(("," in new) == (len(new) > 3) for new in thousands)
    assert varied(cardinals("Seven")[0], Random(0))[0].isupper()
