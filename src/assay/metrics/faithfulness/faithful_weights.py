"""What each lack costs in `faithful`: read from a file, which says what it was fitted on."""

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
    """Costs by what lacks: of a sentence that is not copied, and of one that is."""

    costs: Mapping[str, tuple[float, float]]
    digest: str
    models: Mapping[str, str]
    """What was asked when they were fitted, by content."""

    def cost(self, way: str, copied: float) -> float:
        """What it costs where all is lacking; a sentence lies between the two kinds."""
        new, same = self.costs[way]
        return new * (1 - copied) + same * copied

    def value(self, lacks: Mapping[str, float], copied: float) -> float:
        """What a sentence is worth, from 0 to 1."""
        return min(1.0, max(0.0, 1 - sum(self.cost(way, copied) * lack for way, lack in lacks.items())))


def read_weights(path: str | None, asked: Sequence[str] = ()) -> Weights:
    """The weights of the package or of a file, for what is asked besides words."""
    place = str(path or files("assay.metrics.faithfulness").joinpath(PACKAGED))
    return _weights(place, file_digest(place), tuple(asked))


@lru_cache(maxsize=8)
def _weights(place: str, digest: str | None, asked: tuple[str, ...]) -> Weights:
    """Known by its content too: a file may change while we run."""
    remedy = "give a file that tools/fit_faithful.py wrote"
    if digest is None:
        raise AssayError(f"faithful:weights={place}: no such file; {remedy}")
    try:
        whole = read_toml(Path(place))
        held: Any = whole["weights"]
        models = {str(name): str(label) for name, label in whole.get("models", {}).items()}
        name = combination(asked)
        costs = {way: (float(held[name][way][0]), float(held[name][way][1])) for way in (*WAYS, *asked)}
    except (AssayError, ValueError, KeyError, TypeError, IndexError):
        raise AssayError(f"faithful:weights={place}: no weights for {combination(asked)} in it; {remedy}") from None
    if any(not 0 <= cost <= 10 for pair in costs.values() for cost in pair):
        raise AssayError(f"faithful:weights={place}: a cost is not from 0 to 10; {remedy}")
    return Weights(costs, digest_of(sorted(costs.items()))[:12], models)


def written(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The content of a file of weights, from its tables by name."""
    return "\n".join(
        "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]) + "\n"
        for name, table in tables.items()
    )


def combination(asked: Sequence[str]) -> str:
    """How a file calls the weights for what is asked."""
    return "+".join(("words", *asked))
