"""Weights of the features of `faithful`, read from a file that records what they were fitted on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.models.code_digest import file_digest
from assay.records.documents import read_toml
from assay.records.files import digest_of
from assay.text.support import WAYS

PACKAGED = "faithful.toml"


@dataclass(frozen=True)
class Weights:
    """Cost of each missing feature, for sentences that are not copied and for sentences that are."""

    costs: Mapping[str, tuple[float, float]]
    digest: str
    models: Mapping[str, str]
    """Models used for the fit, with their digests."""

    def cost(self, way: str, copied: float) -> float:
        """Return the cost of a feature that is fully missing, interpolated by the share that is copied."""
        new, same = self.costs[way]
        return new * (1 - copied) + same * copied

    def value(self, lacks: Mapping[str, float], copied: float) -> float:
        """Return the score of a sentence, from 0 to 1."""
        return min(1.0, max(0.0, 1 - sum(self.cost(way, copied) * lack for way, lack in lacks.items())))


def read_weights(path: str | None, models: Sequence[str] = ()) -> Weights:
    """Return the built-in weights or those of a file, for word features and these models."""
    file = str(path or files("assay.metrics.faithfulness").joinpath(PACKAGED))
    return _weights(file, file_digest(file), tuple(models))


@lru_cache(maxsize=8)
def _weights(path: str, digest: str | None, models: tuple[str, ...]) -> Weights:
    """Read the file; the digest is an argument, so that a changed file is read again."""
    remedy = "Give a file that tools/fit_faithful.py wrote."
    if digest is None:
        raise AssayError(f"faithful:weights={path}: file not found. {remedy}")
    try:
        whole = read_toml(Path(path))
        tables: Any = whole["weights"]
        labels = {str(name): str(label) for name, label in whole.get("models", {}).items()}
        name = combination(models)
        costs = {way: (float(tables[name][way][0]), float(tables[name][way][1])) for way in (*WAYS, *models)}
    except (AssayError, ValueError, KeyError, TypeError, IndexError):
        raise AssayError(f"faithful:weights={path}: no weights for {combination(models)}. {remedy}") from None
    if any(not 0 <= cost <= 10 for pair in costs.values() for cost in pair):
        raise AssayError(f"faithful:weights={path}: costs must be from 0 to 10. {remedy}")
    return Weights(costs, digest_of(sorted(costs.items()))[:12], labels)


def to_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the content of a weights file from its tables by name."""
    return "\n".join(
        "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]) + "\n"
        for name, table in tables.items()
    )


def combination(models: Sequence[str]) -> str:
    """Return the name of the weights for these models in a file."""
    return "+".join(("words", *models))
