"""Published metrics whose weights are not ours to give: named, listed with what is missing, run where it is there."""

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
from assay.metrics.engine.base import MeanMetric
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.encoder_metric import OverModel
from assay.models.context import Context
from assay.records.files import digest_of
from assay.records.items import Items
from assay.specs import setting


@dataclass(frozen=True)
class Adapter(OverModel):
    """One that transformers can read, from a folder or the hub."""

    model: str = ""
    """A folder or hub name."""

    published: ClassVar[str] = ""
    """Where its weights are to be had."""

    def why_not(self) -> str | None:
        if self.model:
            return super().why_not()
        return f"needs weights: pip install 'assay-eval[neural]', then {self.name}:model=PATH ({self.published})"


def class_called(wanted: Sequence[str], model: str, config: Any, count: int, remedy: str) -> int:
    """Where the class that counts stands among a classifier's outputs: by its name, never by habit."""
    names = {str(name).strip().lower(): int(place) for name, place in config.label2id.items()}
    place = next((names[name] for name in wanted if name in names), None)
    if config.num_labels != count or place is None:
        raise AssayError(f"{model}: a classifier of {config.num_labels} classes ({', '.join(names)}); {remedy}")
    return place


@dataclass(frozen=True)
class PackageMetric(MeanMetric):
    """One that only a package of its makers can compute: that package is asked, its version is in the signature."""

    batch: int = setting(8)
    """Items that the package reads together."""

    module: ClassVar[str]
    """What is imported."""
    distribution: ClassVar[str]
    """What is installed."""
    remedy: ClassVar[str]
    """How to get both."""

    def __post_init__(self) -> None:
        self.require("batch", 1)

    def why_not(self) -> str | None:
        if importlib.util.find_spec(self.module) is None:
            return f"needs the package {self.distribution}: {self.remedy}"
        return self.missing_weights()

    def missing_weights(self) -> str | None:
        """What the package would not find; None where it finds its own."""
        return None

    @property
    def package(self) -> str:
        """`name-version`."""
        try:
            return f"{self.distribution}-{version(self.distribution)}"
        except PackageNotFoundError:
            return f"{self.distribution}-missing"

    def signature(self, nrefs: str) -> str:
        head, _, tail = super().signature(nrefs).rpartition("|version:")
        return f"{head}|libraries:{self.package}|version:{tail}"

    def asked(self, items: Items) -> list[dict[str, Any]]:
        """What the package is told of each item."""
        of = zip(items.outputs, items.references, items.sources, strict=True)
        return [{"output": output, "references": list(refs), "source": source} for output, refs, source in of]

    @abstractmethod
    def ask(self, samples: Sequence[Mapping[str, Any]]) -> Floats:
        """The package's numbers: a row for each item, a column for each part."""

    def compute(self, items: Items, context: Context) -> Dense:
        keys = [json.dumps(sample, ensure_ascii=False) for sample in self.asked(items)]
        said = digest_of(self.signature("any"))[:16]
        kept = context.cache.through(f"{self.name}-{said}", keys, lambda new: list(self._checked(new)))
        names = [part.name for part in self.parts()]
        values = np.array(kept, dtype=np.float64).reshape(len(items), len(names))
        return self.rows(dict(zip(names, values.T, strict=True)))

    def _checked(self, keys: list[str]) -> Floats:
        with blaming(f"{self.name}: {self.package} failed", type(self)):
            found = np.asarray(self.ask([json.loads(key) for key in keys]), dtype=np.float64).reshape(len(keys), -1)
        if not np.isfinite(found).all():
            odd = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
            raise AssayError(f"{self.name}: {self.package} gave no number for {keys[odd][:80]}")
        return found
