"""Choosing datasets under rules."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import select
from assay.datasets.select import Candidate
from assay.errors import AssayError, UsageError

LARGE_AND_SMALL = [
    Candidate("a", 10, {"size": "large"}),
    Candidate("b", 10, {"size": "large"}),
    Candidate("c", 5, {"size": "small"}),
]


def test_the_example_of_the_paper() -> None:
    """Two large with utility 10, one small with 5, equal representation: 15, not 20."""
    choice = select.choose(LARGE_AND_SMALL, 2, [select.equal("size")])
    assert choice.utility == 15
    assert {candidate.name for candidate in choice.chosen} == {"a", "c"}
    assert (choice.considered, choice.allowed) == (3, 2)
    assert select.choose(LARGE_AND_SMALL, 2).utility == 20


def test_votes_become_utilities() -> None:
    votes: list[int | str] = [*["positive"] * 17, *["negative"] * 2, *["neutral"] * 7]
    assert select.utilities({"e2e": votes})["e2e"] == pytest.approx(15 / 26)
    with pytest.raises(AssayError, match="x: votes are"):
        select.utilities({"x": ["perhaps"]})


def test_survey_numbers() -> None:
    assert select.survey_summary({"tasks": [8, 10, 18], "none": []}) == {"tasks": {"mean": 12, "median": 10, "n": 3}}


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.sampled_from("xy")), min_size=2, max_size=8),
    st.integers(1, 3),
)
def test_no_allowed_set_is_better(given: list[tuple[int, str]], size: int) -> None:
    candidates = [Candidate(str(i), utility, {"kind": kind}) for i, (utility, kind) in enumerate(given)]
    rules = [select.at_least(1, "kind", "x"), select.at_most(1, "kind", "y")]
    if size > len(candidates):
        return
    allowed = [chosen for chosen in combinations(candidates, size) if all(rule.holds(chosen) for rule in rules)]
    if not allowed:
        with pytest.raises(AssayError, match="no set of"):
            select.choose(candidates, size, rules)
        return
    choice = select.choose(candidates, size, rules)
    assert choice.utility == max(sum(c.utility for c in chosen) for chosen in allowed)
    assert choice.allowed == len(allowed)


def test_rules_as_written() -> None:
    assert select.rule("equal:size").name == "equal size"
    assert select.rule("at-least:2:task=dialog").name == "at least 2 with task dialog"
    assert select.rule("none:licence=closed").holds([Candidate("a", 1, {"licence": "MIT"})])
    assert select.rule("at-least:1:languages=de").holds([Candidate("a", 1, {"languages": ["en", "de"]})])
    for wrong in ("equal", "at-least:x:a=b", "at-least:1:a", "most:1:a=b", "none:a"):
        with pytest.raises(UsageError, match="write equal:KEY"):
            select.rule(wrong)


def test_too_many_sets_are_refused_and_not_tried() -> None:
    with pytest.raises(AssayError, match="too many"):
        select.choose([Candidate(str(i), 0) for i in range(60)], 30)


def test_reading_candidates(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(
        json.dumps(
            {"a": {"votes": ["positive", "negative"], "task": "x"}, "b": {"utility": 2}, "survey": {"n": [2, 4]}}
        )
    )
    candidates, survey = select.read_candidates(path)
    assert candidates == [Candidate("a", 0.0, {"task": "x"}), Candidate("b", 2.0, {})]
    assert survey == {"n": {"mean": 3, "median": 3, "n": 2}}
    for wrong in ("[]", "{", '{"a": {}}'):
        path.write_text(wrong)
        with pytest.raises(AssayError, match=r"c\.json"):
            select.read_candidates(path)
