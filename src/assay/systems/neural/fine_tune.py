"""Fine-tuning of models, from examples to a model folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError
from assay.inputs import Form
from assay.inputs.labelled import labelled
from assay.records.inputs import texts_of
from assay.records.types import Example
from assay.systems.neural.build_model import PAIRED, build_model
from assay.systems.neural.copying import copying, finished, passages
from assay.systems.neural.encode import form_of
from assay.systems.neural.entailment_objective import Entailment
from assay.systems.neural.generation_objective import Causal, Judge, Seq2Seq
from assay.systems.neural.pair_objective import Classifier
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.similarity_objective import Similarity
from assay.systems.neural.span_objective import Extractor, labels_of
from assay.systems.neural.train import Trained, train

Kind = type[Seq2Seq] | type[Causal] | type[Classifier] | type[Entailment] | type[Extractor] | type[Similarity]
OBJECTIVES: dict[str, Kind] = {
    "seq2seq": Seq2Seq,
    "causal": Causal,
    "classifier": Classifier,
    "extractor": Extractor,
    "similarity": Similarity,
}


def objective(kind: str, recipe: Recipe) -> Kind:
    """Return the training objective of a kind of model."""
    return Entailment if kind == "classifier" and recipe.labels == "entailment" else OBJECTIVES[kind]


def train_examples(
    kind: str, recipe: Recipe, train_on: Sequence[Example], valid_on: Sequence[Example], folder: Path, *,
    form: Form | None = None, judge: Judge | None = None, say: Callable[[str], None] = lambda line: None,
    stop_after: int = 0,
) -> Trained:  # fmt: skip
    """Train a model of a kind (one of OBJECTIVES) on examples and save it in the folder."""
    if not train_on or not valid_on:
        raise AssayError(f"train {kind}: needs training and validation examples; one of the files is empty")
    labels = labels_of(train_on) if kind == "extractor" else ()
    texts = [text for example in train_on for text in _texts_of(example, form, kind)]
    initial = recipe
    if recipe.copying:
        copied = _copied(kind, copying(recipe), texts, train_on, valid_on, folder / "copying", say)
        initial = replace(recipe, model=str(copied), architecture="auto")
    model, tokenizer = build_model(initial, texts, kind=kind, labels=labels)
    made = objective(kind, recipe)(model, tokenizer, recipe, train_on, valid_on, form, judge)
    for note in made.notes():
        say(f"! {note}")
    return train(model, tokenizer, made, recipe, folder, say=say, stop_after=stop_after)


def _copied(
    kind: str, recipe: Recipe, texts: Sequence[str], train_on: Sequence[Example], valid_on: Sequence[Example],
    folder: Path, say: Callable[[str], None],
) -> Path:  # fmt: skip
    """Return the folder of a model with copy pretraining; train it if missing."""
    if kind in (*PAIRED, "extractor"):
        raise AssayError(f"recipe: copying requires a text generator; set copying=0 for {kind}")
    model, tokenizer = build_model(recipe, texts, kind=kind)
    made = OBJECTIVES[kind](
        model, tokenizer, recipe, passages(train_on, recipe.seed), passages(valid_on, recipe.seed), None, None
    )
    if not finished(folder, recipe, made):
        train(model, tokenizer, made, recipe, folder, say=lambda line: say(f"copying {line}"))
    return folder


def _texts_of(example: Example, form: Form | None, kind: str) -> list[str]:
    """Return the texts of an example for training the tokenizer."""
    if kind == "extractor":
        return [one.text for one in labelled(example)]
    candidates = texts_of(example, "candidates")
    return [form_of(example, form).render(example), *example.references, *(candidates or ())]
