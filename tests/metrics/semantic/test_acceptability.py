"""Acceptability: classifiers by folder and trained small, damaged sentences, the share by a threshold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.challenges.damage import DAMAGES, QUESTION, SHORTEST, acceptability_pairs, damaged
from assay.records import Example
from assay.records.inputs import Candidates, read_input
from assay.seeds import rng_for
from tests.conftest import Call, write_jsonl
from tests.support import each, score
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["The cat sat. Two dogs ran.", "", "Rain fell."]
SENTENCES = st.lists(
    st.sampled_from("the cats are running over a wet bridge and sing".split()), min_size=2, max_size=9
).map(" ".join)


def alone(folder: Path, text: str, place: int) -> float:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        return float(torch.softmax(model(**tokenizer(text, return_tensors="pt")).logits[0].double(), -1)[place])


def test_a_classifier_of_others_reads_each_sentence(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "cola", "classifier:2")  # no, yes
    found = each(f"acceptability:model={folder}", OUTPUTS)
    said = [alone(folder, text, 1) for text in ("The cat sat.", "Two dogs ran.", "Rain fell.")]
    assert found["acceptability"] == pytest.approx([(said[0] + said[1]) / 2, 0, said[2]], abs=1e-5)
    for threshold in (0.2, 0.8):
        good = [min(said[:2]) >= 1 - threshold, False, said[2] >= 1 - threshold]
        share = score(f"acceptability:model={folder}:threshold={threshold}", OUTPUTS)["acceptability.share"]
        assert share == pytest.approx(sum(good) / 3)
    (folder / "recipe.json").write_text(
        '{"made": "elsewhere"}'
    )  # not by `assay system train`, whose models are asked otherwise
    whole = each(f"acceptability:model={folder}:unit=whole", OUTPUTS[:1])["acceptability"]
    assert whole == pytest.approx([alone(folder, OUTPUTS[0], 1)], abs=1e-5)


def test_classes_that_mean_nothing_are_said(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "three", "classifier:3")
    (failed,) = assay.score(OUTPUTS, metrics=f"ttr,acceptability:model={folder}").failed
    assert "Give a model with two classes, one named acceptable or yes." in failed.why
    (skipped,) = assay.score(OUTPUTS, metrics="ttr,acceptability").skipped
    assert "a model of `assay system train classifier:acceptability`" in skipped.why


@given(sentence=SENTENCES, kind=st.sampled_from(list(DAMAGES)), seed=st.integers(0, 99))
def test_a_damage_changes_a_sentence_a_little(sentence: str, kind: str, seed: int) -> None:
    found = damaged(sentence, kind, rng_for(seed, sentence), ["xyz"])
    if found is not None:
        assert len(sentence.split()) >= SHORTEST
        assert found != sentence
        assert abs(len(found.split()) - len(sentence.split())) <= 1


def test_pairs_are_a_sentence_and_its_copies() -> None:
    examples = [
        Example(id=str(i), references=(f"The {i} cats are on a wet bridge. Yes.",), language="en") for i in range(20)
    ]
    made = acceptability_pairs(examples, 2, 0)
    assert made == acceptability_pairs(examples, 2, 0)
    assert len({example.id for example in made}) == len(made) == 20  # sentences of one word are left alone
    for example in made:
        held = read_input(example, Candidates)
        assert held.labels[0] == 1
        assert not any(held.labels[1:])
        assert len(example.tags["damage"].split("+")) == len(held.candidates) - 1
        assert example.source == QUESTION
    with pytest.raises(assay.AssayError, match="no reference of 1 example has a sentence of 4 words; use longer"):
        acceptability_pairs([Example(id="a", references=("Hi.",))], 1, 0)


@pytest.mark.slow
def test_it_is_trained_small_with_its_card(tmp_path: Path, here: Callable[..., Call]) -> None:
    """A model from chance learns to tell sentences from their copies, and says how well on its card."""
    names = "cat dog king boat law stone tax rain hill road".split()
    texts = [f"The {a} met the {b} near a {c}." for a in names for b in names for c in names[:4] if a != b]
    for part, some in (("train", texts[::2]), ("valid", texts[1::8])):
        written = [{"id": f"{part}{i}", "references": [text], "language": "en"} for i, text in enumerate(some)]
        write_jsonl(tmp_path / f"{part}.jsonl", written)
    folder = tmp_path / "model"
    spec = "classifier:acceptability:model=tiny:vocabulary=300:epochs=7:lr=3e-3:batch=16"
    done = here(
        "system",
        "train",
        spec,
        "--train",
        tmp_path / "train.jsonl",
        "--valid",
        tmp_path / "valid.jsonl",
        "-o",
        folder,
        "--json",
    )
    assert done.code == 0, done.err
    rows = {row["set"]: row for row in done.json["test"]}
    assert rows["all"]["accuracy_low"] > 0.55  # by chance one half
    assert set(rows) <= {"all", *DAMAGES}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlanguage: [en]\n---\n")
    assert f"| all | {rows['all']['n']} | {rows['all']['accuracy']:.3f} (" in card
    held = [
        read_input(pair, Candidates).candidates
        for pair in acceptability_pairs([Example(id="v", references=(" ".join(texts[1::16]),))], 1, 0)
    ]
    good, wrong = (score(f"acceptability:model={folder}", [pair[i] for pair in held])["acceptability"] for i in (0, 1))
    assert good > wrong + 0.1
    german = [Example(id="1", language="de")]
    (skipped,) = assay.score({"1": "x y"}, examples=german, metrics=f"ttr,acceptability:model={folder}").skipped
    assert "supports en" in skipped.why
    assert json.loads((folder / "recipe.json").read_text())["damaged"] == 1
