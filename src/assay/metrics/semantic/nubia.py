"""NUBIA: similarity, entailment and fluency combined into one score, through the package nubia-score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from assay.metrics.engine.base import Part
from assay.metrics.engine.external import PackageMetric
from assay.metrics.engine.statistics import Floats
from assay.text.blank import is_blank

FEATURES = {
    "similarity": "semantic_relation",
    "contradiction": "contradiction",
    "irrelevancy": "irrelevancy",
    "agreement": "logical_agreement",
}
"""Parts of the score and their names in the package."""
LOWER = ("contradiction", "irrelevancy")


@dataclass(frozen=True)
class Nubia(PackageMetric):
    """Score of the package nubia-score for output and reference, from 0 to 1, averaged over items.

    Its parts are the similarity from 0 to 5, and contradiction, irrelevancy and agreement in percent. With several
    references the one with the best score counts. An empty output scores 0.
    """

    name: ClassVar = "nubia"
    category: ClassVar = "semantic"
    summary: ClassVar = "similarity to the reference, entailment and fluency in one score"
    citation: ClassVar = "Kane et al. (2020), NUBIA: NeUral Based Interchangeability Assessor for Text Generation"
    module: ClassVar = "nubia_score"
    distribution: ClassVar = "nubia-score"
    remedy: ClassVar = (
        "pip install nubia-score in a separate environment (it needs fairseq and pytorch-transformers), score there, "
        "and import the scores with --scores"
    )

    def parts(self) -> tuple[Part, ...]:
        more = tuple(
            Part(f"nubia.{name}", "lower" if name in LOWER else "higher", shown=False, bounds=(None, None))
            for name in FEATURES
        )
        return (Part("nubia", digits=3, bounds=(None, None)), *more)

    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        return np.array(
            [max(self._scored(sample["output"], text) for text in sample["references"]) for sample in samples]
        )

    def _scored(self, output: str, reference: str) -> tuple[float, ...]:
        if is_blank(output) or is_blank(reference):
            return (0.0,) * (1 + len(FEATURES))
        scores = _loaded().score(reference, output, get_features=True)
        features = scores["features"]
        return (float(scores["nubia_score"]), *(float(features[name]) for name in FEATURES.values()))


@lru_cache(maxsize=1)
def _loaded() -> Any:
    from nubia_score import Nubia as Theirs

    return Theirs()
