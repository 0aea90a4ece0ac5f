"""Subset rules: assign each item of a set to a contrast subset by one or more tags."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from assay.errors import AssayError, blaming
from assay.records.read import read_examples
from assay.records.types import Example
from assay.specs import WithOptions

Tags = Mapping[str, str]


@dataclass(frozen=True)
class Contrast(WithOptions, ABC):
    """One way to divide a set. The fields of a subclass are its options."""

    noun: ClassVar = "contrast"
    about: ClassVar[str]
    gives: ClassVar[str]
    """The tags it assigns, with their values."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    citation: ClassVar[str] = ""

    @abstractmethod
    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        """Return the tags of every example; none for one in no subset."""

    def training(self, path: str) -> list[Example]:
        """Return the examples of the option `train`, which is required."""
        if not path:
            raise AssayError(f"contrast {self.name}: training examples are required; pass train=FILE")
        return read_examples(Path(path)).examples


def tagged(contrast: Contrast, examples: Sequence[Example]) -> list[Example]:
    """Return the examples with the tags of the rule; other tags stay."""
    with blaming(contrast.name, contrast):
        assigned = contrast.tags(examples)
    if len(assigned) != len(examples):
        raise AssayError(
            f"{contrast.name}: returned tags for {len(assigned)} of {len(examples)} items; one mapping for each"
        )
    pairs = zip(examples, assigned, strict=True)
    return [msgspec.structs.replace(one, tags={**one.tags, **tags}) if tags else one for one, tags in pairs]


def each(examples: Sequence[Example], tags: Callable[[Example], Tags]) -> list[Tags]:
    """Subset rule whose tags depend on single items only."""
    return [tags(example) for example in examples]


def counts(examples: Sequence[Example], before: Sequence[Example]) -> dict[str, Counter[str]]:
    """Count the items with each value of the new tags."""
    counted: dict[str, Counter[str]] = {}
    for now, then in zip(examples, before, strict=True):
        for tag, value in now.tags.items():
            if then.tags.get(tag) != value:
                counted.setdefault(tag, Counter())[value] += 1
    return counted


def contrast_sets(examples: Sequence[Example], tags: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Return ids by tag and value, in the format of GEM's contrast sets."""
    ids: dict[str, dict[str, list[str]]] = {}
    for tag in tags:
        for example in examples:
            if tag in example.tags:
                ids.setdefault(tag, {}).setdefault(example.tags[tag], []).append(example.id)
    return ids
