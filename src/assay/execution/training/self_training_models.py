"""`assay system train self-training`: the loop with two sequence-to-sequence models per round, resumable.

DIR/round-N/generator, DIR/round-N/reconstructor   the models of a round
DIR/rounds.json                                    pool size, acceptance and match of every round, and the best one
DIR/...                                            after training: the generator of the best round, for `hf:DIR`
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.execution.training.self_training import Read, SelfTrained, Write, described, self_train
from assay.execution.training.text_judge import text_judge
from assay.inputs import Form
from assay.inputs.deletion import input_key, unpaired
from assay.models.checkpoints import has_finished
from assay.records.documents import read_json
from assay.records.files import digest_of, to_json, write_text
from assay.records.types import Example
from assay.seeds import rng_for
from assay.systems.neural.encode import form_of
from assay.systems.neural.fine_tune import train_examples
from assay.systems.neural.hugging_face import Model
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.self_training_recipe import SelfTraining
from assay.systems.neural.train import Trained

ROUNDS = "rounds.json"
STAMP = "data.json"
"""Digest of the recipe and the data that the rounds of a folder belong to."""
BATCH = 32


class Material(NamedTuple):
    labelled: list[Example]
    unpaired: list[Example]


def material(recipe: SelfTraining, train: Sequence[Example]) -> Material:
    """Return the labelled pairs of the regime and the unpaired inputs."""
    labelled = recipe.drawn(train)
    known = {input_key(example) for example in labelled}
    others = {input_key(one): msgspec.structs.replace(one, references=(), source=None) for one in train}
    inputs = [one for key, one in others.items() if key not in known] if recipe.unpaired != "deletions" else []
    if recipe.unpaired != "inputs":
        inputs += unpaired(train, [*labelled, *inputs], recipe.deletions, recipe.seed)
    if recipe.pool and len(inputs) > recipe.pool:
        inputs = [inputs[i] for i in sorted(rng_for(recipe.seed, "pool").sample(range(len(inputs)), recipe.pool))]
    return Material(labelled, inputs)


def train_self(
    recipe: SelfTraining, train: Sequence[Example], valid: Sequence[Example], folder: Path, form: Form | None,
    say: Callable[[str], None],
) -> tuple[Trained, SelfTrained]:  # fmt: skip
    """Run self-training into a folder; finished models of an interrupted run are used again."""
    if has_finished(folder):
        raise AssayError(f"{folder}: contains a finished model; give another folder")
    _check_stamp(folder, digest_of(recipe.to_dict(), list(train), list(valid), repr(form)))
    labelled, inputs = material(recipe, train)
    say(f"labelled {len(labelled):,} of {len(train):,} pairs, unpaired inputs {len(inputs):,}")
    # validation loss is the same number of texts in all rounds; match is computed on as many as are decoded
    compared = list(valid)[: recipe.valid_items or None]
    results: dict[int, Trained | None] = {}

    def line(example: Example) -> str:
        return " ".join(form_of(example, form).render(example).split())

    def backwards(examples: Sequence[Example]) -> list[Example]:
        return [
            Example(id=f"{one.id} {number}", source=text, references=(line(one),))
            for one in examples
            for number, text in enumerate(one.references)
        ]

    def teach(number: int, pairs: Sequence[Example]) -> tuple[Write, Read]:
        place = folder / f"round-{number}"
        models = recipe.models()
        results[number] = _trained(models, pairs, valid, place / "generator", form, say)
        backward = replace(models, select="loss")
        _trained(backward, backwards(pairs), backwards(valid), place / "reconstructor", None, say)
        return partial(_texts, place / "generator", recipe, form), partial(_read, place / "reconstructor", recipe)

    done = self_train(
        labelled, inputs, compared, teach, line, rounds=recipe.rounds, match=recipe.match, say=say
    )  # fmt: skip
    say(f"best round {done.best} ({done.stopped})")
    write_text(folder / ROUNDS, to_json(described(done)) + "\n")
    for file in sorted(
        (folder / f"round-{done.best}" / "generator").iterdir(), key=lambda one: one.name == "config.json"
    ):
        if file.is_file():  # config.json last: its presence marks a finished model
            shutil.copy2(file, folder / file.name)
    made = results[done.best] or Trained(folder, 0, 0, 0, 0.0, 0, 0.0)
    return made._replace(folder=folder), done


def _check_stamp(folder: Path, digest: str) -> None:
    file = folder / STAMP
    if file.exists() and read_json(file) != digest:
        raise AssayError(f"{folder}: an unfinished run with another recipe or other data; give another folder")
    write_text(file, to_json(digest) + "\n")


def _trained(
    recipe: Recipe, train: Sequence[Example], valid: Sequence[Example], folder: Path, form: Form | None,
    say: Callable[[str], None],
) -> Trained | None:  # fmt: skip
    """Train a model unless it is there; of the epochs, only the last line is shown."""
    if has_finished(folder):
        return None
    made = train_examples("seq2seq", recipe, train, valid, folder, form=form, judge=text_judge(recipe.select))
    say(f"  {folder.parent.name} {folder.name:<14} {len(train):,} pairs   loss {made.selected:.3f}")
    return made


def _texts(folder: Path, recipe: Recipe, form: Form | None, examples: Sequence[Example]) -> list[str]:
    model = Model(path=str(folder), beams=recipe.beams, max_new=recipe.max_new, limit=recipe.source_limit)
    model.form = form
    # texts of similar length together: a batch takes as many steps as its longest
    order = sorted(range(len(examples)), key=lambda i: len(str(examples[i].input or examples[i].source)))
    texts = [""] * len(examples)
    for start in range(0, len(order), BATCH):
        some = order[start : start + BATCH]
        for i, answer in zip(some, model.generate([examples[i] for i in some]), strict=True):
            texts[i] = answer.text
    return texts


def _read(folder: Path, recipe: Recipe, texts: Sequence[str]) -> list[str]:
    plain = replace(recipe, beams=1)
    return _texts(folder, plain, None, [Example(id=str(i), source=text) for i, text in enumerate(texts)])
