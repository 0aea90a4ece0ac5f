"""Cross-encoder similarity: a model that reads output and reference together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.metrics.semantic.similarity import SimilarityMetric
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import Pair, cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items


@dataclass(frozen=True)
class CrossEncoder(ModelMetric, SimilarityMetric):
    """Similarity from 0 to 1 of an output and its most similar reference, by a model that reads both together.

    The score is the logistic function of the model's output, averaged over items. An empty output scores 0, as does one
    whose references are all empty.
    """

    model: str = ""
    """Model folder or Hugging Face name of a cross-encoder with one output (required)."""

    name: ClassVar = "cross_encoder"
    lacking: ClassVar = "no text"
    summary: ClassVar = "similarity of output and reference by a cross-encoder"
    citation: ClassVar = "Reimers and Gurevych (2019), Sentence-BERT; Beken Fikri et al. (2021), Semantic Similarity"

    model_kind: ClassVar = "classifier:1"
    truncates: ClassVar = "longer"

    def __post_init__(self) -> None:
        ModelMetric.__post_init__(self)
        SimilarityMetric.__post_init__(self)

    def parts(self) -> tuple[Part, ...]:
        return (Part("cross_encoder", digits=3),)

    def why_not(self) -> str | None:
        return super().why_not() if self.model else "needs weights. Give cross_encoder:model=FOLDER."

    def compute(self, items: Items, context: Context) -> Dense:
        others = self.texts(items)
        pairs = [(output, text) for output, each in zip(items.outputs, others, strict=True) for text in each]
        namespace = f"{self.encoder.label}-{self.encoder.limit}-pairs-{digest_of(self.encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._rated(new, context), context)
        return self.rows({"cross_encoder": self.best(items, lambda output, text: float(of[output, text][0]))})

    def _rated(self, pairs: Sequence[Pair], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        model = loaded.model.to(context.torch_device())
        if model.config.num_labels != 1:
            raise AssayError(
                f"{self.model}: has {model.config.num_labels} outputs; a cross-encoder for similarity has one."
            )
        logits = pair_logits(model, loaded.tokenizer, pairs, self.encoder.limit, self.batch)
        return 1 / (1 + np.exp(-logits))
