"""Outputs with their examples, joined: what is scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.records.files import digest_of
from assay.records.lazy_files import LazyExamples
from assay.records.types import Example


@dataclass(frozen=True)
class Items:
    """The outputs of one system with their examples, in the order of the examples; parallel sequences.

    They may be `LazyRecords` of files, for sets that do not fit in memory; `loaded` brings them in.
    """

    outputs: Sequence[str]
    examples: Sequence[Example]
    system: str = "system"
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a person should know about how the items came together; one sentence each."""

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def bare(self) -> Sequence[Example]:
        """The examples for what is known of them besides their texts (which may be missing here)."""
        return self.examples.bare if isinstance(self.examples, LazyExamples) else self.examples

    @property
    def ids(self) -> Sequence[str]:
        if isinstance(self.examples, LazyExamples):
            return self.examples.bare.ids
        return [example.id for example in self.examples]

    @property
    def languages(self) -> list[str | None]:
        """What is said of the language of each item."""
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
        """Of what the outputs are judged against."""
        return digest_of(self.examples)

    @cached_property
    def reference_counts(self) -> NDArray[np.int32]:
        if isinstance(self.examples, LazyExamples):
            return self.examples.counts[:, 0]
        return np.array([len(example.references) for example in self.examples], dtype=np.int32)

    def has(self, need: str) -> bool:
        """Whether every item has `references`, a `source` or an `input`."""
        if need == "references":
            return bool(self.reference_counts.all())
        if isinstance(self.examples, LazyExamples):
            return bool(self.examples.counts[:, 1 if need == "sources" else 2].all())
        attribute = {"sources": "source", "inputs": "input"}.get(need, need)
        return all(getattr(example, attribute) is not None for example in self.examples)

    def shards(self, size: int) -> Iterator[Items]:
        """Cuts of at most `size` items; how work is divided never depends on how many workers there are."""
        if len(self) <= size:
            yield self
            return
        for start in range(0, max(len(self), 1), size):
            cut = slice(start, start + size)
            yield replace(self, outputs=self.outputs[cut], examples=self.examples[cut], notes=())

    def loaded(self) -> Items:
        """The same with all texts in memory."""
        if isinstance(self.outputs, tuple) and isinstance(self.examples, tuple):
            return self
        return replace(self, outputs=tuple(self.outputs), examples=tuple(self.examples))
