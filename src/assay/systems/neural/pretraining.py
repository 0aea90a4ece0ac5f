"""Stages before the training on pairs: copying passages of the sources, and filling masked texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.inputs import Form
from assay.inputs.masks import pretraining
from assay.records import read_examples
from assay.records.types import Example
from assay.systems.neural.copying import copying, passages
from assay.systems.neural.recipe import Recipe


class Stage(NamedTuple):
    """One stage, with its own examples; `name` is the option with its epochs, and its folder."""

    name: str
    recipe: Recipe
    train: list[Example]
    valid: list[Example]
    texts: list[str]
    """Further texts that the tokenizer has to know."""


def stages(
    recipe: Recipe, train: Sequence[Example], valid: Sequence[Example], form: Form | None, say: Callable[[str], None]
) -> Iterator[Stage]:
    """Yield the stages of a recipe in their order."""
    if recipe.copying:
        own = copying(recipe)
        yield Stage("copying", own, passages(train, own.seed), passages(valid, own.seed), [])
    if recipe.masked:
        own = replace(
            recipe, epochs=recipe.masked, masked=0, copying=0, corpus="", max_steps=0, patience=0, select="loss"
        )
        others = read_examples(Path(recipe.corpus)).examples if recipe.corpus else train
        made = masked(others, recipe, say)
        texts = [text for example in others for text in (*example.references, example.source or "")]
        yield Stage("masked", own, made, masked(valid, recipe, lambda line: None), texts if recipe.corpus else [])


def masked(examples: Sequence[Example], recipe: Recipe, say: Callable[[str], None]) -> list[Example]:
    """Return the masked texts of examples with their spans as targets; say how many texts have nothing to mask."""
    made = pretraining(examples, recipe.masking, recipe.mask_rate, recipe.seed, recipe.draws)
    if not made.examples:
        raise AssayError(
            f"masking={recipe.masking}: nothing to mask in {made.sentences} texts; use masking=random, or a higher "
            "mask_rate if texts have few words"
        )
    if made.without:
        say(f"! {made.without} of {made.sentences} texts have nothing to mask (masking={recipe.masking}): left out")
    return made.examples
