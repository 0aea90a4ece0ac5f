"""Sets of samples in numbers and words."""

from __future__ import annotations

from assay.systems.sampling import describe_sets, set_statistics


def test_sampling_sets_in_words() -> None:
    line = " ".join(describe_sets(set_statistics([1, 1, 5, 2000])))
    assert line == (
        "4 steps mean 501.8 median 5 p90 2,000 max 2,000 at most 1: 50 % at most 10: 75 % at most 100: 75 % "
        "at most 1,000: 75 % at most 10,000: 100 %"
    )
