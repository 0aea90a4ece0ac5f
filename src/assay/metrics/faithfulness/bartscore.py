"""BARTScore: how likely the output is after its source or reference, or the reference after the output."""

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
from assay.text.blank import is_blank

Pair = tuple[str | None, str]


@dataclass(frozen=True)
class BartScore(ModelMetric, MeanMetric):
    """The mean logarithm of the probability of a token (the one that ends the text among them), as a language model has
    it: faithfulness, of the output after its source; precision, of the output after a reference; recall, of a reference
    after the output; f1, the mean of these two. Of several references the best counts; the mean over items. An empty
    output is as likely as that the text ends at once."""

    model: str = "smollm2"
    """The language model: `smollm2`, a folder, or a hub name; causal, or with an encoder as the paper's."""
    direction: Literal["faithfulness", "precision", "recall", "f1"] = "faithfulness"
    """Which text is given, and which is to be likely after it."""
    relative: bool = False
    """Less what the same text has with nothing before it: how much what is given helps, and not how fluent the text
    is."""
    window: int = 400
    """Most tokens of the given text that are read at once, at most half of what the model was made for."""
    long: Long = "cut"
    """What becomes of a longer one: its beginning alone, or windows of which the one that makes the text likeliest
    counts."""
    prompt: str = f"{GIVEN}\\n\\nSummary:"
    """For causal models, what stands before the text, with {given} in it and \\\\n for a line break."""
    batch: int = setting(1)
    """Texts are read one by one."""

    name: ClassVar = "bartscore"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "likelihood of the output given its source, or of output and reference given each other"
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
    def weights(self) -> Conditional:
        return Conditional(self.model, self.window, self.long, self.prompt)

    def options(self) -> dict[str, Any]:
        said = digest_of(self.prompt)[:8] if self.prompt != type(self).prompt else "summary"
        return super().options() | {"prompt": said}

    def parts(self) -> tuple[Part, ...]:
        return (Part("bartscore", digits=3, bounds=(None, None if self.relative else 0.0)),)

    def compute(self, items: Items, context: Context) -> Dense:
        asked = [
            self._pairs(output, sources) for output, sources in zip(items.outputs, self._others(items), strict=True)
        ]
        pairs = [pair for item in asked for side in item for pair in side]
        logs = dict(zip(pairs, self._means(pairs, context), strict=True))
        values = [float(np.mean([max(logs[pair] for pair in side) for side in item])) for item in asked]
        return self.rows({"bartscore": np.array(values)})

    def _others(self, items: Items) -> Sequence[Sequence[str]]:
        return [(source,) for source in items.sources] if self.direction == "faithfulness" else items.references

    def _pairs(self, output: str, others: Sequence[str]) -> list[list[Pair]]:
        """One list of alternatives for each direction."""
        onto: list[Pair] = [(other, output) for other in others]
        back: list[Pair] = [(output, other) for other in others]
        return {"recall": [back], "f1": [onto, back]}.get(self.direction, [onto])

    def _means(self, pairs: Sequence[Pair], context: Context) -> list[float]:
        found = [float(logs.mean()) for logs in self.weights.logs(pairs, context)]
        if not self.relative:
            return found
        alone: list[Pair] = [(None, text) for _, text in pairs]
        return [a - float(b.mean()) for a, b in zip(found, self.weights.logs(alone, context), strict=True)]

    def notes(self, items: Items) -> list[str]:
        return likely_when_empty(self.name, items)


def likely_when_empty(name: str, items: Items) -> list[str]:
    """A likelihood has no 0 to give: an empty output may come out above others, and that is said."""
    empty = sum(is_blank(text) for text in items.outputs)
    counts = "output counts" if empty == 1 else "outputs count"
    said = f"{name}: {empty} empty {counts} as likely as that a text ends at once, which can be more than others have"
    return [said] if empty else []
