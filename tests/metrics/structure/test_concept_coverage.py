"""Concept coverage: words of one's own, phrases, stems; the published outputs of POINTER where they are at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import assay
from assay.datasets import dataset
from assay.records import Example, Items
from tests.support import score


def corpus(*pairs: tuple[list[str], str]) -> Items:
    given = [{"kind": "concepts", "concepts": concepts} for concepts, _ in pairs]
    examples = [Example(id=str(i), input=one) for i, one in enumerate(given)]
    return Items(tuple(output for _, output in pairs), tuple(examples))


BALL = ["ball", "court", "run", "throw"]


@pytest.mark.parametrize(
    ("output", "share"),
    [
        ("An athlete brings the tennis ball back up on the tennis Court.", 0.5),
        ("They run across the court and throw the ball.", 1.0),
        ("Balls, courts, running and throwing", 0.0),
        ("ball-court", 0.5),
        ("", 0.0),
    ],
)
def test_concepts_are_words_of_their_own(output: str, share: float) -> None:
    assert score("concept_coverage", corpus((BALL, output)))["concept_coverage"] == share


def test_stems_and_phrases() -> None:
    assert score("concept_coverage:forms=stems", corpus((BALL, "Balls, courts, running, throwing")))[
        "concept_coverage"
    ] == pytest.approx(1.0)
    assert score("concept_coverage", corpus((["ice cream", "eat"], "They eat cream on ice")))["concept_coverage"] == 0.5
    assert score("concept_coverage", corpus((["ice cream"], "An Ice  cream!")))["concept_coverage"] == 1


def test_over_all_concepts_and_over_whole_outputs() -> None:
    found = score(
        "concept_coverage", corpus((BALL, "run to throw a ball in court"), (["dog"], "cat"), (["a", "a"], "a"))
    )
    assert found == {"concept_coverage": pytest.approx(5 / 6), "concept_coverage.outputs": pytest.approx(2 / 3)}


def test_other_inputs_are_skipped_with_the_reason() -> None:
    example = Example(id="1", input={"kind": "slots", "slots": [["name", "Aroma"]]})
    result = assay.score(["Aroma"], examples=[example], metrics=["concept_coverage"])
    assert "kind concepts" in result.skipped[0].why


@pytest.mark.parametrize(("file", "share"), [("greedy", 0.310), ("sampling", 0.437)])
def test_published_outputs(shared_data: Callable[[str], Path], file: str, share: float) -> None:
    outputs = shared_data(f"pointer/commongen_{file}_validation_set.txt").read_text(encoding="utf-8").splitlines()
    examples = tuple(dataset("common_gen").read(shared_data("commongen")))
    found = score("concept_coverage", Items(tuple(outputs), examples))
    assert share <= found["concept_coverage"] < share + 0.001, "what was printed is cut, not rounded: .4379"
    shuffled = Random(0).sample(outputs, len(outputs))
    assert 0.009 < score("concept_coverage", Items(tuple(shuffled), examples))["concept_coverage"] < 0.02
