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


@pytest.mark.parametrize("concept", ["U.S.A.", "naïve coöperation", "$5", "ice  cream", "C++", "foo ; bar"])
def test_a_required_word_is_written_as_it_was_given(folder: Path, concept: str) -> None:
    """The model reads its pieces; nothing is inserted between them, and no space either."""
    example = Example(id="n", input=Concepts(concepts=["dog", concept, "cat"]).plain())
    (answer,) = system(f"insertion:{folder}:sample=true:temperature=3").generate([example])
    assert " ".join(concept.split()) in answer.text
    assert all(" ".join(concept.split()) in text for text in answer.details["rounds"])


def test_a_folder_of_another_kind_and_a_missing_one_are_named(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssayError, match=rf"a model that inserts words. Use it as insertion:{folder}\."):
        list(system(f"hf:{folder}").generate(EXAMPLES[:1]))
    with pytest.raises(
        AssayError, match=r"weights for no-such-model .* Give a folder of `assay system train insertion`"
    ):
        list(system("insertion:no-such-model").generate(EXAMPLES[:1]))


def test_seed_and_limits(folder: Path) -> None:
    drawn = f"insertion:{folder}:sample=true:temperature=2"
    first, again, other = ([a.text for a in system(f"{drawn}:seed={s}").generate(EXAMPLES[50:53])] for s in (1, 1, 2))
    assert first == again != other
    long = next(iter(system(f"{drawn}:longest=12").generate(EXAMPLES[50:51])))
    assert len(long.text.split()) <= 12
    with pytest.raises(AssayError, match="id e: no word to start from"):
        list(system(f"insertion:{folder}").generate([Example(id="e", input=Concepts(concepts=[" "]).plain())]))


def test_the_seed_decides_the_first_weights() -> None:
    import torch

    from assay.systems.neural.insertion_objective import insertion_model

    texts = [example.references[0] for example in EXAMPLES]

    def weights(seed: int) -> list[float]:
        model, _ = insertion_model(read_recipe(f"insertion:tiny:seed={seed}")[1], texts)
        return [float(value) for value in model.head.weight[0, :5]]

    first = weights(1)
    torch.rand(7)  # what else the process draws does not count
    assert weights(1) == first != weights(2)


def test_loading_prints_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from assay.systems.neural import insertion_system

    insertion_system.loaded.cache_clear()
    list(system(f"insertion:{folder}").generate(EXAMPLES[50:51]))
    assert capfd.readouterr().err == ""


def test_top_k_then_top_p(folder: Path) -> None:
    made = system(f"insertion:{folder}:sample=true:top_k=3:top_p=0.7")
    row = np.log(np.array([0.4, 0.3, 0.2, 0.1]))
    assert {made._drawn(row, Random(i)) for i in range(60)} == {0, 1}  # type: ignore[attr-defined]


def meetings(number: int, places: list[str]) -> list[Example]:
    """Articles and prepositions of `the A met the B at the C .` follow from the words alone."""
    draw = Random(0)
    made = []
    for i in range(number):
        who, whom = draw.choice("cat dog fox owl".split()), draw.choice("king girl boy".split())
        where = draw.choice(places)
        text = f"The {who} met the {whom} at the {where} today."
        concepts = Concepts(concepts=[who, whom, where]).plain()
        made.append(Example(id=str(i), references=(text,), input=concepts))
    return made


def small_bert(folder: Path) -> Path:
    """A masked language model from chance, with a vocabulary in which `lighthouse` has two pieces."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    torch.manual_seed(1)
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused1]"]
    words = "The the cat dog fox owl met king girl boy at sea today . light ##house ##s".split()
    vocabulary = {word: i for i, word in enumerate([*marks, *words])}
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=64,
    )  # fmt: skip
    BertForMaskedLM(config).save_pretrained(folder)
    BertTokenizerFast(vocab=vocabulary, do_lower_case=False, model_max_length=64).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_pretrained_model_inserts_whole_words(tmp_path: Path, one_thread: None) -> None:
    """Words of several pieces are never torn apart, and no piece is inserted that would change a required word."""
    made = meetings(80, ["sea", "lighthouse"])
    recipe = f"insertion:model={small_bert(tmp_path / 'bert')}:epochs=16:lr=0.005:dropout=0.0:batch=8"
    train_model(*read_recipe(recipe), made[:60], made[60:70], tmp_path / "m", None, lambda line: None)
    strange = Example(id="n", input=Concepts(concepts=["Zyxxo", "lighthouse", "dog"]).plain())
    answers = [answer.text for answer in system(f"insertion:{tmp_path / 'm'}").generate([*made[70:], strange])]
    assert sum(text in one.references for text, one in zip(answers, made[70:], strict=False)) >= 8, answers
    assert {"Zyxxo", "lighthouse", "dog"} <= set(answers[-1].replace(".", "").split())
    drawn = system(f"insertion:{tmp_path / 'm'}:sample=true:temperature=9").generate([*made[70:], strange])
    for answer, example in zip(drawn, [*made[70:], strange], strict=True):
        assert ConceptCoverage().missing(concepts_of(example), answer.text) == []
        assert not any(mark in answer.text for mark in ("##", "[", "lights"))
    assert len(next(iter(system(f"insertion:{tmp_path / 'm'}:longest=5").generate(made[70:71]))).text.split()) <= 5


@pytest.mark.parametrize(("asks", "why"), [("seq2seq", "models with WordPieces"), ("encoder", "masked language model")])
def test_other_models_are_refused(asks: str, why: str, tmp_path: Path) -> None:
    from tests.support.tiny_models import save_tiny

    kind, recipe = read_recipe(f"insertion:model={save_tiny(tmp_path / 'other', asks)}:epochs=1")
    with pytest.raises(AssayError, match=why):
        train_model(kind, recipe, EXAMPLES[:10], EXAMPLES[10:20], tmp_path / "m", None, lambda line: None)


@pytest.mark.slow
def test_a_small_model_learns_the_grammar(tmp_path: Path) -> None:
    made = meetings(80, ["sea"])
    kind, recipe = read_recipe("insertion:tiny:epochs=14:lr=0.005:dropout=0.0:batch=8")
    train_model(kind, recipe, made[:60], made[60:70], tmp_path / "m", None, lambda line: None)
    answers = list(system(f"insertion:{tmp_path / 'm'}").generate(made[70:]))
    right = sum(answer.text in one.references for answer, one in zip(answers, made[70:], strict=True))
    assert right >= 8, [answer.text for answer in answers]
    assert NOI not in " ".join(answer.text for answer in answers)
