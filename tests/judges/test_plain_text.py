"""What a judge's answer says, and where it says nothing that could be relied on."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.judges.plain_text import read_rating

READ = {
    "Rating: 4": 4, "4": 4, "**3**": 3, "rating: 2/5": 2, "Score = 4.5": 4.5, "5/5.": 5, "4 / 5": 4, "4 out of 5": 4,
    "Rating: 4 out of 5": 4, "Rating: **4**/5": 4, "**Rating:** 4": 4, "Rating:\n4\n": 4, "Rating: 4. Fluent.": 4,
    "Rating: 4 (good)": 4, "Rating: 4\nRating: 4": 4, "The rating is 4.": 4, "a score of 4.0": 4,
    "Rating: 5 of 5": 5, "4.": 4,
    "Rating 1-5: 4": 4, "Rating (1-5): 4": 4, "Rating (from 1 to 5): 4": 4, "Rating: 4 (scale 1–5)": 4,
    "On a scale of 1 to 5: 4": 4, "Rating: 4 on a scale from 1 to 5.": 4, "Rating on a scale of 1 to 5: 2": 2,
}  # fmt: skip
UNREAD = [
    "", "N", "I like it", "between 3 and 4", "Rating: 9", "Rating: 0", "-4", "Rating: -4", "Rating: 2 or rating: 4",
    "Rating: 3 or 4", "Rating: 4-5", "Rating: 4–5", "Rating: 4 to 5", "Rating: 1 to 5", "Rating: 1-5", "Rating: 4,5",
    "3/10", "4/4", "3/3", "10/5", "Rating: 4 out of 10", "Rating: 4 of 4", "Rating: 4/5/5", "Rating: 4/5.5", "4/five",
    "Rating 1-10: 4", "Rating (0-5): 4", "On a scale of 1 to 10: 4", "Rating: 4 (1-3)", "Rating 1-5: 4 or 3",
    "Rating: 3 or four", "Rating: 4 out of ten", "Rating: 4+", "Rating: 4%", "Rating: 4th", "Rating: 4½",
    "Rating: 4.5.1", "Rating: 4. Of its 3 sentences all are good.", "The 3 goats are there. Rating: 4", "Rating: not 4",
    "4 is its rating",
]  # fmt: skip


@pytest.mark.parametrize(("answer", "value"), READ.items())
def test_one_rating_is_read(answer: str, value: float) -> None:
    assert read_rating(answer, 1, 5) == value


@pytest.mark.parametrize("answer", UNREAD)
def test_what_could_mean_something_else_is_not(answer: str) -> None:
    assert read_rating(answer, 1, 5) is None


@pytest.mark.parametrize(
    ("answer", "scale", "value"),
    [
        ("Rating: 80%", (0, 100), 80), ("80/100", (0, 100), 80), ("Rating: 4/5", (0, 100), None),
        ("Rating: .5", (0, 1), 0.5), ("Rating: 0.5/1", (0, 1), 0.5), ("Rating: 4/5", (0, 1), None),
        ("Rating: -1", (-2, 2), -1), ("Rating (-2 to 2): 1", (-2, 2), 1),
    ],
)  # fmt: skip
def test_other_scales(answer: str, scale: tuple[float, float], value: float | None) -> None:
    assert read_rating(answer, *scale) == value


words = st.text(st.characters(exclude_categories=("Nd", "Cs"), exclude_characters="."), min_size=1, max_size=12)
numbers = st.integers(0, 12)


@given(
    st.sampled_from(["", "Rating: ", "Score = ", "Rating (1-5): "]), numbers, numbers,
    st.sampled_from([" or ", "-", " to ", ", ", ",", "/", " out of ", " of ", "\n", ". Rating: ", " and not "]) | words,
)  # fmt: skip
def test_two_numbers_are_never_one_rating(before: str, one: int, other: int, between: str) -> None:
    assume(one != other != 5)  # a 5 may be the end of the scale
    assert read_rating(f"{before}{one}{between}{other}", 1, 5) is None
    assert read_rating(f"{one} goats. {before or 'Rating: '}{other}", 1, 5) is None


@given(st.text())
def test_any_answer_can_be_looked_at(answer: str) -> None:
    value = read_rating(answer, 1, 5)
    assert value is None or 1 <= value <= 5
