"""NUBIA: similarity, entailment and fluency of an output, combined into one value that can be taken apart."""

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
"""Our numbers, and what the package calls them."""
LOWER = ("contradiction", "irrelevancy")


@dataclass(frozen=True)
class Nubia(PackageMetric):
    """What the package nubia-score says of output and reference, 0 to 1, and what it is made of: similarity from 0 to
    5, contradiction, irrelevancy and agreement in percent. Of several references the one with the best value; the mean
    over items. An empty output counts 0."""

    name: ClassVar = "nubia"
    category: ClassVar = "semantic"
    summary: ClassVar = "similarity, entailment and fluency beside the reference, in one value"
    citation: ClassVar = "Kane et al. (2020), NUBIA: NeUral Based Interchangeability Assessor for Text Generation"
    module: ClassVar = "nubia_score"
    distribution: ClassVar = "nubia-score"
    remedy: ClassVar = (
        "pip install nubia-score in an environment of its own (it needs fairseq and pytorch-transformers), score "
        "there, and give the numbers with --scores; it loads its own weights"
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
        said = _loaded().score(reference, output, get_features=True)
        features = said["features"]
        return (float(said["nubia_score"]), *(float(features[name]) for name in FEATURES.values()))


@lru_cache(maxsize=1)
def _loaded() -> Any:
    from nubia_score import Nubia as Theirs

    return Theirs()
