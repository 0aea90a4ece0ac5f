"""Training frequency of the parts of an input, from all common to all unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags
from assay.errors import AssayError
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, Concepts, Slots, Triples
from assay.records.types import Example
from assay.text.tokenize import unicode_words


@dataclass(frozen=True)
class Frequency(Contrast):
    """Parts are predicates, slots with values, acts with slots, concepts, or otherwise words of the source."""

    train: str = ""
    """Training examples of the systems."""
    common: int = 10
    """Minimum number of training inputs for a part to be common."""

    name: ClassVar = "frequency"
    about: ClassVar = "how often the parts of an input occur in training"
    gives: ClassVar = "frequency: all_common, some_rare (all were seen), some_unseen, all_unseen"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def __post_init__(self) -> None:
        self.require("common", 2)

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        met = Counter(part for example in self.training(self.train) for part in parts_of(example))
        return [self._level([met[part] for part in sorted(parts_of(example))]) for example in examples]

    def _level(self, times: list[int]) -> Tags:
        if not times:
            return {}
        if not any(times):
            return {"frequency": "all_unseen"}
        if not all(times):
            return {"frequency": "some_unseen"}
        return {"frequency": "all_common" if min(times) >= self.common else "some_rare"}


def parts_of(example: Example) -> set[str]:
    """Return the parts of an input as texts."""
    kind = kind_of(example)
    if kind == "triples":
        return {triple.predicate for triple in read_input(example, Triples).triples}
    if kind == "slots":
        return {f"{slot}={value}" for slot, value in read_input(example, Slots).slots}
    if kind == "acts":
        return {f"{act.act}({act.slot or ''})" for act in read_input(example, Acts).acts}
    if kind == "concepts":
        return set(read_input(example, Concepts).concepts)
    if example.source is None:
        raise AssayError(
            f"id {example.id}: has neither triples, slots, acts or concepts nor a source to count parts of"
        )
    return set(unicode_words(example.source.lower()))
