"""exact_match: by hand, and by the rules of SQuAD."""

from __future__ import annotations

import time

import pytest

import assay
from assay.errors import AssayError
from assay.metrics.answers.exact_match import ExactMatch


def value(output: str, reference: str, options: str = "") -> float | None:
    return assay.score([output], [reference], metrics=f"exact_match{options}").scores["exact_match"].value


@pytest.mark.parametrize(
    ("output", "reference", "options", "right"),
    [
        ("The cat.", "cat", "", True),
        ("A  Cat!", "the cat", "", True),
        ("the cats", "cat", "", False),
        ("", "", "", True),
        ("The cat.", "cat", ":match=verbatim", False),
        (" cat ", "cat", ":match=verbatim", True),
        ("She sold 48 + 24 = 72 clips. The answer is 72.", "She sold 48/2 = 24.\n#### 72", ":match=number", True),
        ("So the final answer: $1,234.50 in all, of 3 shops", "1234.5", ":match=number", True),
        ("It is 1.5 km.", "1500 m", ":match=number", True),
        ("It is 1.5 kg.", "1.5 m", ":match=number", False),
        ("4 million", "4000000", ":match=number", True),
        ("about 99", "100", ":match=number", False),
        ("about 99", "100", ":match=number:tolerance=0.02", True),
        ("-5", "5", ":match=number", False),
        ("nothing", "5", ":match=number", False),
        ("The answer is (B), because A is wrong.", "B", ":match=choice", True),
        ("B) Paris", "(B)", ":match=choice", True),
        ("Because of that.", "B", ":match=choice", False),
        ("A dog ran to B", "B", ":match=choice", False),
        ("in the year 1999!", "[12][0-9]{3}", ":match=pattern", True),
        ("in May", "^[0-9]+$", ":match=pattern", False),
        ("It is 7.", "7", ":match=auto", True),
        ("Answer: C", "C", ":match=auto", True),
        ("Paris.", "Paris", ":match=auto", True),
        ("It is Paris.", "Paris", ":match=auto", False),
    ],
)
def test_by_hand(output: str, reference: str, options: str, right: bool) -> None:
    assert value(output, reference, options) == float(right)


def test_the_best_reference_counts() -> None:
    found = assay.score(["Paris", "Rome"], [["London", "paris"], ["Milan"]], metrics="exact_match", ci=200)
    assert found.scores["exact_match"].value == 0.5


def test_a_pattern_that_cannot_be_read() -> None:
    metric = ExactMatch(match="pattern")
    with pytest.raises(AssayError, match="id q7: the reference is not a regular expression"):
        metric.equal("x", "(", "q7")
    with pytest.raises(AssayError, match="not a regular expression"):
        metric.equal("x", "(?=look)", "q7")


def test_a_hostile_pattern_takes_linear_time() -> None:
    start = time.process_time()
    ExactMatch(match="pattern").equal("a" * 50_000 + "b", "(a+)+$")
    for text in ("1," * 50_000, "one " * 50_000, "answer " * 50_000, "(" * 100_000):
        ExactMatch(match="number").equal(text, text)
        ExactMatch(match="choice").equal(text, "A")
    assert time.process_time() - start < 5


def test_a_wrong_tolerance() -> None:
    with pytest.raises(AssayError, match="tolerance"):
        ExactMatch(tolerance=2)
