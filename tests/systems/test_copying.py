"""Copying before the task: passages, the order of the two trainings, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records import Example
from assay.systems.neural.copying import APART, LONGEST, SHORTEST, passages
from assay.systems.neural.recipe import Recipe
from tests.support.systems_fixtures import losses

RECIPE = Recipe(copying=1, epochs=2, batch=4, vocabulary=350, source_limit=400, target_limit=60, lr=5e-3, save_every=2)


@given(st.lists(st.text(st.sampled_from("ab cd"), max_size=400), max_size=4), st.integers(0, 3))
def test_passages_are_pieces_of_different_sources(texts: list[str], seed: int) -> None:
    examples = [Example(id=str(i), source=text) for i, text in enumerate(texts)]
    made = passages(examples, seed)
    assert made == passages(examples, seed)
    assert len({one.id for one in made}) == len(made)
    sources = {one.id: (one.source or "").split() for one in examples}
    for one in made:
        name, begin = one.id.split("@")
        words = (one.source or "").split()
        assert one.references == (one.source,)
        assert 1 <= len(words) <= LONGEST
        assert words == sources[name][int(begin) : int(begin) + len(words)]
    different = list(dict.fromkeys(texts))
    expected = [max(1, -(-(len(text.split()) - SHORTEST) // APART)) for text in different if text.split()]
    assert len(made) == sum(expected)


def fit(recipe: Recipe, examples: list[Example], folder: Path, stop_after: int = 0, task: str = "seq2seq") -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from assay.systems.neural.fine_tune import train_examples

    train_examples(task, recipe, examples, examples[:2], folder, stop_after=stop_after)


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return dict(load_file(folder / "model.safetensors"))


@pytest.mark.parametrize("task", ["seq2seq", "causal"])
def test_the_task_goes_on_from_the_copying(task: str, events: list[Example], tmp_path: Path, one_thread: None) -> None:
    import torch

    still = replace(RECIPE, max_steps=1, warmup=0.9, start=1e-9)  # the one step of the task has next to no rate
    fit(still, events, tmp_path / "m", task=task)
    copied, done = weights(tmp_path / "m/copying"), weights(tmp_path / "m")
    assert copied.keys() == done.keys()
    assert all(torch.allclose(copied[name], done[name], atol=1e-6) for name in copied)
    assert len(losses(tmp_path / "m/copying")) > 1
    assert len(losses(tmp_path / "m")) == 2  # the step and its epoch
    fit(replace(still, copying=0), events, tmp_path / "chance", task=task)
    begun = weights(tmp_path / "chance")
    assert not all(torch.allclose(begun[name], done[name], atol=1e-3) for name in begun)


def test_broken_off_and_resumed_gives_the_same_losses(events: list[Example], tmp_path: Path, one_thread: None) -> None:
    fit(RECIPE, events, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        fit(RECIPE, events, tmp_path / "m", stop_after=3)
    fit(RECIPE, events, tmp_path / "m")
    assert losses(tmp_path / "m") == losses(tmp_path / "whole")
    assert losses(tmp_path / "m/copying") == losses(tmp_path / "whole/copying")


def test_copying_of_other_data_is_not_taken_over(events: list[Example], tmp_path: Path, one_thread: None) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit(RECIPE, events, tmp_path / "m", stop_after=1)
    (tmp_path / "m/checkpoint.safetensors").unlink(missing_ok=True)
    with pytest.raises(AssayError, match="copying: a model of another recipe or other data; give another folder"):
        fit(RECIPE, events[1:], tmp_path / "m")


def test_what_cannot_copy(events: list[Example], tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="set copying=0 for classifier"):
        fit(replace(RECIPE, select="f1"), events, tmp_path / "m", task="classifier")
    with pytest.raises(AssayError, match="copying=-1 must be at least 0"):
        replace(RECIPE, copying=-1)
