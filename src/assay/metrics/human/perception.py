"""Perception: predicted human rating of an output, by a regression trained on ratings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from assay.errors import AssayError, first_line
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.languages import unsupported_languages
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.code_digest import file_digest
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.models.text_features import features
from assay.models.weights import card_languages
from assay.records.files import to_json, write_text
from assay.records.items import Items
from assay.stats.penalised import sigmoid
from assay.text.blank import is_blank

FILE = "perception.json"


class Regression(msgspec.Struct, frozen=True, kw_only=True):
    """A linear regression over standardised features."""

    criterion: str
    low: float
    high: float
    """Lowest and highest mean rating of the training data; predictions are clipped to them."""
    encoder: str
    """Name of the encoder; `encoder_weights` is the digest of its weights."""
    encoder_weights: str
    better: str
    intercept: float
    means: list[float]
    spreads: list[float]
    weights: list[float]
    link: Literal["identity", "logistic"] = "identity"
    """`logistic`: the value is the probability of the class `human` of a classifier."""

    def predict(self, features: Floats) -> Floats:
        ratings = (features - self.means) / self.spreads @ np.array(self.weights) + self.intercept
        if self.link == "logistic":
            return np.asarray(sigmoid(ratings))
        return np.asarray(np.clip(ratings, self.low, self.high))

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / FILE, to_json(msgspec.to_builtins(self)) + "\n")


@dataclass(frozen=True)
class Perception(ModelMetric, MeanMetric):
    """Rating predicted by a regression over the sentence vector and eight surface features, averaged over items.

    The scale is that of the training ratings; of a classifier it is the probability that a human wrote the text
    (`target=source`), or that readers think so (`target=perception`). An empty output has no rating and is left out.
    """

    model: str = ""
    """Folder of `assay system train perception` (required)."""

    name: ClassVar = "perception"
    category: ClassVar = "descriptive"
    summary: ClassVar = "predicted human rating of the output, by a regression trained on ratings"
    citation: ClassVar = "De Mattei et al. (2021), Human Perception in Natural Language Generation"
    needs: ClassVar = ()
    model_kind: ClassVar = "perception"
    truncates: ClassVar = "windows"
    pooled: ClassVar = True

    @property
    def regression(self) -> Regression:
        return _read(self.model, file_digest(Path(self.model) / FILE) if self.model else None)

    @property
    def encoder(self) -> Encoder:
        return Encoder(self.regression.encoder, batch=self.batch)

    def parts(self) -> tuple[Part, ...]:
        try:
            known = self.regression
        except AssayError:
            return (Part("perception", bounds=(None, None)),)
        return (Part("perception", "lower" if known.better == "lower" else "higher", bounds=(known.low, known.high)),)

    def options(self) -> dict[str, Any]:
        digest = file_digest(Path(self.model) / FILE) if self.model else None
        return super().options() | {"model": f"{Path(self.model).name}-{digest[:12]}" if digest else MISSING_FILE}

    def signature(self, nrefs: str) -> str:
        try:
            return super().signature(nrefs)
        except AssayError:
            return MeanMetric.signature(self, nrefs)

    def why_not(self) -> str | None:
        if not self.model:
            return (
                "needs a trained regression: `assay system train perception --train RATED.jsonl -o FOLDER`, then "
                "perception:model=FOLDER"
            )
        try:
            known = self.regression
            if why := self.encoder.why_not():
                return why
            if not self.encoder.label.endswith(known.encoder_weights):
                return f"{self.model}: trained on other weights of {known.encoder}. Install those, or train it again."
        except AssayError as error:
            return str(error)
        return None

    def unfit(self, items: Items) -> str | None:
        """Return why the items are unsuitable: the languages of the encoder or of the ratings."""
        taught = None if self.languages else card_languages(Path(self.model))
        return super().unfit(items) or unsupported_languages(self.name, self.model, taught, items)

    def compute(self, items: Items, context: Context) -> Dense:
        texts = [text for text in items.outputs if not is_blank(text)]
        ratings = iter(self.regression.predict(features(texts, self.encoder, context)) if texts else ())
        rows = [(float(next(ratings)), 1.0) if not is_blank(text) else (0.0, 0.0) for text in items.outputs]
        values = np.array(rows, dtype=np.float64).reshape(-1, 2)
        return self.rows({"perception": values[:, 0]}, values[:, 1])

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        notes = [f"perception: {empty} empty output{'s are' if empty > 1 else ' is'} left out"] if empty else []
        return [
            *notes,
            "perception is trained on ratings and not valid for systems that were tuned on the same ratings",
        ]

    def undefined(self, part: str) -> str:
        return "all outputs are empty"


@lru_cache(maxsize=4)
def _read(folder: str, digest: str | None) -> Regression:
    path = Path(folder) / FILE
    if digest is None:
        why = f"has no {FILE}" if Path(folder).exists() else "not found"
        raise AssayError(f"weights for {folder} {why}. Give a folder of `assay system train perception`.")
    try:
        read = msgspec.convert(json.loads(path.read_text("utf-8")), Regression)
        numbers = np.array([read.means, read.spreads, read.weights])  # raises an error unless they have the same length
        if not np.isfinite([read.intercept, read.low, read.high, *numbers.ravel()]).all() or not (numbers[1] > 0).all():
            raise ValueError("a value is not finite, or a standard deviation is not above 0")
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise AssayError(f"{path}: damaged ({first_line(error)}). Train it again.") from None
    return read
