"""HHEM: probability that a source supports an output, by the hallucination evaluation model of Vectara."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.external import CheckpointMetric, class_index
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.relative_encoder import RelativeEncoder
from assay.metrics.faithfulness.source_passages import note_empty_texts
from assay.models.context import Context
from assay.models.load import load
from assay.models.text_pairs import Pair, cached_pair_rows, pair_logits
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

INCONSISTENT, CONSISTENT = "inconsistent", "consistent"
"""Names of the two classes, in the order of the published model."""
LAYERS = "t5."
"""Prefix of all weights in the published file."""
PROMPT = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {source}\n\nHypothesis: {claim}"
"""Input of the published model (2.1): `<pad>` is its first token, whose class is read."""


@dataclass(frozen=True)
class Hhem(CheckpointMetric, MeanMetric):
    """Probability that the source supports the output, averaged over items.

    The class of the first token of premise and hypothesis counts, as in the published model. The source is not split.
    An empty output scores 0, as does any output with an empty source.
    """

    claims: Literal["whole", "sentences"] = "whole"
    """Claim that is checked: the whole output, or each sentence, averaged."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""

    name: ClassVar = "hhem"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "probability that the source supports the output, by Vectara's evaluation model"
    citation: ClassVar = "Bao et al. (2024), HHEM-2.1-Open (vectara/hallucination_evaluation_model)"
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "tagger:2"
    truncates: ClassVar = "end"
    recommended: ClassVar = "a folder converted from vectara/hallucination_evaluation_model, see its page"

    @property
    def encoder(self) -> RelativeEncoder:
        return RelativeEncoder(self.model, batch=self.batch)

    def parts(self) -> tuple[Part, ...]:
        return (Part("hhem", digits=3),)

    def compute(self, items: Items, context: Context) -> Dense:
        candidates: list[list[Pair]] = []
        for output, source, example in zip(items.outputs, items.sources, items.bare, strict=True):
            blank = is_blank(source) or is_blank(output)
            whole = [] if blank else [output]
            claims = split_sentences(output, self.splitter, example.language) if self.claims == "sentences" else whole
            candidates.append([] if blank else [(source, claim) for claim in claims])
        pairs = [pair for item in candidates for pair in item]
        encoder = self.encoder
        namespace = f"{encoder.label}-{encoder.limit}-consistent-{digest_of(encoder.libraries)[:8]}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._consistent(new, context), context) if pairs else {}
        means = [float(np.mean([of[pair][0] for pair in item])) if item else 0.0 for item in candidates]
        return self.rows({"hhem": np.array(means, dtype=np.float64)})

    def _consistent(self, pairs: list[Pair], context: Context) -> Floats:
        loaded = load(str(self.encoder.folder), tagger=True)
        model, tokenizer = loaded.model.to(context.torch_device()), loaded.tokenizer
        place = class_index(
            (CONSISTENT, "yes"), self.model, model.config, 2, f"Give two classes, one named {CONSISTENT}."
        )
        prompts = [(PROMPT.format(source=source, claim=claim), None) for source, claim in pairs]
        logits = pair_logits(FirstToken(model), tokenizer, prompts, self.encoder.limit, self.batch)
        if logits.shape[1:] != (2,):
            raise AssayError(f"{self.model}: not a token classifier of two classes. Convert the published model.")
        return np.asarray(1 / (1 + np.exp(logits[:, [1 - place]] - logits[:, [place]])))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)


class FirstToken:
    """A token classifier as a classifier of texts: the logits of the first token."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __call__(self, **inputs: Any) -> Any:
        output = self.model(**inputs)
        output.logits = output.logits[:, 0]
        return output
