"""BARTScore: log-likelihood of the output given source or reference, or of the reference given the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.context import Context
from assay.records.files import digest_of
from assay.records.items import Items
from assay.specs import setting
from assay.systems.neural.conditional import GIVEN, Conditional, Long
from assay.systems.served_model import ServedModel, is_served
from assay.text.blank import is_blank

Pair = tuple[str | None, str]


@dataclass(frozen=True)
class BartScore(ModelMetric, MeanMetric):
    """Mean log-probability per token, the end token included, under a language model, averaged over items.

    The option `direction` selects the text that is scored: `faithfulness`, the output given the source; `precision`,
    the output given a reference; `recall`, a reference given the output; `f1`, the mean of the last two. With several
    references the best counts. An empty output has the probability of an immediate end of text.
    """

    model: str = "smollm2"
    """Language model: `smollm2`, a model folder, a `.gguf` file, or a Hugging Face name; causal or
    sequence-to-sequence. `completions:NAME` is a model on a server, whose end token is not scored (other dialects:
    `completions:NAME@vllm`)."""
    direction: Literal["faithfulness", "precision", "recall", "f1"] = "faithfulness"
    """Conditioning text and scored text."""
    relative: bool = False
    """Subtract the log-probability without conditioning text, so that the score measures its effect and not fluency."""
    window: int = 400
    """Maximum number of tokens of the conditioning text, at most half of the maximum of the model."""
    long: Long = "cut"
    """Longer conditioning texts: `cut` keeps the beginning, `windows` takes the window with the highest score."""
    prompt: str = f"{GIVEN}\\n\\nSummary:"
    """Prompt for causal models; {given} is the conditioning text, \\\\n a line break."""
    batch: int = setting(1)
    """Not used: texts are computed one by one."""

    name: ClassVar = "bartscore"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "log-likelihood of the output given its source, or of output and reference given each other"
    citation: ClassVar = "Yuan et al. (2021), BARTScore: Evaluating Generated Text as Text Generation"
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "causal"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("window", 1)
        self.weights.prompt_parts()
        if self.direction != "faithfulness":
            object.__setattr__(self, "needs", ("references",))

    @property
    def weights(self) -> Conditional | ServedModel:
        if is_served(self.model):
            return ServedModel(self.model, self.prompt)
        return Conditional(self.model, self.window, self.long, self.prompt)

    def options(self) -> dict[str, Any]:
        prompt = digest_of(self.prompt)[:8] if self.prompt != type(self).prompt else "summary"
        return super().options() | {"prompt": prompt}

    def parts(self) -> tuple[Part, ...]:
        return (Part("bartscore", digits=3, bounds=(None, None if self.relative else 0.0)),)

    def compute(self, items: Items, context: Context) -> Dense:
        alternatives = [
            self._pairs(output, sources) for output, sources in zip(items.outputs, self._others(items), strict=True)
        ]
        pairs = [pair for item in alternatives for side in item for pair in side]
        logs = dict(zip(pairs, self._means(pairs, context), strict=True))
        values = [float(np.mean([max(logs[pair] for pair in side) for side in item])) for item in alternatives]
        return self.rows({"bartscore": np.array(values)})

    def _others(self, items: Items) -> Sequence[Sequence[str]]:
        return [(source,) for source in items.sources] if self.direction == "faithfulness" else items.references

    def _pairs(self, output: str, others: Sequence[str]) -> list[list[Pair]]:
        """Return one list of alternatives for each direction."""
        onto: list[Pair] = [(other, output) for other in others]
        back: list[Pair] = [(output, other) for other in others]
        return {"recall": [back], "f1": [onto, back]}.get(self.direction, [onto])

    def _means(self, pairs: Sequence[Pair], context: Context) -> list[float]:
        means = [float(logs.mean()) for logs in self.weights.logs(pairs, context)]
        if not self.relative:
            return means
        alone: list[Pair] = [(None, text) for _, text in pairs]
        return [a - float(b.mean()) for a, b in zip(means, self.weights.logs(alone, context), strict=True)]

    def notes(self, items: Items) -> list[str]:
        return note_empty_outputs(self.name, items)


def note_empty_outputs(name: str, items: Items) -> list[str]:
    """Return a note on empty outputs, whose likelihood may exceed that of others."""
    empty = sum(is_blank(text) for text in items.outputs)
    have = "output has" if empty == 1 else "outputs have"
    note = f"{name}: {empty} empty {have} the likelihood of an immediate end of text, which can exceed that of others"
    return [note] if empty else []
