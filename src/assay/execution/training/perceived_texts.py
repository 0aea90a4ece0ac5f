"""Texts that readers take for human-written, as training examples of a generator (De Mattei et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.execution.training.perception import rated_texts
from assay.execution.training.perception_classes import perceived_human
from assay.metrics.human.perception import Perception
from assay.models.context import Context
from assay.records.inputs import read_input
from assay.records.items import Items
from assay.records.kinds import Judged
from assay.records.types import Example
from assay.systems.perceived import judged_text


class Chosen(NamedTuple):
    examples: list[Example]
    """Texts as references, with their first words as source."""
    human: int
    """Number of texts taken for human-written."""
    texts: int
    """Number of rated or classified texts."""


def perceived_texts(
    examples: Sequence[Example], *, criterion: str = "", threshold: float = 3.0, better: str = "higher",
    model: str = "", words: int = 1,
) -> Chosen:  # fmt: skip
    """Return the texts that readers take for human-written.

    Args:
        examples: judged examples; with a model, ratings are not needed.
        criterion: criterion of the ratings (default: the only one).
        threshold: mean rating between the classes; the threshold itself is not human.
        better: whether a `higher` or a `lower` rating is more human.
        model: folder of `perception:target=perception`, whose labels replace the ratings.
        words: number of first words that are the source, as in the study.
    """
    texts = [judged_text(example) for example in examples]
    if model:
        human = _classified(texts, examples, model)
    else:
        name, _ = rated_texts(examples, criterion, fewest=1)
        ratings = [read_input(one, Judged).human or {} for one in examples]
        human = [name in own and perceived_human(float(own[name]), threshold, better) for own in ratings]
    kept = [
        Example(
            id=example.id, source=" ".join(text.split()[:words]), references=(text,), language=example.language,
            split=example.split, tags=example.tags,
        )
        for example, text, yes in zip(examples, texts, human, strict=True)
        if yes and len(text.split()) > words
    ]  # fmt: skip
    if not kept:
        raise AssayError(f"perceived: none of {len(texts)} texts is taken for human-written; set threshold or better")
    return Chosen(kept, sum(human), len(texts))


def _classified(texts: Sequence[str], examples: Sequence[Example], model: str) -> list[bool]:
    metric = Perception(model=model)
    if why := metric.why_not():
        raise AssayError(f"perceived: {why}")
    if metric.regression.link != "logistic":
        raise AssayError(f"{model}: predicts ratings, not classes; train perception:target=perception")
    items = Items(tuple(texts), tuple(examples))
    if why := metric.unfit(items):
        raise AssayError(f"perceived: {why}")
    chances = np.asarray(metric.per_example(metric.compute(items, Context()))["perception"])
    return [bool(chance >= 0.5) for chance in chances]
