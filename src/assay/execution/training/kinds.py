"""Kinds of trainable models, and the selection of the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.inputs import form as make_form
from assay.inputs.schema import FOMC, schema_name, unmarked
from assay.records.documents import JSONObject
from assay.records.locks import Lock
from assay.records.types import Example
from assay.specs import build, did_you_mean, parse
from assay.systems.neural.personal_recipe import PersonalRecipe
from assay.systems.neural.presets import PRESETS, SIMILARITY
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.self_training_recipe import SelfTraining
from assay.systems.neural.simplification_recipe import SimplificationRecipe

KINDS = (
    "seq2seq",
    "causal",
    "classifier",
    "filter",
    "extractor",
    "similarity",
    "self-training",
    "insertion",
    "personal",
    "masked",
    "simplification",
)
RECIPES: dict[str, type[Recipe]] = {
    "self-training": SelfTraining,
    "personal": PersonalRecipe,
    "simplification": SimplificationRecipe,
}
"""Kinds with further options."""
REWARDED = ("seq2seq", "causal")
"""Kinds that learn from rewards of drawn texts."""
USUAL = {"similarity": SIMILARITY}
"""Default preset of each kind."""


def read_recipe(name: str) -> tuple[str, Recipe]:
    """Parse the kind of model and its recipe: `seq2seq:eks-bart:epochs=3`."""
    spec = parse(name)
    if spec.name not in KINDS:
        known = (*KINDS, "perception")  # its training, by cross-validation, has a recipe of its own
        raise AssayError(f"train: no {spec.name}{did_you_mean(spec.name, known)}; available: {', '.join(known)}")
    if spec.name == "extractor" and not spec.presets and "model" not in dict(spec.options):
        spec = spec._replace(presets=("minilm",))
    for preset in spec.presets:
        if preset in PRESETS and spec.name not in (kinds := kinds_of(preset)):
            raise AssayError(f"train: {preset} is a preset of {' and '.join(kinds)}, not of {spec.name}")
    usual = {"usual": USUAL.get(spec.name, {})}
    return spec.name, build(
        RECIPES.get(spec.name, Recipe), spec._replace(presets=("usual", *spec.presets)), {**PRESETS, **usual}
    )


def kinds_of(preset: str) -> list[str]:
    """Return the kinds of model whose recipe has every option that a preset sets."""
    return [
        kind for kind in KINDS if PRESETS[preset].keys() <= {field.name for field in fields(RECIPES.get(kind, Recipe))}
    ]


def with_schema(kind: str, recipe: Recipe, train: Sequence[Example], folder: Path, named: str = "") -> Recipe:
    """Return the recipe with the schema that its marked training examples name, unless it names one itself.

    Raises:
        AssayError: Markers are to be tokens, no schema is named, and no reference has a marker of FOMC.
    """
    if not recipe.schema and (recipe.markers or kind == "filter"):
        recipe = replace(recipe, schema=schema_name(train, named, folder))
    if recipe.markers and not recipe.schema and train:
        why = unmarked((text for one in train for text in one.references), FOMC)
        if why:
            raise AssayError(f"train {kind}: markers=true, and {why}; set schema=FILE, or leave markers out")
    return recipe


def tested(kind: str, recipe: Recipe) -> bool:
    """Return whether a model of this kind can be tested on held-out pairs."""
    return kind == "similarity" or (kind == "classifier" and recipe.labels == "entailment")


def train_model(
    kind: str, recipe: Recipe, train: list[Example], valid: list[Example], folder: Path, form: str | None,
    say: Callable[[str], None], test: list[Example] | None = None,
) -> JSONObject:  # fmt: skip
    """Train a model and describe it; models of pairs are also evaluated on `test`."""
    if test is not None and not tested(kind, recipe):
        raise AssayError(f"train {kind}: --test applies to similarity and classifier:nli only")
    if reason := missing_extra("neural"):
        raise AssayError(f"train {kind}: {reason}")
    from assay.execution.training.text_judge import text_judge
    from assay.systems.neural.fine_tune import train_examples

    reward = None
    if recipe.reward:
        if kind not in REWARDED:
            raise AssayError(f"train {kind}: reward applies to {' and '.join(REWARDED)} only; leave it out")
        from assay.execution.training.text_reward import mean_reward, text_reward

        reward = text_reward(recipe)
    if kind != "self-training":
        train = recipe.drawn(train)
    if kind == "filter":
        from assay.inputs.filters import sentence_pairs

        train, valid = (sentence_pairs(some, schema=recipe.schema) for some in (train, valid))
    elif kind == "classifier" and recipe.damaged:
        train, valid = (_acceptable(some, recipe, say) for some in (train, valid))
    with Lock.of_folder(folder):
        if isinstance(recipe, SelfTraining):
            from assay.execution.training.self_training import described as rounds_of
            from assay.execution.training.self_training_models import train_self

            made, rounds = train_self(recipe, train, valid, folder, make_form(form) if form else None, say)
            return {**made._asdict(), "folder": str(folder), "kind": kind, "recipe": recipe.to_dict(),
                    **rounds_of(rounds)}  # fmt: skip
        if isinstance(recipe, SimplificationRecipe):
            from assay.execution.training.simplification import train_simplification

            if form:
                raise AssayError("train simplification: no form applies; leave out --as")
            done = train_simplification(recipe, train, valid, folder, say)
            return {**done._asdict(), "folder": str(folder), "kind": kind, "recipe": recipe.to_dict()}
        kind_found = train_examples(
            "classifier" if kind == "filter" else kind, recipe, train, valid, folder,
            form=make_form(form) if form else None, say=say, reward=reward,
            judge=mean_reward(reward) if reward and recipe.select == "reward" else text_judge(recipe.select),
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
