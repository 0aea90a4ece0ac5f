"""Published metrics whose weights or package must be installed separately."""

from __future__ import annotations

import importlib.util
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError, blaming
from assay.extras import missing_extra
from assay.metrics.engine.base import MeanMetric
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.context import Context
from assay.records.files import digest_of
from assay.records.items import Items
from assay.specs import setting


@dataclass(frozen=True)
class CheckpointMetric(ModelMetric):
    """A metric whose weights transformers can load."""

    model: str = ""
    """Model folder or Hugging Face name (required)."""

    recommended: ClassVar[str] = ""
    """Where the weights are published."""

    def why_not(self) -> str | None:
        if self.model:
            return super().why_not()
        install = "pip install 'assay-eval[neural]', then give" if missing_extra("neural") else "give"
        return f"needs weights: {install} {self.name}:model=PATH ({self.recommended})"


def class_index(wanted: Sequence[str], model: str, config: Any, count: int, remedy: str) -> int:
    """Return the index of the scored class among a classifier's outputs, found by its label.

    Args:
        wanted: Accepted labels of the class, in order of preference.
        model: Name of the model, for the error.
        config: Its transformers configuration.
        count: Required number of classes.
        remedy: What the error tells the user to do.

    Raises:
        AssayError: If the number of classes differs or no label matches.
    """
    names = {str(name).strip().lower(): int(place) for name, place in config.label2id.items()}
    place = next((names[name] for name in wanted if name in names), None)
    if config.num_labels != count or place is None:
        raise AssayError(f"{model}: a classifier of {config.num_labels} classes ({', '.join(names)}). {remedy}")
    return place


@dataclass(frozen=True)
class PackageMetric(MeanMetric):
    """A metric computed by its authors' package, whose version is part of the signature."""

    batch: int = setting(8)
    """Number of items per batch."""

    module: ClassVar[str]
    """Import name of the package."""
    distribution: ClassVar[str]
    """Name of the package on PyPI."""
    remedy: ClassVar[str]
    """How to install it."""

    def __post_init__(self) -> None:
        self.require("batch", 1)

    def why_not(self) -> str | None:
        if importlib.util.find_spec(self.module) is None:
            return f"needs the package {self.distribution}: {self.remedy}"
        return self.missing_weights()

    def missing_weights(self) -> str | None:
        """Return which weights are missing and how to get them; None where the package finds its own."""
        return None

    @property
    def package(self) -> str:
        """`name-version` of the package."""
        try:
            return f"{self.distribution}-{version(self.distribution)}"
        except PackageNotFoundError:
            return f"{self.distribution}-missing"

    def signature(self, nrefs: str) -> str:
        head, _, tail = super().signature(nrefs).rpartition("|version:")
        return f"{head}|libraries:{self.package}|version:{tail}"

    def samples(self, items: Items) -> list[dict[str, Any]]:
        """Return the data of each item that the package reads."""
        of = zip(items.outputs, items.references, items.sources, strict=True)
        return [{"output": output, "references": list(refs), "source": source} for output, refs, source in of]

    @abstractmethod
    def predict(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the scores of the package: one row per item, one column per part."""

    def compute(self, items: Items, context: Context) -> Dense:
        keys = [json.dumps(sample, ensure_ascii=False) for sample in self.samples(items)]
        digest = digest_of(self.signature("any"))[:16]
        scores = context.cache.through(f"{self.name}-{digest}", keys, lambda new: list(self._checked(new)))
        names = [part.name for part in self.parts()]
        values = np.array(scores, dtype=np.float64).reshape(len(items), len(names))
        return self.rows(dict(zip(names, values.T, strict=True)))

    def _checked(self, keys: list[str]) -> Floats:
        with blaming(f"{self.name}: {self.package} failed", type(self)):
            scores = np.asarray(self.predict([json.loads(key) for key in keys]), dtype=np.float64)
            scores = scores.reshape(len(keys), -1)
        if not np.isfinite(scores).all():
            odd = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
            raise AssayError(f"{self.name}: {self.package} returned no finite score for {keys[odd][:80]}")
        return scores
