"""Weights of the features of `support`, read from a file that records what they were fitted on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

from assay.errors import AssayError
from assay.records.documents import read_toml
from assay.records.files import digest_of

PACKAGED = "support.toml"


class Weights(NamedTuple):
    """A logistic model: the logit of support is the intercept minus the weighted features."""

    intercept: float
    costs: Mapping[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability that a claim with these features is supported."""
        logit = self.intercept - sum(cost * features[name] for name, cost in self.costs.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

    @property
    def digest(self) -> str:
        return digest_of([self.intercept, sorted(self.costs.items())])[:12]


@lru_cache(maxsize=3)
def read_weights(kind: Literal["rules", "entailment", "signs"] = "rules") -> Weights:
    """Return the packaged weights: of rules, of rules and entailment, or of signs alone."""
    path = Path(str(files("assay.metrics.support").joinpath(PACKAGED)))
    table = read_toml(path)["weights" if kind == "rules" else kind]
    costs = {name: float(cost) for name, cost in table.items() if name != "intercept"}
    if not all(math.isfinite(cost) for cost in costs.values()):
        raise AssayError(f"{path}: weights must be finite. Fit them again with tools/fit_support.py.")
    return Weights(float(table["intercept"]), costs)
