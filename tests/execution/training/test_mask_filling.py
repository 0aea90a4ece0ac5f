"""Mask filling for acceptability: gaps, what fills them, and what becomes of the copies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.execution.training.mask_filling import MASKS, filled_pairs, gaps, label_of
from assay.models.context import Context
from assay.models.mask_filling import GAP, Filler, Words
from assay.records import Example
from assay.records.inputs import Candidates, read_input
from tests.conftest import Call, write_jsonl
from tests.support.tiny_models import save_tiny

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

LONG = "the old king saw {} red boats near the stone bridge and then he went home with two dogs"
EXAMPLES = [Example(id=str(i), references=(LONG.format(word) + ".",), language="en") for i, word in enumerate("abcdef")]


@pytest.fixture(scope="module")
def filler(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny(tmp_path_factory.mktemp("models") / "filler", "masked", length=96))


@pytest.fixture(scope="module")
def entailment(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny(tmp_path_factory.mktemp("models") / "nli", "classifier:3", length=256))


@pytest.mark.parametrize(
    ("entailed", "bleu", "label"),
    [(True, 90.1, 1), (True, 100, 1), (True, 90, None), (True, 10, None), (False, 90.1, None), (False, 90, 0),
     (False, 50, 0), (False, 49.9, None)],
)  # fmt: skip
def test_entailment_both_ways_and_bleu_decide(entailed: bool, bleu: float, label: int | None) -> None:
    assert label_of(entailed, bleu) == label


@given(words=st.lists(st.sampled_from("abcdef"), min_size=4, max_size=30), seed=st.integers(0, 99))
def test_gaps_leave_half_of_the_words_in_their_order(words: list[str], seed: int) -> None:
    found = gaps(" ".join(words), Random(seed))
    count = found.count(GAP)
    assert min(MASKS[0], len(words) // 2) <= count <= min(MASKS[1], len(words) // 2)
    left = iter(words)
    assert all(word in left for word in found if word is not GAP)
    assert len(words) <= len(found) <= len(words) + count


def test_gaps_are_filled_with_whole_words_and_the_rest_stays(filler: str) -> None:
    texts: list[Words] = [["the", GAP, "Sat", "near", GAP], ["Nothing", "missing"], [GAP]]
    model = Filler(filler)
    found = model.fill(texts, [Random(i) for i in range(3)], Context())
    assert found == model.fill(texts, [Random(i) for i in range(3)], Context())
    assert found[1] == "Nothing missing"
    known = {"the", "cat", "stone", "boat", "near", "big", *"abcdefghijklmnopqrstuvwxyz"}
    for words, text in zip(texts, found, strict=True):
        for before, after in zip(words, text.split(), strict=True):
            assert after == before or (before is GAP and after in known)
    drawn = {model.fill([[GAP, "cat"]], [Random(seed)], Context())[0] for seed in range(40)}
    assert 1 < len(drawn) <= 3


def test_a_mask_that_stands_in_the_text_is_no_gap(filler: str) -> None:
    from assay.models.load import load

    mask, model = load(filler, masked=True).tokenizer.mask_token, Filler(filler)
    texts: list[Words] = [[mask, "the", "old", GAP], ["the", "old", GAP]]
    found = [model.fill([text], [Random(seed)], Context())[0] for seed in range(20) for text in texts]
    assert found[::2] == [f"{mask} {text}" for text in found[1::2]]


def test_copies_have_their_class_or_are_left_out(filler: str, entailment: str) -> None:
    made = filled_pairs(EXAMPLES, filler, entailment, 4, 0, Context())
    assert made.examples == filled_pairs(EXAMPLES, filler, entailment, 4, 0, Context()).examples
    assert made.acceptable + made.unacceptable + made.dropped == 4 * len(EXAMPLES)
    assert made.unacceptable >= sum(read_input(one, Candidates).labels.count(0) for one in made.examples) > 0
    for example in made.examples:
        held = read_input(example, Candidates)
        assert held.candidates[0] == EXAMPLES[int(example.id.split()[0])].references[0]
        assert held.labels[0] == 1
        assert len(example.tags["damage"].split("+")) == held.labels.count(0)


def test_what_cannot_fill_is_said(filler: str, entailment: str, tmp_path: Path) -> None:
    with pytest.raises(assay.AssayError, match=r"filler: weights for .* not found"):
        filled_pairs(EXAMPLES, str(tmp_path / "nowhere"), entailment, 1, 0, Context())
    plain = save_tiny(tmp_path / "plain", "encoder")
    with pytest.raises(assay.AssayError, match="the checkpoint is incomplete"):
        filled_pairs(EXAMPLES, str(plain), entailment, 1, 0, Context())
    long = [Example(id="a", references=(" ".join(["zzzz"] * 60),))]
    with pytest.raises(assay.AssayError, match="longer than 96 tokens"):
        filled_pairs(long, filler, entailment, 3, 0, Context())
    with pytest.raises(assay.AssayError, match="of 0 filled copies none was an error close to its sentence"):
        filled_pairs([Example(id="a", references=("Hi.",))], filler, entailment, 1, 0, Context())


def test_a_classifier_learns_from_filled_copies(
    filler: str, entailment: str, tmp_path: Path, here: Callable[..., Call]
) -> None:
    rows = [{"id": one.id, "references": list(one.references), "language": "en"} for one in EXAMPLES]
    data, folder = write_jsonl(tmp_path / "data.jsonl", rows), tmp_path / "m"
    recipe = f"classifier:acceptability:model=tiny:vocabulary=300:damaged=3:filler={filler}:entailed={entailment}"
    said = here("system", "train", f"{recipe}:epochs=1", "--train", data, "--valid", data, "-o", folder, "--json")
    assert said.code == 0, said.err
    assert "filled copies: " in said.err
    assert {row["set"] for row in said.json["test"]} == {"all", "filled masks"}
    assert "a model\nfilled gaps" in (folder / "README.md").read_text()
    assert said.json["recipe"]["filler"] == filler
    assert json.loads((folder / "recipe.json").read_text())
