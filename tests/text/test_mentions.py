"""Numbers, dates and names by rule, and no text that breaks them."""

from __future__ import annotations

import pytest
from hypothesis import given

from assay.text.mentions import mentions
from tests.support import TEXT, WORDY


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("He paid 1,200 and 1200.", ("1200",)),
        ("It cost £1.2m, or 1.2 million.", ("1200000",)),
        ("Twenty-five of two hundred left.", ("25", "200")),
        ("The third and the twelfth.", ("3", "12")),
        ("One of them was first.", ()),
        ("one million", ("1000000",)),
        ("version 1.2.3", ()),
        ("two hundred and fifty of twenty five thousand", ("250", "25000")),
        ("between two and three, five hundred and more", ("2", "3", "500")),
        ("one hundred, twenty-thirty", ("100",)),
    ],
)
def test_numbers(text: str, numbers: tuple[str, ...]) -> None:
    assert mentions(text).numbers == numbers


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("On 3 May 2015, a Monday.", ("month 5", "day 3", "year 2015", "monday")),
        ("May 3 and Sept 40", ("month 5", "day 3", "month 9")),
        ("He may march in March.", ("month 3",)),
        ("About 1500 people in 1066.", ("year 1500", "year 1066")),
    ],
)
def test_dates(text: str, dates: tuple[str, ...]) -> None:
    assert mentions(text).dates == dates


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Nora Quist's boat left Wexley.", ("nora quist", "wexley")),
        ("The boat left. Then Ann came.", ("ann",)),
        ("They saw the Bank of Wexley and BBC News.", ("bank of wexley", "bbc news")),
        ("Boats left. He said Boats were late.", ("boats",)),
        ("NASA said so.", ("nasa",)),
        ("It is in the U.S. and in the US.", ("us",)),
        ("It was so. I saw it on Monday.", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert mentions(text).entities == names


@pytest.mark.parametrize(
    ("source", "said", "held"),
    [
        ("Some 1,200 came.", "1200 came", True),
        ("Some 1200 came.", "1,200 came", True),
        ("On March 3.", "the 3rd of March", True),
        ("The first of May; one came.", "1 came", True),
        ("Some 1,200 came.", "1300 came", False),
        ("On March 3.", "the 4th of March", False),
    ],
)
def test_a_value_is_the_same_in_a_date_and_out_of_it(source: str, said: str, held: bool) -> None:
    given, claimed = mentions(source), mentions(said)
    assert all(map(given.support, (*claimed.numbers, *claimed.dates))) is held


@given(TEXT | WORDY)
def test_any_text_is_read(text: str) -> None:
    for kind in mentions(text):
        assert all(kind)
        assert len(set(kind)) == len(kind)
