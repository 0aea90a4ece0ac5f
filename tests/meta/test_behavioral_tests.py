"""A behavioural suite: what any output must be, what must stay, what must follow."""

from __future__ import annotations

import pytest

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.errors import AssayError
from assay.meta.behavioral_tests import ChallengeOutputs, run_behavioral_tests, shared_words
from assay.meta.minimum_functionality import CHECKS
from assay.records import Example

EXAMPLES = [
    Example(
        id=str(i), source=f"The ferry of Wexley took {20 + i} people over the river. It was late.",
        references=("The ferry took people.",), language="en",
    )
    for i in range(12)
]  # fmt: skip
COPY = {example.id: (example.source or "").partition(".")[0] + "." for example in EXAMPLES}


@pytest.mark.parametrize(
    ("check", "output", "passes"),
    [
        ("answers", "Yes.", True),
        ("answers", " ", False),
        ("no-loop", "the ferry of Wexley took the ferry of Wexley home", True),
        ("no-loop", "it is so now it is so now it is so now", False),
        ("no-leftovers", "The ferry <unk> left.", False),
        ("no-leftovers", "A fee of <5 pounds [sic].", True),
        ("finished", "The ferry took", False),
        ("finished", "The ferry took 20 people.", True),
        ("finished", "", None),
        ("numbers-given", "It took twenty people.", True),
        ("numbers-given", "It took 21 people.", False),
        ("numbers-given", "It took people.", None),
        ("names-given", "The boats of Wexley left.", True),
        ("names-given", "The boats of Thornbeck left.", False),
        ("names-given", "It left.", None),
    ],
)
def test_minimum_functionality(check: str, output: str, passes: bool | None) -> None:
    why = CHECKS[check][1](EXAMPLES[0], output)
    assert (None if why is None else why == "") == passes


def answered(kind: str, change: str = "") -> ChallengeOutputs:
    """A system that copies the first sentence, or that answers what it always does."""
    made = challenge_set(perturbation(kind), EXAMPLES, size=50)
    first = {example.id: (example.source or "").partition(".")[0] + "." for example in made.examples}
    return ChallengeOutputs(made.examples, {id: change or text for id, text in first.items()})


def test_a_system_that_copies_follows_and_stays() -> None:
    tests, notes = run_behavioral_tests(
        EXAMPLES, COPY, [answered("casing"), answered("no-punctuation"), answered("numbers")]
    )
    found = {(test.type, test.test): test for test in tests}
    assert found["invariance", "casing"].rate == found["direction", "numbers"].rate == 1.0
    assert found["invariance", "no-punctuation"].n == 12
    assert ("invariance", "numbers") not in found  # there the output has to change
    assert all(test.rate == 1.0 for test in tests)
    assert all(test.low < 1.0 == pytest.approx(test.high) for test in tests)
    assert notes == []


def test_a_system_that_always_says_the_same_does_not_follow() -> None:
    same = "The ferry of Wexley took 20 people over the river."
    given = dict.fromkeys(COPY, same)
    tests, _ = run_behavioral_tests(
        EXAMPLES, given, [answered("numbers", same), answered("typos-exact:p=0.2", "Nothing at all.")]
    )
    found = {(test.type, test.test): test for test in tests}
    followed = found["direction", "numbers"]
    assert (followed.passed, followed.n) == (0, 1)  # only where its number was that of the input
    assert "20 became" in followed.failures[0].why
    broken = found["invariance", "typos-exact:p=0.2"]
    assert broken.passed == 0
    assert broken.failures[0].output == "Nothing at all."
    assert found["functionality", "numbers-given"].passed == 1


def test_what_cannot_be_tested_is_said() -> None:
    with pytest.raises(AssayError, match=r"id 0: no output \(12 items\)"):
        run_behavioral_tests(EXAMPLES, {})
    with pytest.raises(AssayError, match="id 0: no parent or challenge tag"):
        run_behavioral_tests(EXAMPLES, COPY, [ChallengeOutputs(EXAMPLES, COPY)])
    with pytest.raises(AssayError, match="a share of words"):
        run_behavioral_tests(EXAMPLES, COPY, same=0)
    made = answered("casing")
    _, notes = run_behavioral_tests(EXAMPLES, COPY, [ChallengeOutputs(made.examples, {})])
    assert "casing: 12 of 12 items without parent or output are left out." in notes


def test_words_in_common() -> None:
    assert shared_words("A b c", "a B c") == 1.0
    assert shared_words("a b", "b c") == 0.5
    assert shared_words("", "") == 1.0
    assert shared_words("a", "") == 0.0


@pytest.mark.parametrize(
    ("numbers", "before", "after", "passes"),
    [
        (
            "7 -> 3; 5 -> 7",
            "7 boats and 5 cars.",
            "3 boats and 7 cars.",
            True,
        ),  # an old one is another new one
        ("7 -> 1", "7 buses; the first at 7:50 am.", "1 buses; the first at 7:50 am.", True),
        ("1 -> 4", "1 town of 1,777,539.", "4 towns of 1,777,539.", True),
        ("1777539 -> 1070705", "It has 1,777,539 people.", "It has 1,070,705 people.", True),
        ("1777539 -> 1070705", "It has 1,777,539 people.", "It has 1,777,539 people.", False),
        ("185.0 -> 287.5", "He is 185 cm tall.", "He is 287.5 cm tall.", True),
        ("12 -> 30", "It has 12 trees.", "It has 30 trees, and 12 more.", False),
        ("two -> one", "It has two boats.", "It has one boat.", True),
        ("12 -> 30", "It has trees.", "It has trees.", None),
    ],
)
def test_an_output_follows_by_the_value_of_its_numbers(
    numbers: str, before: str, after: str, passes: bool | None
) -> None:
    child = Example(id="a/n", parent="a", tags={"challenge": "numbers", "numbers": numbers})
    tests, _ = run_behavioral_tests([Example(id="a")], {"a": before}, [ChallengeOutputs([child], {"a/n": after})])
    assert next((test.rate == 1.0 for test in tests if test.type == "direction"), None) == passes


def test_what_became_of_one_item_is_worth_less_than_many() -> None:
    """Ten times the same thirteen answers say no more about a system than thirteen do."""
    parents = [Example(id=str(i)) for i in range(13)]
    outputs = {str(i): f"The ferry number {i} left." for i in range(13)}
    intervals = []
    for copies in (1, 10):
        made = [
            Example(id=f"{i}/{k}", parent=str(i), tags={"challenge": "casing"})
            for i in range(13)
            for k in range(copies)
        ]
        said = {each.id: outputs[each.parent or ""] if int(each.parent or 0) < 9 else "No." for each in made}
        tests, _ = run_behavioral_tests(parents, outputs, [ChallengeOutputs(made, said)])
        (found,) = [test for test in tests if test.type == "invariance"]
        assert found.rate == pytest.approx(9 / 13)
        intervals.append((found.low, found.high))
    assert intervals[1] == pytest.approx(intervals[0], abs=0.03)


def test_numbers_in_another_format_are_the_same_words() -> None:
    outputs = {"a": "Forty-nine boats and 1,250 cars."}
    child = Example(id="a/f", parent="a", tags={"challenge": "number-format"})
    for said, passes in (("49 boats and 1250 cars.", 1.0), ("48 trees and 1250 bees.", 0.0)):
        tests, _ = run_behavioral_tests([Example(id="a")], outputs, [ChallengeOutputs([child], {"a/f": said})])
        assert [test.rate for test in tests if test.type == "invariance"] == [passes]
