"""Items to score: outputs joined with their examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.records.files import digest_of
from assay.records.lazy_files import LazyExamples
from assay.records.types import FIELDS_OF_NEEDS, Example


class Span(NamedTuple):
    """Consecutive items, from `start` up to `stop`."""

    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.start:08d}-{self.stop:08d}"


@dataclass(frozen=True)
class Items:
    """The outputs of one system and their examples: parallel sequences in the order of the examples.

    For datasets that do not fit in memory these are `LazyRecords` of files; `loaded` reads them into memory.
    """

    outputs: Sequence[str]
    examples: Sequence[Example]
    system: str = "system"
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Notes on how outputs and examples were joined, one sentence each."""
    by_position: bool = field(default=False, compare=False)
    """Whether outputs and examples were joined by position, because one of them has no ids."""
    numbered: bool = field(default=False, compare=False)
    """Whether neither outputs nor examples have ids: items are numbered from 1."""

    treatment: str = ""
    """What was done to the texts before scoring, such as `without-markers-fomc`; part of every signature."""

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def bare(self) -> Sequence[Example]:
        """Return the examples with ids, tags and other metadata; texts may be missing."""
        return self.examples.bare if isinstance(self.examples, LazyExamples) else self.examples

    @property
    def ids(self) -> Sequence[str]:
        if isinstance(self.examples, LazyExamples):
            return self.examples.bare.ids
        return [example.id for example in self.examples]

    @property
    def languages(self) -> list[str | None]:
        """Return the language of each item, None if it is not given."""
        if not isinstance(self.examples, LazyExamples):
            return [example.language for example in self.examples]
        frame = self.examples.bare.frame
        return frame["language"].to_list() if "language" in frame.columns else [None] * len(self)

    @property
    def references(self) -> list[tuple[str, ...]]:
        return [example.references for example in self.examples]

    @property
    def sources(self) -> list[str]:
        return [example.source or "" for example in self.examples]

    @cached_property
    def digest(self) -> str:
        """Digest of the examples."""
        return digest_of(self.examples)

    @cached_property
    def reference_counts(self) -> NDArray[np.int32]:
        if isinstance(self.examples, LazyExamples):
            return self.examples.counts[:, 0]
        return np.array([len(example.references) for example in self.examples], dtype=np.int32)

    def has(self, need: str) -> bool:
        """Return whether every item has what is needed: one of `FIELDS_OF_NEEDS`."""
        if isinstance(self.examples, LazyExamples):
            return bool(self.examples.counts[:, list(FIELDS_OF_NEEDS).index(need)].all())
        attribute = FIELDS_OF_NEEDS[need]
        return all(getattr(example, attribute) not in (None, ()) for example in self.examples)

    def shards(self, size: int) -> Iterator[Items]:
        """Yield parts of at most `size` items. The division does not depend on the number of workers."""
        if len(self) <= size:
            yield self
            return
        for start in range(0, max(len(self), 1), size):
            yield self.part(Span(start, min(start + size, len(self))))

    def part(self, span: Span) -> Items:
        if span == (0, len(self)):
            return self
        cut = slice(*span)
        return replace(self, outputs=self.outputs[cut], examples=self.examples[cut], notes=())

    def loaded(self) -> Items:
        """Return the same items with all texts in memory."""
        if isinstance(self.outputs, tuple) and isinstance(self.examples, tuple):
            return self
        return replace(self, outputs=tuple(self.outputs), examples=tuple(self.examples))
