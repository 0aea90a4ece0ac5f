"""MiniCheck: probability that a document supports a claim, by a small model trained on synthetic claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric, class_index
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.relative_encoder import RelativeEncoder
from assay.metrics.faithfulness.source_passages import note_empty_texts, pack_windows
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

TOKENS, WORDS = 400, 500
"""Default sizes of a chunk of the source: in tokens, and in words for a model that writes its answer."""
TASK = "predict: "
"""Start of the input of a model that writes its answer."""
ANSWERS = ("0", "1")
"""Answers of such a model: not supported, supported (tokens 3 and 209 of Flan-T5)."""
SUPPORTED = ("supported", "yes", "label_1", "1")
"""Accepted names of the class `supported`; without names it is the second, as in the published checkpoints."""


@dataclass(frozen=True)
class MiniCheck(CheckpointMetric, MeanMetric):
    """Probability that the source supports the output, averaged over items.

    The source is split into chunks of whole sentences, and the best chunk counts. Document and claim are joined with
    the end token of the model, as in its training; a sequence-to-sequence model (Flan-T5) answers 0 or 1. An empty
    output scores 0, as does any output with an empty source.
    """

    claims: Literal["whole", "sentences"] = "whole"
    """Claim that is checked: the whole output, or each sentence, averaged."""
    piece: int | None = None
    """Maximum size of a chunk of the source (default: 400 tokens, at most four fifths of the maximum of the model; for
    Flan-T5 500 words)."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "minicheck"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the source supports the output, by a fact-checking model"
    citation: ClassVar = "Tang et al. (2024), MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents"
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "classifier:2"
    truncates: ClassVar = "end"
    recommended: ClassVar = (
        "lytang/MiniCheck-RoBERTa-Large, lytang/MiniCheck-DeBERTa-v3-Large, lytang/MiniCheck-Flan-T5-Large, or a folder"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("piece", 1)

    @property
    def encoder(self) -> RelativeEncoder:
        return RelativeEncoder(self.model, batch=self.batch)

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
        if self._answers:
            return pack_windows(
                source, self.piece or WORDS, lambda texts: [len(t.split()) for t in texts], self.splitter
            )
        room = min(self.piece or TOKENS, 4 * self.encoder.limit // 5)  # the rest is for the claim, which follows
        return pack_windows(source, room, lambda texts: list(map(len, self.encoder.ids(texts))), self.splitter)

    @property
    def _answers(self) -> bool:
        """Whether the model writes its answer, instead of a class."""
        return bool(self.encoder.setting("config.json", "is_encoder_decoder")) and not any(
            name.endswith("SequenceClassification")
            for name in self.encoder.setting("config.json", "architectures") or ()
        )

    def _supported(self, pairs: Sequence[tuple[str, str]], context: Context) -> Floats:
        if self._answers:
            return self._answered(pairs, context)
        loaded = load(str(self.encoder.folder), classifier=True)
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        place = class_index(
            SUPPORTED, self.model, model.config, 2, "Give a model with two classes, one named supported or yes."
        )
        joined = [tokenizer.eos_token.join(pair) for pair in pairs]
        logits = pair_logits(model, tokenizer, [(text, None) for text in joined], self.encoder.limit, self.batch)
        return np.asarray(1 / (1 + np.exp(logits[:, [1 - place]] - logits[:, [place]])))

    def _answered(self, pairs: Sequence[tuple[str, str]], context: Context) -> Floats:
        """Return the probability of the answer 1 against 0: the first token that the model writes."""
        loaded = load(str(self.encoder.folder))
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        no, yes = (tokenizer(answer, add_special_tokens=False)["input_ids"][0] for answer in ANSWERS)
        if no == yes:
            raise AssayError(f"{self.model}: its tokenizer does not tell 0 from 1. Give the folder of MiniCheck.")
        prompts = [(TASK + tokenizer.eos_token.join(pair), None) for pair in pairs]
        logits = pair_logits(FirstAnswer(model), tokenizer, prompts, self.encoder.limit, self.batch)
        return np.asarray(1 / (1 + np.exp(logits[:, [no]] - logits[:, [yes]])))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)


class FirstAnswer:
    """A sequence-to-sequence model as a classifier over its vocabulary: the logits of the first token it writes."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __call__(self, **inputs: Any) -> Any:
        import torch

        shape = (inputs["input_ids"].shape[0], 1)
        start = torch.full(shape, self.model.config.decoder_start_token_id, device=self.model.device)
        read = {name: inputs[name] for name in ("input_ids", "attention_mask")}
        output = self.model(**read, decoder_input_ids=start)
        output.logits = output.logits[:, 0]
        return output
