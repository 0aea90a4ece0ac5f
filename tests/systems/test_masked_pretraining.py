"""Masked pre-training before the task: tags and sentinels are tokens, the task starts from its weights, any metric
selects the epoch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.training.text_judge import text_judge
from assay.inputs import form
from assay.records import Example, to_json, write_jsonl
from assay.systems.neural.recipe import Recipe

pytest.importorskip("torch")

RECIPE = Recipe(
    masked=1, masking="entity", epochs=1, batch=4, vocabulary=300, architecture="lstm", source_limit=80,
    target_limit=60, max_new=8,
)  # fmt: skip
NAMES = ("Fen Mill", "Oda Brook", "Wexley", "Tarn Hall")
LABELS = {"Fen Mill": "building", "Oda Brook": "person", "Wexley": "place"}


def facts() -> list[Example]:
    return [
        Example(id=f"{a} {b}", input={"kind": "triples", "triples": [[a, "knows", b]]}, references=(f"{a} knows {b}.",))
        for a in NAMES
        for b in NAMES
        if a != b
    ]


def fit(recipe: Recipe, folder: Path, *options: str, kind: str = "seq2seq") -> list[str]:
    from assay.systems.neural.fine_tune import train_examples

    said: list[str] = []
    train_examples(
        kind, recipe, facts(), facts()[:2], folder, form=form(":".join(("triples", *options))), say=said.append,
        judge=text_judge(recipe.select),
    )  # fmt: skip
    return said


def test_tags_and_sentinels_are_not_split_and_unknown_labels_are_counted(tmp_path: Path, one_thread: None) -> None:
    from transformers import AutoTokenizer

    labels = tmp_path / "labels.json"
    labels.write_text(to_json(LABELS), encoding="utf-8")
    said = fit(RECIPE, tmp_path / "m", "style=ner", f"labels={labels}")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "m")
    for mark in ("<BUILDING>", "<PRED>", "<UNKNOWN>", "<extra_id_0>", "<extra_id_1>"):
        assert len(tokenizer(mark, add_special_tokens=False).input_ids) == 1, mark
    assert any("6 of 12 training inputs: has entities without a label, written as <UNKNOWN>" in line for line in said)


def test_the_task_starts_from_the_masked_model(tmp_path: Path, one_thread: None) -> None:
    from safetensors.torch import load_file

    still = replace(RECIPE, max_steps=1, warmup=0.9, start=1e-9)
    fit(still, tmp_path / "m")
    first, done = load_file(tmp_path / "m/masked/model.safetensors"), load_file(tmp_path / "m/model.safetensors")
    assert all(done[name].allclose(first[name], atol=1e-6) for name in first)
    assert done["bias"].abs().sum() > 0  # the bias of the output is kept when tokens are added again
    again = replace(still, masked=0, model=str(tmp_path / "m/masked"), architecture="auto")
    fit(again, tmp_path / "other")
    other = load_file(tmp_path / "other/model.safetensors")
    assert all(other[name].allclose(first[name], atol=1e-6) for name in first)


def test_a_masked_model_alone_and_another_corpus(tmp_path: Path, one_thread: None) -> None:
    corpus = tmp_path / "corpus.jsonl"
    write_jsonl(corpus, [Example(id=str(i), source=f"the brook runs past the mill {i} times a day") for i in range(8)])
    fit(replace(RECIPE, masked=0), tmp_path / "alone", kind="masked")
    assert (tmp_path / "alone/config.json").exists()
    fit(replace(RECIPE, masking="random", corpus=str(corpus)), tmp_path / "m")
    assert (tmp_path / "m/masked/config.json").exists()
    with pytest.raises(AssayError, match="corpus is read by masked pre-training; set masked=10"):
        Recipe(corpus="x.jsonl")


def test_any_metric_selects_the_epoch(tmp_path: Path, one_thread: None) -> None:
    said = fit(replace(RECIPE, masked=0, epochs=2, select="slot_error"), tmp_path / "m")
    assert any("slot_error" in line for line in said)
    lower = text_judge("slot_error")
    higher = text_judge("bleu")
    assert lower is not None
    assert lower.lower
    assert higher is not None
    assert not higher.lower
    good = Example(id="1", references=("a b c d e",))
    assert higher.score(["a b c d e"], [good]) > higher.score(["a b c x e"], [good])
    for select, why in (("blue", "did you mean bleu"), ("rouge", "name one: rouge1"), ("mean_length", "better end")):
        with pytest.raises(AssayError, match=why):
            text_judge(select)
