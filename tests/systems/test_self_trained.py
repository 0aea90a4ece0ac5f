"""Guards of a self-trained model: stuttering and the acceptability filter."""

import pytest

from assay.errors import AssayError
from assay.systems import system
from assay.systems.neural.self_trained import first_acceptable
from assay.text.stutter import stuttered


@pytest.mark.parametrize(
    ("text", "word"),
    [("very nice nice nice nice nice place", ""), ("very nice nice nice nice nice nice place", "nice"),
     ("the the the the the the cat", ""), ("Nice nice NICE, nice nice-nice!", "nice"), ("", "")],
)  # fmt: skip
def test_stutter(text: str, word: str) -> None:
    assert stuttered(text) == word


@pytest.mark.parametrize(
    ("unacceptable", "chosen"), [([0.8, 0.3, 0.1], 1), ([0.8, 0.9, 0.7], 0), ([0.6, 0.1], 0), ([0.61, 0.1], 1)]
)
def test_filter(unacceptable: list[float], chosen: int) -> None:
    assert first_acceptable(unacceptable, 0.6) == chosen


def test_filter_needs_a_list() -> None:
    with pytest.raises(AssayError, match="set beams=5 and nbest=5"):
        system("self-trained:FOLDER:acceptability=MODEL")
