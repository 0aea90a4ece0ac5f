"""Copy pretraining: passages of the sources, each with itself as target.

A small randomly initialised model learns to copy from the source only after more steps than most corpora provide, and
otherwise writes frequent words. A few epochs on passages teach it to copy, names above all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError
from assay.models.checkpoints import RECIPE, has_finished
from assay.records.types import Example
from assay.seeds import rng_for
from assay.systems.baselines import text_of
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.train import Objective, learned_from

SHORTEST, LONGEST = 10, 30
"""Length range of a passage in words."""
APART = 12
"""Words between the starts of two passages; they overlap, so that no position is always an edge."""


def passages(examples: Sequence[Example], seed: int) -> list[Example]:
    """Return passages of every distinct source, in the order of the examples."""
    texts: dict[str, str] = {}
    for example in examples:
        texts.setdefault(text_of(example), example.id)
    return [passage for text, name in texts.items() for passage in _passages(text, name, seed)]


def _passages(text: str, name: str, seed: int) -> Iterator[Example]:
    words = text.split()
    draw = rng_for(seed, "passages", name)
    for begin in range(0, max(1, len(words) - SHORTEST), APART):
        some = " ".join(words[begin : begin + draw.randint(SHORTEST, LONGEST)])
        if some:
            yield Example(id=f"{name}@{begin}", source=some, references=(some,))


def copying(recipe: Recipe) -> Recipe:
    """Return the recipe of copy pretraining: its own number of epochs, selected by loss."""
    return replace(recipe, epochs=recipe.copying, copying=0, max_steps=0, patience=0, select="loss")


def finished(folder: Path, recipe: Recipe, objective: Objective) -> bool:
    """Return whether a folder holds the finished model of this training; another model raises an error."""
    if not has_finished(folder):
        return False
    if json.loads((folder / RECIPE).read_text("utf-8")).get("learned_from") != learned_from(recipe, objective):
        raise AssayError(f"{folder}: a model of another recipe or other data; give another folder")
    return True
