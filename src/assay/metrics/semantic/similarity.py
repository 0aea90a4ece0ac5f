"""Base class of metrics that compare an output with its references, or with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import MeanMetric
from assay.text.blank import is_blank

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics.engine.statistics import Floats
    from assay.records.items import Items


@dataclass(frozen=True)
class SimilarityMetric(MeanMetric):
    """A mean over items of the similarity to the best reference; an empty output scores 0."""

    against: Literal["references", "source"] = "references"
    """Text that the output is compared with."""

    category: ClassVar = "semantic"
    lacking: ClassVar[str] = "no vector"
    """What an empty output lacks, for the note about it."""

    def __post_init__(self) -> None:
        if self.against == "source":
            object.__setattr__(self, "needs", ("sources",))

    def texts(self, items: Items) -> list[tuple[str, ...]]:
        """Return the texts that each output is compared with."""
        return [(source,) for source in items.sources] if self.against == "source" else items.references

    def best(self, items: Items, value: Callable[[str, str], float]) -> Floats:
        """Return the highest value of each output over its texts; 0 if the output or all texts are empty."""
        values = [
            max((value(output, text) for text in texts if not is_blank(output) and not is_blank(text)), default=0.0)
            for output, texts in zip(items.outputs, self.texts(items), strict=True)
        ]
        return np.array(values, dtype=np.float64)

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        have = "output has" if empty == 1 else "outputs have"
        return [f"{self.name}: {empty} empty {have} {self.lacking} and score{'s' * (empty == 1)} 0"] if empty else []
