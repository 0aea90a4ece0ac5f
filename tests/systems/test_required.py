"""Constrained decoding writes every required phrase; repetition and the constraining factor change what they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.neural.decode import Decoding, Steps
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.required import Required, penalise_repeated, required_words, state
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
END = 0


def written(phrases: list[list[int]], limit: int, seed: int, weight: float = 0.0) -> list[int]:
    """A greedy text of a model with random preferences that would end at once."""
    chance = torch.Generator().manual_seed(seed)
    required = Required([phrases], 0, END, limit, weight)
    made: list[int] = []
    while len(made) < limit and END not in made:
        scores = torch.randn(1, 30, generator=chance)
        scores[0, END] = 9.0
        made.append(int(required(torch.tensor([made], dtype=torch.long), scores).argmax()))
    return made


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_every_phrase_is_written_before_the_end(seed: int, weight: float) -> None:
    phrases = [[5, 6, 7], [8], [5, 6, 9, 10]]
    made = written(phrases, 14, seed, weight)
    assert state(made, phrases).missing == []
    assert made[-1] == END
    assert len(made) <= 14


def test_what_is_missing_and_begun() -> None:
    now = state([1, 5, 6], [[5, 6, 7], [1], [6, 2]])
    assert now.missing == [[5, 6, 7], [6, 2]]
    assert now.started == [2, 1]
    assert state([], [[4]]).started == [0]


def test_no_room_for_the_words() -> None:
    with pytest.raises(AssayError, match="does not leave room"):
        Required([[[1, 2, 3]]], 0, END, 3, 1.0)


def test_required_words_of_an_example() -> None:
    concepts = Example(id="a", input={"kind": "concepts", "concepts": ["dog", "run"]})
    assert required_words(concepts, "concepts") == ["dog", "run"]
    assert required_words(Example(id="b", source="x", tags={"words": "red, blue sky,"}), "words") == ["red", "blue sky"]
    with pytest.raises(AssayError, match="no tag 'words'"):
        required_words(concepts, "words")
    with pytest.raises(AssayError, match="needs concepts"):
        required_words(Example(id="c", source="x"), "concepts")


def test_repetition_counts_the_text_alone() -> None:
    scores = torch.tensor([[1.0, -1.0, 2.0, 3.0]])
    ids = torch.tensor([[3, 0, 1]])  # token 3 is of the input
    assert penalise_repeated(ids, scores, 1, 2.0).tolist() == [[0.5, -2.0, 2.0, 3.0]]


def test_constraining_factor_is_between_sampling_and_greedy() -> None:
    def likeliest(factor: float) -> float:
        decoding = Decoding(sample=True, factor=factor)
        steps = Steps(decoding, range(400), 0, END)
        scores = torch.zeros(400, 10)
        scores[:, 4] = 0.1
        ids = torch.ones(400, 1, dtype=torch.long)
        return float((steps(ids, scores).argmax(dim=1) == 4).double().mean())

    assert likeliest(1.0) == 1.0
    assert likeliest(0.0) < 0.2
    assert 0.4 < likeliest(2.0) < 0.7  # half of the steps, and a tenth of the others
    for wrong in ({"factor": 0.5}, {"repetition": 0.9}, {"must": "concepts", "beams": 2}):
        with pytest.raises(AssayError):
            Decoding(**wrong)


def test_a_causal_model_writes_its_concepts(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "causal", "causal")
    examples = [Example(id=str(i), input={"kind": "concepts", "concepts": words})
                for i, words in enumerate((["a", "cat"], ["the", "house"], ["river"]))]  # fmt: skip
    for sample, top_p in ((False, 1.0), (True, 0.9)):
        model = Model(path=str(folder), max_new=40, must="concepts", sample=sample, top_p=top_p)
        for answer, example in zip(model.generate(examples), examples, strict=True):
            for word in required_words(example, "concepts"):
                assert word in answer.text
