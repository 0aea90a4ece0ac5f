"""Token F1: the published test vector, SQuAD in torchmetrics, several references, texts without words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from tests.support import each, score

WORDS = st.lists(st.sampled_from("the a an cat dog, sat. The CAN'T - ran".split()), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("output", "reference", "spec", "expected"),
    [
        ("the cat sat", "the cat is here", "token_f1", (4 / 7, 2 / 3, 1 / 2)),
        ("the cat sat", "the cat is here", "token_f1:convai2", (2 / 5, 1 / 2, 1 / 3)),
        ("a a b", "a b b", "token_f1", (2 / 3, 2 / 3, 2 / 3)),
        ("The Cat!", "the cat", "token_f1", (1, 1, 1)),
        ("The Cat", "the cat", "token_f1:lowercase=false", (0, 0, 0)),
        ("cat !", "cat", "token_f1:punctuation=true", (2 / 3, 1 / 2, 1)),
        ("«кот» спал", "кот", "token_f1", (2 / 3, 1 / 2, 1)),
        ("", "a cat", "token_f1", (0, 0, 0)),
        ("...", "", "token_f1", (1, 1, 1)),
    ],
)
def test_shared_words(output: str, reference: str, spec: str, expected: tuple[float, ...]) -> None:
    assert tuple(score(spec, [output], [[reference]]).values()) == pytest.approx(expected)


def test_of_several_references_the_one_with_the_best_f_counts() -> None:
    actual = each("token_f1", ["a b", ""], [["a b c d e f", "a x"], "y"])
    assert actual["token_f1"] == [pytest.approx(1 / 2), 0]
    assert actual["token_f1.recall"][0] == pytest.approx(1 / 3)  # recall of the first reference, whose F1 is 1/2
    notes = assay.score(["", "a"], ["b", "a"], metrics="token_f1").notes
    assert any("token_f1: 1 of 2 outputs are empty" in note for note in notes)


@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3))
def test_the_preset_equals_squad(output: str, references: list[str]) -> None:
    squad = pytest.importorskip("torchmetrics.functional.text").squad
    answers = {"answers": {"answer_start": [0] * len(references), "text": references}, "id": "1"}
    theirs = float(squad([{"prediction_text": output, "id": "1"}], [answers])["f1"]) / 100
    assert score("token_f1:convai2", [output], [references])["token_f1"] == pytest.approx(theirs, abs=1e-6)
