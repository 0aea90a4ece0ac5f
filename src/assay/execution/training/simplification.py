"""`assay system train simplification`: pairs with control tokens and placeholders, and a choice by restored texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.execution.training.text_judge import text_judge
from assay.inputs.placeholders import restore
from assay.inputs.simplification import (
    OFF,
    ORACLE,
    Pairs,
    Preparation,
    Prepared,
    frequency_ranks,
    inference_items,
    training_pairs,
)
from assay.inputs.taggers import tagger
from assay.records.files import read_text
from assay.records.types import Example
from assay.systems.neural.fine_tune import train_examples
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.simplification_recipe import SimplificationRecipe, write_chain
from assay.systems.neural.train import Trained


def train_simplification(
    recipe: SimplificationRecipe, train: Sequence[Example], valid: Sequence[Example], folder: Path,
    say: Callable[[str], None],
) -> Trained:  # fmt: skip
    """Train on the control values of every reference, and choose the epoch by validation texts that are restored."""
    tag = tagger(recipe.entities) if recipe.entities else None
    ranks = _ranks(recipe, train)
    kept = {name: ORACLE for name, value in recipe.requested().items() if value != OFF}
    learned = Preparation(kept, recipe.lower, recipe.step, ranks)
    requested = kept if recipe.validation == ORACLE else {name: recipe.requested()[name] for name in kept}
    pairs = training_pairs(train, learned, tag, recipe.clean)
    if not pairs.prepared:
        raise AssayError("train simplification: no pair is left after cleaning; set clean=false")
    _report(pairs, say)
    items = inference_items(valid, Preparation(requested, recipe.lower, recipe.step, ranks), tag)
    folder.mkdir(parents=True, exist_ok=True)
    write_chain(folder, recipe, learned)
    return train_examples(
        "seq2seq", recipe, [one.example for one in pairs.prepared], [one.example for one in items], folder,
        judge=_restored_judge(recipe.select, items, valid), say=say, marks=marks_of([*pairs.prepared, *items]),
    )  # fmt: skip


def marks_of(prepared: Sequence[Prepared]) -> list[str]:
    """Return the control tokens and placeholders, which are one token each."""
    controls = (word for one in prepared for word in (one.example.source or "").split()[: len(one.controls)])
    return sorted({*controls, *(name for one in prepared for name in one.placed.table)})


def _ranks(recipe: SimplificationRecipe, train: Sequence[Example]) -> dict[str, int]:
    if recipe.wordrank == OFF:
        return {}
    if recipe.ranks == "train":
        return frequency_ranks(text for one in train for text in (one.source or "", *one.references))
    words = (line.split(" ", 1)[0] for line in read_text(Path(recipe.ranks)).splitlines())
    return {word: rank for rank, word in reversed(list(enumerate(words)))}


def _report(pairs: Pairs, say: Callable[[str], None]) -> None:
    dropped = ", ".join(f"{count:,} {why}" for why, count in pairs.dropped.most_common())
    entities = sum(len(one.placed.table) for one in pairs.prepared)
    placed = f", {entities:,} entities as placeholders" if entities else ""
    say(f"{len(pairs.prepared):,} pairs{placed}; dropped {dropped or 'none'}")


def _restored_judge(select: str, items: Sequence[Prepared], valid: Sequence[Example]) -> Judge | None:
    """Return a judge that restores the entities of an output and scores it against the original item."""
    judge = text_judge(select)
    if judge is None:
        return None
    originals = {example.id: example for example in valid}
    tables = {one.example.id: one.placed.table for one in items}
    plain = judge.score

    def score(outputs: list[str], examples: list[Example]) -> float:
        texts = [restore(text, tables[one.id]).text for text, one in zip(outputs, examples, strict=True)]
        return plain(texts, [originals[one.id] for one in examples])

    return Judge(score, judge.lower)
