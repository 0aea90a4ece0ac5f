"""Training: the same losses whether it was killed or not, the best epoch really kept, recipes as printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.training.kinds import KINDS, kinds_of, read_recipe
from assay.inputs.filters import sentence_pairs
from assay.records import Example, read_examples, write_jsonl
from assay.systems import system
from assay.systems.neural.presets import PRESETS
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.train import epoch_batches
from assay.systems.neural.training_folder import draw_losses
from tests.conftest import Call
from tests.support.systems_fixtures import losses

pytest.importorskip("torch")
pytest.importorskip("transformers")

Run = Callable[..., Call]
RECIPE = Recipe(epochs=2, batch=4, vocabulary=350, source_limit=400, target_limit=60, lr=5e-3, save_every=2)


def fit(recipe: Recipe, examples: list[Example], folder: Path, stop_after: int = 0, task: str = "seq2seq") -> None:
    from assay.systems.neural.fine_tune import train_examples

    train_examples(task, recipe, examples, examples[:2], folder, stop_after=stop_after)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, events: list[Example], one_thread: None) -> Path:
    folder = tmp_path_factory.mktemp("train") / "whole"
    fit(RECIPE, events, folder)
    return folder


@pytest.mark.parametrize("stop", [3, 6])
def test_broken_off_and_resumed_gives_the_same_losses(
    undisturbed: Path, events: list[Example], tmp_path: Path, stop: int
) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit(RECIPE, events, tmp_path / "m", stop_after=stop)
    assert not (tmp_path / "m/config.json").exists()
    fit(RECIPE, events, tmp_path / "m")
    assert losses(tmp_path / "m") == losses(undisturbed)
    weights = (tmp_path / "m/model.safetensors").read_bytes()
    assert weights == (undisturbed / "model.safetensors").read_bytes()


@pytest.mark.slow
def test_killed_for_good_and_resumed(undisturbed: Path, events: list[Example], tmp_path: Path) -> None:
    """SIGKILL in the middle of a real `assay system train`, then the same command again."""
    write_jsonl(tmp_path / "train.jsonl", events)
    write_jsonl(tmp_path / "valid.jsonl", events[:2])
    spec = "seq2seq:epochs=2:batch=4:vocabulary=350:source_limit=400:target_limit=60:lr=0.005:save_every=2"
    command = [sys.executable, "-m", "assay", "system", "train", spec, "--train", tmp_path / "train.jsonl", "--valid",
               tmp_path / "valid.jsonl", "-o", tmp_path / "m"]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = subprocess.Popen([*map(str, command)], env=environment, stdout=subprocess.DEVNULL)
    while not (tmp_path / "m/checkpoint.safetensors").exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not (tmp_path / "m/config.json").exists()
    subprocess.run([*map(str, command)], env=environment, check=True, capture_output=True)
    assert losses(tmp_path / "m") == losses(undisturbed)


def test_losses_fall_and_leave_a_curve(undisturbed: Path) -> None:
    steps = [row["loss"] for row in losses(undisturbed) if "epoch" not in row]
    epochs = [row["loss"] for row in losses(undisturbed) if "epoch" in row]
    assert len(epochs) == 2
    assert sum(steps[-3:]) < sum(steps[:3])
    assert epochs[-1] < epochs[0]
    assert "validation" in (undisturbed / "losses.svg").read_text()
    assert json.loads((undisturbed / "recipe.json").read_text())["lr"] == 5e-3


def test_a_training_needs_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said: list[str] = []
    draw_losses([{"step": 1, "loss": 2.0}, {"step": 1, "epoch": 1, "loss": 1.5}], tmp_path, said.append)
    assert said == ["! no losses.svg: matplotlib is not installed; pip install 'assay-eval[plots]'"]
    assert not list(tmp_path.iterdir())


def test_the_best_epoch_is_really_loaded(events: list[Example], tmp_path: Path, one_thread: None) -> None:
    """With a rate that ruins the model later on, the folder holds the earlier epoch's weights."""
    from assay.systems.neural.generation_objective import Seq2Seq

    recipe = replace(RECIPE, epochs=4, lr=0.5, warmup=0.0, start=1.0, end=1.0, save_every=0, clip=0.0)
    fit(recipe, events, tmp_path / "m")
    epochs = [row["loss"] for row in losses(tmp_path / "m") if "epoch" in row]
    made = system(f"hf:{tmp_path / 'm'}")
    net, tokenizer, _ = made.loaded  # type: ignore[attr-defined]
    task = Seq2Seq(net, tokenizer, recipe, events[:2], events[:2], None, None)
    import torch

    with torch.no_grad():
        assert task.validate(net)["loss"] == pytest.approx(min(epochs), rel=1e-4)
    assert min(epochs) < max(epochs)


def test_accumulated_batches_are_one_large_batch(events: list[Example], tmp_path: Path, one_thread: None) -> None:
    plain = replace(RECIPE, epochs=1, batch=4, dropout=0.0, save_every=0)
    fit(plain, events[:8], tmp_path / "a")
    fit(replace(plain, batch=4, accumulate=1, checkpointing=True), events[:8], tmp_path / "b")
    first = [row["loss"] for row in losses(tmp_path / "a")]
    assert [row["loss"] for row in losses(tmp_path / "b")] == pytest.approx(first, rel=1e-4)
    fit(replace(plain, batch=8), events[:8], tmp_path / "c")
    fit(replace(plain, batch=2, accumulate=4), events[:8], tmp_path / "d")
    one, four = losses(tmp_path / "c"), losses(tmp_path / "d")
    assert four[0]["loss"] == pytest.approx(one[0]["loss"], rel=1e-4)
    assert four[-1]["loss"] == pytest.approx(one[-1]["loss"], rel=1e-3)


def test_mixed_precision_and_early_stopping(events: list[Example], tmp_path: Path, one_thread: None) -> None:
    recipe = replace(RECIPE, precision="bf16", epochs=6, lr=1e-12, patience=1, save_every=0)
    fit(recipe, events[:8], tmp_path / "m")
    epochs = [row for row in losses(tmp_path / "m") if "epoch" in row]
    assert len(epochs) == 2  # nothing is learned, so the second is no better
    with pytest.raises(AssayError, match="fp16 needs a GPU"):
        fit(replace(recipe, precision="fp16"), events[:8], tmp_path / "n")


def test_embeddings_and_new_parts_have_their_own_rate(events: list[Example], one_thread: None) -> None:
    from assay.systems.neural.build_model import build_model, parameter_groups

    texts = [example.source or "" for example in events]
    model, _ = build_model(RECIPE, texts)
    groups = parameter_groups(model, replace(RECIPE, embedding_lr=1e-6))
    rates = {group["lr"]: sum(p.numel() for p in group["params"]) for group in groups}
    assert set(rates) == {5e-3, 1e-6}
    assert rates[1e-6] == model.get_input_embeddings().weight.numel()


def test_a_small_model_takes_one_thread_and_gives_the_rest_back() -> None:
    import torch

    from assay.models.devices import limited_threads

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with limited_threads(torch.nn.Linear(10, 10)):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 3
        with limited_threads(torch.nn.Linear(3000, 2000)):
            assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_markers_become_tokens(one_thread: None) -> None:
    from assay.systems.neural.build_model import build_model

    _, tokenizer = build_model(replace(RECIPE, markers=True), ["a b c"] * 5)
    ids = tokenizer("[ACT_START] a [ACT_END], b", add_special_tokens=False).input_ids
    assert tokenizer.convert_ids_to_tokens(ids)[0] == "[ACT_START]"
    assert "[ACT_END]" in tokenizer.convert_ids_to_tokens(ids)


def test_pretrained_folders_and_bert_encoders(tmp_path: Path, events: list[Example], one_thread: None) -> None:
    """The recipes that begin from a pretrained model, with a small BERT saved here in its place."""
    from transformers import BertConfig, BertModel

    from assay.systems.neural.build_model import build_model, make_tokenizer, parameter_groups

    folder = tmp_path / "bert"
    tokenizer = make_tokenizer([example.source or "" for example in events], 300, [])
    BertModel(BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                         intermediate_size=32, pad_token_id=1)).save_pretrained(folder)  # fmt: skip
    tokenizer.save_pretrained(folder)
    recipe = replace(RECIPE, model=str(folder), architecture="bert-decoder", lr=1e-5, random_lr=1e-4, markers=True)
    model, grown = build_model(recipe, [])
    assert len(grown) == len(tokenizer) + 17
    assert model.decoder.get_input_embeddings().weight.shape[0] == len(grown)
    assert {group["lr"] for group in parameter_groups(model, recipe)} == {1e-5, 1e-4}
    fit(replace(recipe, epochs=1, source_limit=300, save_every=0), events[:4], tmp_path / "m")
    assert (tmp_path / "m/config.json").exists()


def test_bad_beginnings(tmp_path: Path, events: list[Example], one_thread: None) -> None:
    with pytest.raises(AssayError, match=r"weights for \./none not found"):
        fit(replace(RECIPE, model="./none"), events, tmp_path / "a")
    with pytest.raises(AssayError, match="no reference to learn from"):
        fit(RECIPE, [Example(id="x", source="a")], tmp_path / "a")
    with pytest.raises(AssayError, match="does not fit a text generator"):
        fit(replace(RECIPE, select="map"), events, tmp_path / "a")
    with pytest.raises(AssayError, match="training and validation examples"):
        fit(RECIPE, [], tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        fit(RECIPE, events, tmp_path / "b", stop_after=3)
    with pytest.raises(AssayError, match="another recipe or other data"):
        fit(replace(RECIPE, lr=1e-4), events, tmp_path / "b")
    with pytest.raises(AssayError, match="another recipe or other data"):  # as many items, other texts
        fit(RECIPE, [*events[:-1], events[0]], tmp_path / "b")
    (tmp_path / "b/checkpoint.safetensors").write_bytes(b"broken")
    with pytest.raises(AssayError, match="cannot be resumed"):
        fit(RECIPE, events, tmp_path / "b")


def test_a_filter_learns_which_sentences_to_keep(here: Run, tmp_path: Path, one_thread: None) -> None:
    keep, drop = "The rate rose to {} per cent .", "Lunch was served at {} o'clock ."
    examples = [
        Example(id=str(i), source="\n".join([drop.format(i), keep.format(i), drop.format(i + 1), keep.format(i + 3)]),
                references=(keep.format(i) + " " + keep.format(i + 3),))
        for i in range(12)
    ]  # fmt: skip
    pairs = sentence_pairs(examples, budget=21)
    assert pairs[0].input is not None
    assert pairs[0].input["labels"] == [0, 1, 0, 1]
    recipe = replace(RECIPE, epochs=12, select="f1", save_every=0, dropout=0.0)
    fit(recipe, pairs, tmp_path / "m", task="classifier")
    made = system(f"classifier:{tmp_path / 'm'}")
    scores = next(made.classify(pairs[:1], [[keep.format(40), drop.format(40)]]))
    assert scores[0] > scores[1]
    write_jsonl(tmp_path / "e.jsonl", examples)
    arguments = ["data", "filter", tmp_path / "e.jsonl", "--strategy", tmp_path / "m", "--budget", 16]
    call = here(*arguments, "-o", tmp_path / "f.jsonl", "--json")
    assert call.code == 0, call.err
    kept = read_examples(tmp_path / "f.jsonl").examples
    assert kept[3].source == keep.format(3) + " " + keep.format(6)


def test_one_overlong_sentence_does_not_stop_a_filter(tmp_path: Path, one_thread: None) -> None:
    keep, long = "The rate rose to {} per cent .", "Lunch " * 90 + "was served ."
    from assay.systems.neural.fine_tune import train_examples

    examples = [
        Example(id=str(i), source="\n".join([long, keep.format(i), keep.format(i + 3)]), references=(keep.format(i),))
        for i in range(4)
    ]
    pairs = sentence_pairs(examples, budget=20)
    said: list[str] = []
    recipe = replace(RECIPE, epochs=1, source_limit=40, save_every=0)
    train_examples("classifier", recipe, pairs, pairs, tmp_path / "m", say=said.append)
    assert "8 of 24 pairs are longer than source_limit=40 tokens and were cut" in "\n".join(said)
    scores = next(system(f"classifier:{tmp_path / 'm'}").classify(pairs[:1], [[long, keep.format(1)]]))
    assert len(scores) == 2


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_recipes(preset: str) -> None:
    known = kinds_of(preset)
    for kind in KINDS:
        if kind in known:
            assert read_recipe(f"{kind}:{preset}:epochs=1")[1].epochs == 1
        else:
            with pytest.raises(AssayError, match=f"{preset} is a preset of .*, not of {kind}"):
                read_recipe(f"{kind}:{preset}:epochs=1")


def test_the_papers_choices() -> None:
    eks = read_recipe("seq2seq:eks-bart")[1]
    assert (eks.epochs, eks.beams, eks.min_new, eks.max_new, eks.select) == (30, 5, 15, 256, "rouge1")
    fomc = read_recipe("seq2seq:fomc-bart")[1]
    assert (fomc.batch * fomc.accumulate, fomc.lr, fomc.embedding_lr, fomc.max_steps) == (4, 1e-5, 1e-6, 16000)
    tesa = read_recipe("seq2seq:tesa-generative")[1]
    assert (tesa.lr, tesa.epochs, tesa.label_smoothing, tesa.warmup) == (5e-6, 6, 0.1, 0.03)
    pairs = read_recipe("classifier:tesa-discriminative")[1]
    assert (
        tesa.model == pairs.model == "facebook/bart-large-cnn"
    )  # "the version pre-trained on CNN/DailyMail", section 5.3
    with pytest.raises(AssayError, match="did you mean eks-bart"):
        read_recipe("seq2seq:eksbart")
    with pytest.raises(AssayError, match="available: seq2seq, causal, classifier, filter"):
        read_recipe("parser")


def test_the_schedule_goes_up_and_down_in_a_line() -> None:
    recipe = Recipe(warmup=0.1, start=0.01, end=0.01)
    rates = [recipe.factor(step, 100) for step in range(100)]
    assert rates[0] == pytest.approx(0.01)
    assert rates[10] == pytest.approx(1.0)
    assert rates[-1] == pytest.approx(0.01)
    assert rates[:11] == sorted(rates[:11])
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_every_item_is_seen_once_an_epoch() -> None:
    lengths = [i % 7 for i in range(50)]
    first, second = (epoch_batches(lengths, 8, 1, epoch) for epoch in (0, 1))
    assert sorted(i for batch in first for i in batch) == list(range(50))
    assert first != second
    assert first == epoch_batches(lengths, 8, 1, 0)


@pytest.mark.slow
def test_train_command(run: Run, events: list[Example], tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train.jsonl", events)
    spec = "seq2seq:tiny:epochs=1:vocabulary=350:source_limit=400:select=rouge1:max_new=5:valid_items=2"
    arguments = ["system", "train", spec, "--train", tmp_path / "train.jsonl", "--valid", tmp_path / "train.jsonl"]
    call = run(*arguments, "-o", tmp_path / "m", "--json", OMP_NUM_THREADS="1")
    assert call.code == 0, call.err
    assert call.json["best_epoch"] == 1
    assert 0 <= call.json["selected"] <= 1
    again = run(*arguments, "-o", tmp_path / "m")
    assert again.code == 1
    assert "contains a finished model" in again.err
