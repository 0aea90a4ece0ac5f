"""Perplexity of the outputs under a causal language model."""

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
from assay.systems.served_model import ServedModel, is_served
from assay.text.blank import is_blank

COLUMNS = ("log_likelihood", "tokens", "characters")


@dataclass(frozen=True)
class Perplexity(ModelMetric, SumMetric):
    """Exponential of the mean negative log-likelihood per token, over all tokens of all outputs.

    It is computed from sums over tokens, not as a mean of per-output perplexities. Perplexities of models with
    different tokenizers are not comparable; `perplexity.bits_per_character`, the same likelihood per character, is. An
    empty output has no token and is left out.
    """

    model: str = "smollm2"
    """Causal language model: `smollm2`, a model folder, a `.gguf` file, a Hugging Face name, or `completions:NAME` on a
    server (OPENAI_BASE_URL; other dialects as `completions:NAME@vllm`)."""
    window: int | None = None
    """Maximum number of tokens per window; none takes the maximum of the model, at most 1024."""
    stride: int | None = None
    """Number of tokens between the starts of two windows; each token is scored in the first window with it. None takes
    half a window."""
    start: bool = True
    """Prepend a start token, so that the first token of an output is scored too."""
    batch: int = setting(8)
    """Number of windows per batch; does not change the score."""

    name: ClassVar = "perplexity"
    category: ClassVar = "descriptive"
    summary: ClassVar = "perplexity of the outputs under a causal language model"
    citation: ClassVar = "Jelinek et al. (1977), Perplexity: a measure of the difficulty of speech recognition tasks"
    needs: ClassVar = ()
    model_kind: ClassVar = "causal"
    signed_properties: ClassVar[dict[str, str]] = {"model": "label", "window": "limit", "stride": "step"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("window", 2)
        self.require("stride", 1)

    @property
    def weights(self) -> CausalModel | ServedModel:
        if is_served(self.model):
            return ServedModel(self.model)
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
        likelihoods = self.weights.likelihoods(texts, context)
        characters = np.array([len(text) for text in texts], dtype=np.float64)
        return Dense(COLUMNS, np.column_stack([likelihoods, np.where(likelihoods[:, 1] > 0, characters, 0.0)]))

    def values(self, sums: Floats) -> Values:
        logs, tokens, characters = sums.T
        with np.errstate(over="ignore"):
            perplexity = np.exp(-divide(logs, tokens))
        return {"perplexity": perplexity, "perplexity.bits_per_character": -divide(logs, characters) / np.log(2)}

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        have = "output has no token and is" if empty == 1 else "outputs have no token and are"
        return [f"perplexity: {empty} empty {have} left out"] if empty else []

    def undefined(self, part: str) -> str:
        return "no output has a token"
