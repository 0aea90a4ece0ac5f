"""Perplexity: how surprised a language model is by the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.causal import CausalModel
from assay.models.context import Context
from assay.records.items import Items
from assay.specs import setting
from assay.text.blank import is_blank

COLUMNS = ("log_likelihood", "tokens", "characters")


@dataclass(frozen=True)
class Perplexity(ModelMetric, SumMetric):
    """exp of the mean negative log-likelihood of a token, over all tokens of all outputs: sums are kept, so that the
    value of a set is that of its tokens and no mean of means. Tokens are the model's own, so that numbers of models
    with different tokenizers do not compare; bits_per_character, the same likelihood over the characters, does. An
    empty output has no token and counts nothing."""

    model: str = "smollm2"
    """The causal model: `smollm2`, a folder, or a hub name."""
    window: int | None = None
    """Most tokens that are read at once; none takes what the model was made for, at most 1024."""
    stride: int | None = None
    """How far a window begins after the last, every token counting in the first that has it; none takes half a
    window."""
    start: bool = True
    """Whether a start token stands before each output, so that its first token counts, too."""
    batch: int = setting(8)
    """Windows that are read together."""

    name: ClassVar = "perplexity"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how surprised a causal language model is by the outputs"
    citation: ClassVar = "Jelinek et al. (1977), Perplexity: a measure of the difficulty of speech recognition tasks"
    needs: ClassVar = ()
    model_kind: ClassVar = "causal"
    signed_properties: ClassVar[dict[str, str]] = {"model": "label", "window": "limit", "stride": "step"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("window", 2)
        self.require("stride", 1)

    @property
    def weights(self) -> CausalModel:
        return CausalModel(self.model, self.window, self.stride, self.start, self.batch)

    def signature(self, nrefs: str) -> str:
        head, mark, tail = super().signature(nrefs).rpartition("|libraries:")
        return f"{head}|tokenizer:{self._weights_property('tokenizer')}{mark}{tail}"

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("perplexity", "lower", digits=1, bounds=(1.0, None)),
            Part("perplexity.bits_per_character", "lower", shown=False, digits=3, bounds=(0.0, None)),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def compute(self, items: Items, context: Context) -> Dense:
        texts = [text if not is_blank(text) else "" for text in items.outputs]
        found = self.weights.likelihoods(texts, context)
        characters = np.array([len(text) for text in texts], dtype=np.float64)
        return Dense(COLUMNS, np.column_stack([found, np.where(found[:, 1] > 0, characters, 0.0)]))

    def values(self, sums: Floats) -> Values:
        logs, tokens, characters = sums.T
        with np.errstate(over="ignore"):
            perplexity = np.exp(-divide(logs, tokens))
        return {"perplexity": perplexity, "perplexity.bits_per_character": -divide(logs, characters) / np.log(2)}

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        have = "output has no token and counts" if empty == 1 else "outputs have no token and count"
        return [f"perplexity: {empty} empty {have} nothing"] if empty else []

    def undefined(self, part: str) -> str:
        return "no output has a token"
