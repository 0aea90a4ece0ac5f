"""Training sentences for an acceptability classifier by mask filling: gaps are made, a model fills them, and
entailment in both directions with BLEU labels the result."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from assay.challenges.damage import QUESTION, SHORTEST, sentences_of
from assay.errors import AssayError
from assay.metrics.lexical.bleu import Bleu
from assay.models.context import Context
from assay.models.mask_filling import GAP, Filler, Words
from assay.models.nli import load_nli
from assay.records.items import Items
from assay.records.kinds import Sentences
from assay.records.types import Example
from assay.seeds import rng_for

MASKS = (3, 7)
"""Minimum and maximum number of gaps per sentence."""
REPLACED = 0.5 / (0.5 + 0.3)
"""Share of gaps that replace a word; the others are between two words."""
CLOSE, FAR = 90.0, 50.0
"""BLEU above which a paraphrase is acceptable, and below which an error is too obvious."""
FILLED = "filled masks"


class Made(NamedTuple):
    """Result of mask filling."""

    examples: list[Example]
    acceptable: int
    unacceptable: int
    dropped: int


def gaps(sentence: str, draw: Random) -> Words:
    """Return the sentence with three to seven gaps that leave half of its words."""
    words: Words = list(sentence.split())
    count = min(draw.randint(*MASKS), len(words) // 2)
    for _ in range(count):
        if draw.random() < REPLACED:
            words[draw.choice([i for i, word in enumerate(words) if word is not GAP])] = GAP
        else:
            words.insert(draw.randrange(len(words) + 1), GAP)
    return words


def labels(seeds: Sequence[str], filled: Sequence[str], entailment: str, context: Context) -> list[int | None]:
    """Return 1 if both entail each other and BLEU is above .9, 0 if they do not and it is from .5 to .9; None
    otherwise."""
    follows = load_nli(entailment).equivalent(list(zip(seeds, filled, strict=True)), context)
    examples = tuple(Example(id=str(i), references=(seed,)) for i, seed in enumerate(seeds))
    bleu = Bleu()
    scores = bleu.per_example(bleu.compute(Items(tuple(filled), examples), context))["bleu"]
    return [label_of(entailed, float(score)) for entailed, score in zip(follows, np.asarray(scores), strict=True)]


def label_of(entailed: bool, bleu: float) -> int | None:
    if entailed:
        return 1 if bleu > CLOSE else None
    return 0 if FAR <= bleu <= CLOSE else None


def filled_pairs(
    examples: Sequence[Example], filler: str, entailment: str, copies: int, seed: int, context: Context
) -> Made:
    """Return each sentence of the references, labelled acceptable, with its labelled copies; sentences without an
    unacceptable copy are excluded."""
    model = Filler(filler)
    if reason := model.why_not():
        raise AssayError(f"filler: {reason}")
    heldout = [(text, example) for text, example in sentences_of(examples).items() if len(text.split()) >= SHORTEST]
    tasks = [(text, rng_for(seed, number, copy)) for number, (text, _) in enumerate(heldout) for copy in range(copies)]
    made = model.fill([gaps(text, draw) for text, draw in tasks], [draw for _, draw in tasks], context)
    filled = labels([text for text, _ in tasks], made, entailment, context) if tasks else []
    kept: list[Example] = []
    for number, (text, example) in enumerate(heldout):
        own = range(number * copies, (number + 1) * copies)
        progress = {made[i]: label for i in own if (label := filled[i]) is not None and made[i] != text}
        if wrong := list(progress.values()).count(0):
            texts_in = Sentences(candidates=[text, *progress], labels=[1, *progress.values()]).plain()
            tags = {"damage": "+".join([FILLED] * wrong)}
            kept.append(
                Example(
                    id=f"{example.id} {number}", source=QUESTION, input=texts_in, language=example.language, tags=tags
                )
            )
    if not kept:
        raise AssayError(
            f"acceptability: of {len(tasks)} filled copies none was an error close to its sentence; give more "
            "references, damaged=5 for more copies of each, or another filler"
        )
    counts = [filled.count(label) for label in (1, 0, None)]
    return Made(kept, *counts)
