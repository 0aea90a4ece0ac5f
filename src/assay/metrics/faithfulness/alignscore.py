"""AlignScore: probability that the source supports each sentence of an output, by a unified alignment model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric, class_index
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.source_passages import note_empty_texts
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import Pair, cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

WORDS = 350
"""Approximate number of words of a chunk of the source."""
ALIGNED = ("aligned", "entailment", "label_0")
"""Accepted names of the class `aligned`; without names it is the first."""


@dataclass(frozen=True)
class AlignScore(CheckpointMetric, MeanMetric):
    """Probability of the class `aligned` for each sentence of the output, averaged over sentences, then over items.

    The source is split into chunks of whole sentences with about 350 words; each sentence of the output counts with the
    chunk that supports it most. An empty output scores 0, as does any output with an empty source.
    """

    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "alignscore"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the source supports each sentence of the output"
    citation: ClassVar = (
        "Zha et al. (2023), AlignScore: Evaluating Factual Consistency with a Unified Alignment Function"
    )
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "classifier:3"
    truncates: ClassVar = "source"
    recommended: ClassVar = "a folder converted from yzha/AlignScore, see the documentation of the metric"

    def parts(self) -> tuple[Part, ...]:
        return (Part("alignscore", digits=3),)

    def compute(self, items: Items, context: Context) -> Dense:
        candidates: list[list[list[Pair]]] = []
        for output, source, example in zip(items.outputs, items.sources, items.bare, strict=True):
            pieces = pieces_of(source, split_sentences(source, self.splitter, example.language))
            blank = is_blank(source) or is_blank(output)
            claims = [] if blank else split_sentences(output, self.splitter, example.language)
            candidates.append([[(piece, claim) for piece in pieces] for claim in claims])
        pairs = [pair for item in candidates for claim in item for pair in claim]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-aligned-{digest_of(encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._aligned(new, context), context) if pairs else {}
        means = [
            np.mean([max(of[pair][0] for pair in claim) for claim in item]) if item else 0.0 for item in candidates
        ]
        return self.rows({"alignscore": np.array(means, dtype=np.float64)})

    def _aligned(self, pairs: list[Pair], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        model = loaded.model.to(context.torch_device())
        place = class_index(ALIGNED, self.model, model.config, 3, "Give a model with three classes, one named aligned.")
        logits = pair_logits(model, loaded.tokenizer, pairs, self.encoder.limit, self.batch, "only_first")
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights[:, [place]] / weights.sum(axis=1, keepdims=True))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)


def as_classifier(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tensors of the published checkpoint with the names of a RoBERTa classifier of transformers.

    Its pooler and its layer of three classes are the head of that classifier; unused tensors are left out.
    """
    names = {name.removeprefix("base_model."): tensor for name, tensor in state.items()}
    try:
        head = {
            f"classifier.{ours}.{kind}": names.pop(f"{theirs}.{kind}")
            for ours, theirs in (("dense", "pooler.dense"), ("out_proj", "tri_layer"))
            for kind in ("weight", "bias")
        }
    except KeyError as missing:
        raise AssayError(f"not a checkpoint of AlignScore: {missing} is missing") from None
    body = {f"roberta.{name}": tensor for name, tensor in names.items() if name.startswith(("embeddings", "encoder"))}
    return body | head


def pieces_of(source: str, sentences: list[str]) -> list[str]:
    """Return chunks of whole sentences with about WORDS words, the same number of sentences in each but the last."""
    sentences = sentences or [""]
    size = max(len(sentences) // (len(source.split()) // WORDS + 1), 1)
    return [" ".join(sentences[i : i + size]) for i in range(0, len(sentences), size)]
