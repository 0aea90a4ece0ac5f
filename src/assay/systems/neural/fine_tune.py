"""Fine-tuning of models, from examples to a model folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.inputs import Form
from assay.inputs.labelled import labelled
from assay.inputs.masks import SENTINELS
from assay.records.inputs import texts_of
from assay.records.types import Example
from assay.systems.neural.build_model import PAIRED, build_model
from assay.systems.neural.copying import finished
from assay.systems.neural.encode import form_of
from assay.systems.neural.entailment_objective import Entailment
from assay.systems.neural.generation_objective import Causal, Judge, Seq2Seq
from assay.systems.neural.insertion_objective import Insertion, insertion_model
from assay.systems.neural.pair_objective import Classifier
from assay.systems.neural.personal_objective import Personal, personal_model
from assay.systems.neural.personal_recipe import PersonalRecipe
from assay.systems.neural.pretraining import Stage, masked, stages
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.rewarded import Reward, Rewarded
from assay.systems.neural.similarity_objective import Similarity
from assay.systems.neural.span_objective import Extractor, labels_of
from assay.systems.neural.train import Trained, train
from assay.systems.neural.units import split_units, unit_tokens

Kind = (
    type[Seq2Seq] | type[Causal] | type[Classifier] | type[Entailment] | type[Extractor] | type[Similarity]
    | type[Insertion] | type[Personal]
)  # fmt: skip
OBJECTIVES: dict[str, Kind] = {
    "seq2seq": Seq2Seq,
    "causal": Causal,
    "classifier": Classifier,
    "extractor": Extractor,
    "similarity": Similarity,
    "insertion": Insertion,
    "personal": Personal,
}


def objective(kind: str, recipe: Recipe) -> Kind:
    """Return the training objective of a kind of model."""
    return Entailment if kind == "classifier" and recipe.labels == "entailment" else OBJECTIVES[kind]


def train_examples(
    kind: str, recipe: Recipe, train_on: Sequence[Example], valid_on: Sequence[Example], folder: Path, *,
    form: Form | None = None, judge: Judge | None = None, say: Callable[[str], None] = lambda line: None,
    stop_after: int = 0, marks: Sequence[str] = (), reward: Reward | None = None,
) -> Trained:  # fmt: skip
    """Train a model of a kind (one of OBJECTIVES) on examples and save it in the folder; `marks` are tokens that are
    not split, `reward` adds a policy gradient."""
    if not train_on or not valid_on:
        raise AssayError(f"train {kind}: needs training and validation examples; one of the files is empty")
    _check_stages(kind, recipe)
    labels = labels_of(train_on) if kind == "extractor" else ()
    texts = [text for example in train_on for text in _texts_of(example, form, kind)]
    marks = [*marks, *_marks(kind, recipe, [*train_on, *valid_on], form)]
    if kind == "masked":
        train_on, valid_on, form = masked(train_on, recipe, say), masked(valid_on, recipe, say), None
        kind = "seq2seq"
    initial = recipe
    for stage in stages(recipe, train_on, valid_on, form, say):
        initial = _stage(kind, stage, initial, texts + stage.texts, marks, folder / stage.name, say)
    if kind == "insertion":
        model, tokenizer = insertion_model(initial, texts)
    elif isinstance(initial, PersonalRecipe):
        model, tokenizer = personal_model(initial, train_on, texts)
    else:
        units = unit_tokens(train_on, form) if kind in ("seq2seq", "causal") else ()
        model, tokenizer = build_model(initial, texts, kind=kind, labels=labels, units=units, marks=marks)
        if units:
            broken, number = split_units(tokenizer, [*train_on, *valid_on], form)
            say(f"{broken} of {number} concepts, roles and variables are split into several tokens")
    made: Any = objective(kind, recipe)(model, tokenizer, recipe, train_on, valid_on, form, judge)
    for note in made.notes():
        say(f"! {note}")
    if reward:
        made = Rewarded(made, train_on, reward, recipe.reward_weight)
    return train(model, tokenizer, made, recipe, folder, say=say, stop_after=stop_after)


def _check_stages(kind: str, recipe: Recipe) -> None:
    """Raise an error if a stage of pretraining is set for a model that writes no texts."""
    for stage in ("copying", "masked"):
        if kind in (*PAIRED, "extractor", "insertion", "personal") and getattr(recipe, stage):
            raise AssayError(f"recipe: {stage} requires a text generator; set {stage}=0 for {kind}")


def _stage(
    kind: str, stage: Stage, initial: Recipe, texts: Sequence[str], marks: Sequence[str], folder: Path,
    say: Callable[[str], None],
) -> Recipe:  # fmt: skip
    """Return the recipe that starts from a stage of pretraining; train its model if missing."""
    recipe = replace(stage.recipe, model=initial.model, architecture=initial.architecture)
    model, tokenizer = build_model(recipe, texts, kind=kind, marks=marks)
    made = OBJECTIVES[kind](model, tokenizer, recipe, stage.train, stage.valid, None, None)
    if not finished(folder, recipe, made):
        train(model, tokenizer, made, recipe, folder, say=lambda line: say(f"{stage.name} {line}"))
    return replace(initial, model=str(folder), architecture="auto")


def _marks(kind: str, recipe: Recipe, examples: Sequence[Example], form: Form | None) -> list[str]:
    """Return the marks in the inputs that are one token each, and the sentinels of masked pre-training."""
    if kind not in ("seq2seq", "masked"):
        return []
    written = (mark for one in examples for mark in form_of(one, form).tokens(one) if one.input or form)
    return sorted(dict.fromkeys(written)) + (list(SENTINELS) if recipe.masked or kind == "masked" else [])


def _texts_of(example: Example, form: Form | None, kind: str) -> list[str]:
    """Return the texts of an example for training the tokenizer."""
    if kind == "extractor":
        return [one.text for one in labelled(example)]
    if kind == "insertion":
        return list(example.references)
    candidates = texts_of(example, "candidates")
    return [form_of(example, form).render(example), *example.references, *(candidates or ())]
