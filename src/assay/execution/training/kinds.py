"""Kinds of trainable models, and the selection of the best epoch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.inputs import form as make_form
from assay.records.locks import Lock
from assay.records.types import Example
from assay.specs import build, did_you_mean, parse
from assay.systems.neural.recipe import PRESETS, SIMILARITY, Recipe

KINDS = ("seq2seq", "causal", "classifier", "filter", "extractor", "similarity")
USUAL = {"similarity": SIMILARITY}
"""Default preset of each kind."""


def read_recipe(name: str) -> tuple[str, Recipe]:
    """Parse the kind of model and its recipe: `seq2seq:eks-bart:epochs=3`."""
    spec = parse(name)
    if spec.name not in KINDS:
        raise AssayError(f"train: no {spec.name}{did_you_mean(spec.name, KINDS)}; available: {', '.join(KINDS)}")
    if spec.name == "extractor" and not spec.presets and "model" not in dict(spec.options):
        spec = spec._replace(presets=("minilm",))
    usual = {"usual": USUAL.get(spec.name, {})}
    return spec.name, build(Recipe, spec._replace(presets=("usual", *spec.presets)), {**PRESETS, **usual})


def tested(kind: str, recipe: Recipe) -> bool:
    """Return whether a model of this kind can be tested on held-out pairs."""
    return kind == "similarity" or (kind == "classifier" and recipe.labels == "entailment")


def train_model(
    kind: str, recipe: Recipe, train: list[Example], valid: list[Example], folder: Path, form: str | None,
    say: Callable[[str], None], test: list[Example] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train a model and describe it; models of pairs are also evaluated on `test`."""
    if test is not None and not tested(kind, recipe):
        raise AssayError(f"train {kind}: --test applies to similarity and classifier:nli only")
    if reason := missing_extra("neural"):
        raise AssayError(f"train {kind}: {reason}")
    from assay.systems.neural.fine_tune import train_examples

    if kind == "filter":
        from assay.inputs.filters import sentence_pairs

        train, valid = sentence_pairs(train), sentence_pairs(valid)
    elif kind == "classifier" and recipe.damaged:
        train, valid = (_acceptable(some, recipe, say) for some in (train, valid))
    with Lock.of_folder(folder):
        kind_found = train_examples(
            "classifier" if kind == "filter" else kind, recipe, train, valid, folder,
            form=make_form(form) if form else None, judge=rouge_judge(recipe.select), say=say,
        )  # fmt: skip
    described = {**kind_found._asdict(), "folder": str(folder), "kind": kind, "recipe": recipe.to_dict()}
    if recipe.damaged:
        from assay.execution.training.acceptability_card import acceptability_report, write_card

        rows = acceptability_report(folder, valid)
        write_card(folder, train, valid, rows)
        return described | {"test": rows}
    if test is None:
        return described
    from assay.execution.training.pair_report import report

    return described | {"test": report(kind, recipe, folder, train, test)}


def _acceptable(examples: list[Example], recipe: Recipe, say: Callable[[str], None]) -> list[Example]:
    """Return sentences and damaged copies of them."""
    if not recipe.filler:
        from assay.challenges.damage import acceptability_pairs

        return acceptability_pairs(examples, recipe.damaged, recipe.seed)
    from assay.execution.training.mask_filling import filled_pairs
    from assay.models.context import Context

    made = filled_pairs(examples, recipe.filler, recipe.entailed, recipe.damaged, recipe.seed, Context())
    say(f"filled copies: {made.acceptable} acceptable, {made.unacceptable} not, {made.dropped} undecided and excluded")
    return made.examples


def rouge_judge(name: str) -> Callable[[list[str], list[Example]], float]:
    """Return a function that scores texts by ROUGE with stemming."""

    def judge(outputs: list[str], examples: list[Example]) -> float:
        from assay.execution.request import ScoreRequest
        from assay.execution.scoring import score_outputs

        rows = [{"id": example.id, "output": text} for example, text in zip(examples, outputs, strict=True)]
        scored = score_outputs(rows, ScoreRequest(metrics=f"{name}:stemmer=true", examples=examples))
        return float(scored.result.scores[name].value or 0.0)

    return judge
