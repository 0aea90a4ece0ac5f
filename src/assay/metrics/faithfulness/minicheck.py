"""MiniCheck: whether a document supports an output, by a small model taught on made-up claims."""

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
"""How the class is called that means so; without names it is the second, as in all checkpoints of its makers."""


@dataclass(frozen=True)
class MiniCheck(CheckpointMetric, MeanMetric):
    """The probability that a piece of the source supports the output: pieces of whole sentences, of which the best
    counts; the mean over items. Document and claim are read as one text with the model's end token between them, as it
    was taught. An empty output counts 0, as does any beside an empty source."""

    claims: Literal["whole", "sentences"] = "whole"
    """What is checked: the output at once, or each of its sentences, and the mean of them."""
    piece: int = 400
    """Most tokens of a piece of the source, at most four fifths of what the model reads."""
    splitter: Splitter = "multilingual"
    """How sentences are cut."""

    name: ClassVar = "minicheck"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the source supports the output, by a model for checking facts"
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
        asked = [
            [[(piece, claim) for piece in self._pieces(source)] for claim in self._claims(output, example.language)]
            if not is_blank(source)
            else []
            for output, source, example in zip(items.outputs, items.sources, items.bare, strict=True)
        ]
        pairs = [pair for item in asked for claim in item for pair in claim]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-support-{digest_of(encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._supported(new, context), context) if pairs else {}
        means = [np.mean([max(of[pair][0] for pair in claim) for claim in item]) if item else 0.0 for item in asked]
        return self.rows({"minicheck": np.array(means, dtype=np.float64)})

    def _claims(self, output: str, language: str | None) -> list[str]:
        if is_blank(output):
            return []
        return split_sentences(output, self.splitter, language) if self.claims == "sentences" else [output]

    def _pieces(self, source: str) -> list[str]:
        room = min(self.piece, 4 * self.encoder.limit // 5)  # the rest is for the claim, which stands behind
        return pack_windows(source, room, lambda texts: list(map(len, self.encoder.ids(texts))), self.splitter)

    def _supported(self, pairs: Sequence[tuple[str, str]], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), classifier=True)
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        place = class_index(SUPPORTED, self.model, model.config, 2, "MiniCheck has two, one called supported or yes")
        joined = [tokenizer.eos_token.join(pair) for pair in pairs]
        logits = pair_logits(model, tokenizer, [(text, None) for text in joined], self.encoder.limit, self.batch)
        return np.asarray(1 / (1 + np.exp(logits[:, [1 - place]] - logits[:, [place]])))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)
