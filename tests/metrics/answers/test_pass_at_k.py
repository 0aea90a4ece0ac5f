"""pass_at_k: the formula by hand, and groups by parent."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError


def samples(right: list[list[bool]]) -> tuple[list[assay.Output], list[assay.Example]]:
    outputs, examples = [], []
    for problem, each in enumerate(right):
        for number, good in enumerate(each):
            id = f"p{problem}" if number == 0 else f"p{problem} ({number + 1})"
            examples.append(assay.Example(id=id, references=("7",), parent=f"p{problem}" if number else None))
            outputs.append(assay.Output(id=id, output="It is 7." if good else "It is 8."))
    return outputs, examples


@pytest.mark.parametrize(
    ("k", "value"),
    [
        (1, (1 / 4 + 1 / 2 + 0) / 3),
        (2, ((1 - 3 / 6) + (1 - 1 / 6) + 0) / 3),  # C(3, 2) = 3 and C(2, 2) = 1, of C(4, 2) = 6
        (4, 2 / 3),
    ],
)
def test_by_hand(k: int, value: float) -> None:
    outputs, examples = samples([[True, False, False, False], [True, True, False, False], [False] * 4])
    found = assay.score(outputs, examples=examples, metrics=f"pass_at_k:k={k}")
    assert found.scores["pass_at_k"].value == pytest.approx(value)


def test_too_few_samples() -> None:
    outputs, examples = samples([[True, False], [True]])
    found = assay.score(outputs, examples=examples, metrics="pass_at_k:k=2")
    assert found.scores["pass_at_k"].value == 1
    assert any("1 of 2 problems have fewer than 2 samples" in note for note in found.warnings)
    skipped = assay.score(outputs, examples=examples, metrics="pass_at_k:k=3").skipped
    assert "no problem has 3 samples" in skipped[0].why


def test_wrong_options() -> None:
    for options, problem in (("k=0", "k=0 must be"), ("match=none", "match")):
        with pytest.raises(AssayError, match=problem):
            assay.score(["7"], ["7"], metrics=f"pass_at_k:{options}")
