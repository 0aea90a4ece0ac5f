"""Insertion: required words are always there, rounds grow a text, and a small model learns a grammar."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from assay.datasets.synthetic_venues import synthetic_concepts
from assay.errors import AssayError
from assay.execution.training.kinds import read_recipe, train_model
from assay.inputs.insertion import NOI
from assay.metrics.structure.concept_coverage import ConceptCoverage, concepts_of
from assay.records.kinds import Concepts
from assay.records.types import Example
from assay.systems import system

pytest.importorskip("torch")

EXAMPLES = synthetic_concepts(60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("insertion") / "model"
    kind, recipe = read_recipe("insertion:tiny:epochs=1:vocabulary=200")
    train_model(kind, recipe, EXAMPLES[:40], EXAMPLES[40:50], where, None, lambda line: None)
    return where


@pytest.mark.parametrize("decoding", ["", ":greedy", ":sampling", ":sample=true:temperature=3:rounds=3"])
def test_every_required_word_is_in_the_text(folder: Path, decoding: str) -> None:
    strange = Example(id="n", input=Concepts(concepts=["Zyxxo", "ice cream", "dog"]).plain())
    examples = [*EXAMPLES[50:55], strange]
    coverage = ConceptCoverage()
    for example, answer in zip(examples, system(f"insertion:{folder}{decoding}").generate(examples), strict=True):
        assert coverage.missing(concepts_of(example), answer.text) == []
        assert len(answer.details["rounds"]) <= 6


def test_seed_and_limits(folder: Path) -> None:
    drawn = f"insertion:{folder}:sample=true:temperature=2"
    first, again, other = ([a.text for a in system(f"{drawn}:seed={s}").generate(EXAMPLES[50:53])] for s in (1, 1, 2))
    assert first == again != other
    long = next(iter(system(f"{drawn}:longest=12").generate(EXAMPLES[50:51])))
    assert len(long.text.split()) <= 12
    with pytest.raises(AssayError, match="id e: no word to start from"):
        list(system(f"insertion:{folder}").generate([Example(id="e", input=Concepts(concepts=[" "]).plain())]))


def test_loading_prints_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from assay.systems.neural import insertion_system

    insertion_system.loaded.cache_clear()
    list(system(f"insertion:{folder}").generate(EXAMPLES[50:51]))
    assert capfd.readouterr().err == ""


def test_top_k_then_top_p(folder: Path) -> None:
    made = system(f"insertion:{folder}:sample=true:top_k=3:top_p=0.7")
    row = np.log(np.array([0.4, 0.3, 0.2, 0.1]))
    assert {made._drawn(row, Random(i)) for i in range(60)} == {0, 1}  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_small_model_learns_the_grammar(tmp_path: Path) -> None:
    """Articles and prepositions of `the A met the B at the C .` follow from the words alone."""
    draw = Random(0)

    def meeting(number: int) -> Example:
        who, whom, where = draw.choice("cat dog fox owl".split()), draw.choice("king girl boy".split()), "sea"
        text = f"The {who} met the {whom} at the {where} today."
        return Example(id=str(number), references=(text,), input=Concepts(concepts=[who, whom, where]).plain())

    made = [meeting(number) for number in range(80)]
    kind, recipe = read_recipe("insertion:tiny:epochs=14:lr=0.005:dropout=0.0:batch=8")
    train_model(kind, recipe, made[:60], made[60:70], tmp_path / "m", None, lambda line: None)
    answers = list(system(f"insertion:{tmp_path / 'm'}").generate(made[70:]))
    right = sum(answer.text in one.references for answer, one in zip(answers, made[70:], strict=True))
    assert right >= 8, [answer.text for answer in answers]
    assert NOI not in " ".join(answer.text for answer in answers)
