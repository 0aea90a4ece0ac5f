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


@pytest.mark.parametrize(
    ("output", "reference", "right"),
    [
        ("1/2", "2", False),  # the last number was taken
        ("so it is 1/2.", "0.5", True),
        ("\\boxed{\\frac{3}{4}}", "3/4", True),
        ("\\boxed{\\frac{3}{4}}", "3", False),
        ("1½ cups", "1.5", True),
        ("on 3/4/2024", "2024", True),
        ("1,2,3", "3", True),
        ("9,5", "10,5", False),  # both ended with 5
        ("10,5 km", "10500 m", True),
        ("0,333", "0.333", True),
        ("1.280,5", "1280.5", True),
        ("1,280", "1280", True),
        ("12\u202f345", "12345", True),
        ("1 000 000", "0", False),
        ("5 \\times 10^{-3}", "0.005", True),
        ("1e3", "1000", True),
        (".5", "5", False),
        ("minus 5", "-5", True),
        ("one day", "24 hours", True),
        ("2 days", "2 hours", False),
        ("12 months", "1 year", True),
        ("20 degrees Celsius", "20 °C", True),
        ("20 °C", "20 °F", False),
        ("It weighs 5 kg.", "5", True),  # factors of units were applied to one side
        ("3 hours", "3", True),
        ("640 MW", "640 megawatts", True),
    ],
)
def test_numerals(output: str, reference: str, right: bool) -> None:
    assert ExactMatch(match="number").equal(output, reference) is right


@pytest.mark.parametrize(
    "output",
    ["b", "The correct option is B.", "The correct answer is option B", "\\boxed{B}", "$\\boxed{\\text{B}}$",
     "Option B", "B is correct", '{"answer": "B"}', "**Answer**: B", "<answer>B</answer>",
     "The answer is:\n\n**(B) Paris**", "Antwort: B", "答案：B"],
)  # fmt: skip
def test_choices(output: str) -> None:
    assert ExactMatch(match="choice").equal(output, "B")


def test_an_article_is_no_choice() -> None:
    assert not ExactMatch(match="choice").equal("The answer is a dog.", "A")


def test_numbers_compared_as_texts_are_noted() -> None:
    found = assay.score(["35", "2"], ["3.5", "2"], metrics="exact_match")
    assert any("references of 2 of 2 items are numbers" in note for note in found.warnings)
    assert not assay.score(["35", "b"], ["a", "b"], metrics="exact_match").warnings


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
    for text in (
        "1/" * 50_000,
        "1 000 " * 20_000,
        "\\frac{1}{" * 20_000,
        "correct option " * 20_000,
        "1," * 50_000,
        "one " * 50_000,
        "answer " * 50_000,
        "(" * 100_000,
    ):
        ExactMatch(match="number").equal(text, text)
        ExactMatch(match="choice").equal(text, "A")
    assert time.process_time() - start < 5


def test_a_wrong_tolerance() -> None:
    with pytest.raises(AssayError, match="tolerance"):
        ExactMatch(tolerance=2)
