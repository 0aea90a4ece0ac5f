"""MiniCheck: probability that a document supports a claim, by a small model trained on synthetic claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric, class_index
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.source_passages import note_empty_texts, pack_windows
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

SUPPORTED = ("supported", "yes", "label_1", "1")
"""Accepted names of the class `supported`; without names it is the second, as in the published checkpoints."""


@dataclass(frozen=True)
class MiniCheck(CheckpointMetric, MeanMetric):
    """Probability that the source supports the output, averaged over items.

    The source is split into chunks of whole sentences, and the best chunk counts. Document and claim are joined with
    the end token of the model, as in its training. An empty output scores 0, as does any output with an empty source.
    """

    claims: Literal["whole", "sentences"] = "whole"
    """Claim that is checked: the whole output, or each sentence, averaged."""
    piece: int = 400
    """Maximum number of tokens of a chunk of the source, at most four fifths of the maximum of the model."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "minicheck"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the source supports the output, by a fact-checking model"
    citation: ClassVar = "Tang et al. (2024), MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents"
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "classifier:2"
    truncates: ClassVar = "end"
    recommended: ClassVar = "lytang/MiniCheck-RoBERTa-Large, lytang/MiniCheck-DeBERTa-v3-Large, or a folder"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("piece", 1)

    def parts(self) -> tuple[Part, ...]:
        return (Part("minicheck", digits=3),)

    def compute(self, items: Items, context: Context) -> Dense:
        candidates = [
            [[(piece, claim) for piece in self._pieces(source)] for claim in self._claims(output, example.language)]
            if not is_blank(source)
            else []
            for output, source, example in zip(items.outputs, items.sources, items.bare, strict=True)
        ]
        pairs = [pair for item in candidates for claim in item for pair in claim]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-support-{digest_of(encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._supported(new, context), context) if pairs else {}
        means = [
            np.mean([max(of[pair][0] for pair in claim) for claim in item]) if item else 0.0 for item in candidates
        ]
        return self.rows({"minicheck": np.array(means, dtype=np.float64)})

    def _claims(self, output: str, language: str | None) -> list[str]:
        if is_blank(output):
            return []
        return split_sentences(output, self.splitter, language) if self.claims == "sentences" else [output]

    def _pieces(self, source: str) -> list[str]:
        room = min(self.piece, 4 * self.encoder.limit // 5)  # the rest is for the claim, which follows
        return pack_windows(source, room, lambda texts: list(map(len, self.encoder.ids(texts))), self.splitter)

    def _supported(self, pairs: Sequence[tuple[str, str]], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        place = class_index(
            SUPPORTED, self.model, model.config, 2, "Give a model with two classes, one named supported or yes."
        )
        joined = [tokenizer.eos_token.join(pair) for pair in pairs]
        logits = pair_logits(model, tokenizer, [(text, None) for text in joined], self.encoder.limit, self.batch)
        return np.asarray(1 / (1 + np.exp(logits[:, [1 - place]] - logits[:, [place]])))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)
