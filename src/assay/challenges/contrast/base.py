"""What says of every item of a set to which contrast subset it belongs: a tag, or several."""

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
    """The tags it gives, with their values, in words."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    citation: ClassVar[str] = ""

    @abstractmethod
    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        """The tags of every example; none of one that belongs to no subset."""

    def training(self, path: str) -> list[Example]:
        """The examples of the option `train`, which is required."""
        if not path:
            raise AssayError(f"contrast {self.name}: needs training examples to know what is seen; give train=FILE")
        return read_examples(Path(path)).examples


def tagged(contrast: Contrast, examples: Sequence[Example]) -> list[Example]:
    """The examples with the tags that the contrast gives; others stay."""
    with blaming(contrast.name, contrast):
        given = contrast.tags(examples)
    if len(given) != len(examples):
        raise AssayError(f"{contrast.name}: gave tags for {len(given)} of {len(examples)} items; one mapping for each")
    pairs = zip(examples, given, strict=True)
    return [msgspec.structs.replace(one, tags={**one.tags, **tags}) if tags else one for one, tags in pairs]


def each(examples: Sequence[Example], tags: Callable[[Example], Tags]) -> list[Tags]:
    """Tags that depend on single items alone."""
    return [tags(example) for example in examples]


def counts(examples: Sequence[Example], before: Sequence[Example]) -> dict[str, Counter[str]]:
    """How many items have each value of the tags that were not there before."""
    found: dict[str, Counter[str]] = {}
    for now, then in zip(examples, before, strict=True):
        for tag, value in now.tags.items():
            if then.tags.get(tag) != value:
                found.setdefault(tag, Counter())[value] += 1
    return found


def contrast_sets(examples: Sequence[Example], tags: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Ids by tag and value, as GEM writes its contrast sets."""
    found: dict[str, dict[str, list[str]]] = {}
    for tag in tags:
        for example in examples:
            if tag in example.tags:
                found.setdefault(tag, {}).setdefault(example.tags[tag], []).append(example.id)
    return found
