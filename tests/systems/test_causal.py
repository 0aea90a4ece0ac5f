"""Causal models are trained on the target alone, and what is trained is what is scored."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.neural.recipe import Recipe
from tests.conftest import Call
from tests.support.systems_fixtures import losses

pytest.importorskip("torch")
pytest.importorskip("transformers")

Run = Callable[..., Call]
RECIPE = Recipe(epochs=2, batch=4, vocabulary=350, source_limit=400, target_limit=80, lr=5e-3, save_every=2)


def fit(recipe: Recipe, examples: list[Example], folder: Path, stop_after: int = 0) -> None:
    from assay.systems.neural.fine_tune import train_examples

    train_examples("causal", recipe, examples, examples[:2], folder, stop_after=stop_after)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, events: list[Example], one_thread: None) -> Path:
    folder = tmp_path_factory.mktemp("causal") / "whole"
    fit(RECIPE, events, folder)
    return folder


def test_broken_off_and_resumed_gives_the_same_losses(trained: Path, events: list[Example], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit(RECIPE, events, tmp_path / "m", stop_after=3)
    fit(RECIPE, events, tmp_path / "m")
    assert losses(tmp_path / "m") == losses(trained)
    weights = (tmp_path / "m/model.safetensors").read_bytes()
    assert weights == (trained / "model.safetensors").read_bytes()


def test_losses_fall(trained: Path) -> None:
    epochs = [row["loss"] for row in losses(trained) if "epoch" in row]
    assert epochs[-1] < epochs[0]
    assert (trained / "losses.svg").exists()


def test_the_loss_is_the_likelihood_of_the_target_alone(trained: Path, events: list[Example]) -> None:
    """The summed loss of an item is minus the log-probability that `assay system choose` would give its reference."""
    import torch

    from assay.systems.neural.generation_objective import IGNORED, Causal

    made: Any = system(f"hf:{trained}")
    net, tokenizer, kind = made.loaded
    assert kind == "causal"
    task = Causal(net, tokenizer, RECIPE, events[:3], events[:1], None, None)
    for i, example in enumerate(events[:3]):
        batch = task.batch([i])
        with torch.no_grad():
            loss, count = task.loss(net, batch, 0.0)
        ((scored,),) = made.logprob([example], [[example.references[0]]], [""])
        assert count == len(scored.tokens) + 1
        assert float(loss) == pytest.approx(-scored.sum(end=True), rel=1e-4)
        labels = batch["labels"][0].tolist()
        asked = made._causal_ids(made.context(example))
        assert labels[: len(asked)] == [IGNORED] * len(asked)
        assert batch["input_ids"][0].tolist()[: len(asked)] == asked  # generation begins where training did
        said = tokenizer.decode([token for token in labels if token != IGNORED][:-1])
        assert " ".join(said.split()) == example.references[0]


def test_padding_changes_no_loss(trained: Path, events: list[Example]) -> None:
    import torch

    from assay.systems.neural.generation_objective import Causal

    net, tokenizer, _ = system(f"hf:{trained}").loaded  # type: ignore[attr-defined]
    task = Causal(net, tokenizer, RECIPE, events[:4], events[:1], None, None)
    with torch.no_grad():
        together, count = task.loss(net, task.batch(range(4)), 0.0)
        alone = [task.loss(net, task.batch([i]), 0.0) for i in range(4)]
    assert count == sum(n for _, n in alone)
    assert float(together) == pytest.approx(sum(float(loss) for loss, _ in alone), rel=1e-4)


def test_only_the_document_is_cut_and_targets_keep_their_end(events: list[Example], one_thread: None) -> None:
    from assay.systems.neural.build_model import build_model
    from assay.systems.neural.generation_objective import Causal

    recipe = replace(RECIPE, source_limit=260, target_limit=8)
    net, tokenizer = build_model(recipe, [example.source or "" for example in events], kind="causal")
    task = Causal(net, tokenizer, recipe, events, events[:1], None, None)
    for item in task.items:
        assert len(item.source) <= 260
        assert len(item.target) == 8
        assert item.target[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(item.source).endswith("Output:")


def test_it_learns_what_a_count_cannot(tmp_path: Path, one_thread: None) -> None:
    """Copying a word of the input needs the input: the model must answer items it has not seen together."""
    words = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"]
    pairs = [Example(id=f"{a}-{b}", source=f"{a} then {b}", references=(b,)) for a in words for b in words if a != b]
    held, seen = pairs[::7], [pair for i, pair in enumerate(pairs) if i % 7]
    recipe = Recipe(epochs=16, batch=8, vocabulary=320, source_limit=32, target_limit=8, lr=3e-3, dropout=0.0)
    from assay.systems.neural.fine_tune import train_examples

    train_examples("causal", recipe, seen, held, tmp_path / "m")
    answers = system(f"hf:{tmp_path / 'm'}:max_new=4").generate(held)
    right = sum(answer.text == answer.id.split("-")[1] for answer in answers)
    assert right > len(held) / 2  # by chance it would be a tenth


def test_the_prompt_travels_with_the_model(trained: Path, events: list[Example], tmp_path: Path) -> None:
    made: Any = system(f"hf:{trained}")
    assert made.asking.name == "output"
    assert made.context(events[0]).endswith("\n\nOutput:")
    assert system(f"hf:{trained}:prompt=plain").asking.name == "plain"  # type: ignore[attr-defined]
    own = tmp_path / "mine.toml"
    own.write_text('name = "mine"\nversion = 3\nuser = "{text} \\"so\\" [ANSWER]"\ntokens = ["[ANSWER]"]\n')
    fit(replace(RECIPE, epochs=1, prompt=str(own)), events[:4], tmp_path / "m")
    own.unlink()
    kept: Any = system(f"hf:{tmp_path / 'm'}")
    assert kept.asking.version == "3"
    assert kept.context(events[0]).endswith('"so" [ANSWER]')
    ids = kept._causal_ids(kept.context(events[0]))
    assert ids[-1] == kept.loaded.tokenizer.convert_tokens_to_ids("[ANSWER]")


def test_a_pretrained_causal_model_is_tuned(causal: Path, events: list[Example], tmp_path: Path) -> None:
    before = system(f"hf:{causal}:prompt=output:limit=300")
    recipe = replace(RECIPE, model=str(causal), source_limit=300, target_limit=80, save_every=0)
    fit(recipe, events[:6], tmp_path / "m")
    after = system(f"hf:{tmp_path / 'm'}:limit=300")
    asked = ([events[0]], [[events[0].references[0]]], [""])
    ((old,),), ((new,),) = before.logprob(*asked), after.logprob(*asked)
    assert new.sum() > old.sum()
    assert not math.isinf(old.sum())
    with pytest.raises(AssayError, match="do not fit into the model's 512 tokens"):
        fit(replace(recipe, source_limit=500), events[:2], tmp_path / "n")
