"""Numbers, dates and names by rule, and no text that breaks them."""

from __future__ import annotations

import pytest
from hypothesis import given

from assay.text.mentions import mentions
from support import TEXT, WORDY


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
        ("It was so. I saw it on Monday.", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert mentions(text).entities == names


@given(TEXT | WORDY)
def test_any_text_is_read(text: str) -> None:
    for kind in mentions(text):
        assert all(kind)
        assert len(set(kind)) == len(kind)
