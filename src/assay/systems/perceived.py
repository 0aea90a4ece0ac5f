"""Labels of texts learned from rated ones: human or machine, or the mean rating."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.models.text_features import features
from assay.records.inputs import read_input
from assay.records.kinds import Judged
from assay.records.types import Example
from assay.stats.penalised import logistic_ridge, ridges, sigmoid
from assay.systems.base import Answer, System

Floats = NDArray[np.float64]
LABELS = ("machine", "human")
SURFACE_ONLY = "surface"


def judged_text(example: Example) -> str:
    """Return the judged text of an example."""
    judged = read_input(example, Judged)
    return judged.output or judged.summary or " ".join(judged.sentences or ())


@dataclass(eq=False)
class Perceived(System):
    """Classifier of rated texts, or regression of their ratings, over sentence vectors and eight counts."""

    name: ClassVar = "perceived"
    about: ClassVar = "label of a rated text (`human` or `machine`), or its mean rating, learned from rated texts"
    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False
    trained: ClassVar = True
    citation: ClassVar = "De Mattei et al. (2021), Human Perception in Natural Language Generation"

    target: Literal["label", "rating"] = "label"
    """`label`: the reference of the training texts, human or machine; `rating`: the mean rating."""
    criterion: str = "human-likeness"
    """For target=rating: the criterion."""
    encoder: str = "minilm"
    """Encoder of the sentence vectors; `surface`: the eight counts alone."""
    penalty: float = 10.0
    """Penalty on the squares of the weights."""

    predict: Callable[[Floats], Floats] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.require("penalty", 1e-9)

    def why_not(self) -> str | None:
        return None if self.encoder == SURFACE_ONLY else Encoder(self.encoder).why_not()

    def learn(self, train: Sequence[Example]) -> None:
        if not train:
            raise AssayError("system perceived: no rated training texts; give --train")
        x = self._features(train)
        if self.target == "rating":
            values = np.array([self._rating(example) for example in train])
            low, high = float(values.min()), float(values.max())
            (fitted,) = ridges(x, values, (self.penalty,))
            self.predict = lambda rows: np.clip(fitted(rows), low, high)
            return
        wrong = next((one for one in train if not one.references or one.references[0] not in LABELS), None)
        if wrong is not None:
            raise AssayError(f"id {wrong.id}: the reference must be {' or '.join(LABELS)}")
        labels = np.array([example.references[0] == "human" for example in train])
        classes = logistic_ridge(x, labels, self.penalty)
        self.predict = lambda rows: sigmoid(classes(rows))

    def _rating(self, example: Example) -> float:
        human = read_input(example, Judged).human or {}
        if self.criterion not in human:
            raise AssayError(f"id {example.id}: no rating of {self.criterion}; set criterion=NAME")
        return float(human[self.criterion])

    def _features(self, examples: Sequence[Example]) -> Floats:
        encoder = None if self.encoder == SURFACE_ONLY else Encoder(self.encoder, batch=self.batch)
        return features([judged_text(example) for example in examples], encoder, Context())

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        if self.predict is None:
            raise AssayError("system perceived: not trained; give --train")
        for example, value in zip(examples, self.predict(self._features(examples)), strict=True):
            more: dict[str, Any] = {"value": round(float(value), 6)}
            yield Answer(example.id, LABELS[int(value >= 0.5)] if self.target == "label" else f"{value:.2f}", more)
