"""A digest of references, sources and inputs, to detect results that were scored against different texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from assay.records.items import Items
from assay.records.types import Example
from assay.results.text_groups import TextGroups

ScoredAgainst = dict[str, object]
"""The texts of an example by kind of input (`references`, `sources`, `inputs`), and its `language`."""


class ReferenceDigest:
    """A digest of the examples, computed on first use. If two digests differ, the examples show what differs."""

    def __init__(self, items: Items) -> None:
        self._items: Items | None = items
        self._digest = ""
        self._read: Callable[[], Sequence[Example] | None] | None = None

    @staticmethod
    def stored(digest: str, read: Callable[[], Sequence[Example] | None]) -> ReferenceDigest:
        """Return the digest of a saved run; `read` returns its examples, or None if they are lost."""
        made = ReferenceDigest.__new__(ReferenceDigest)
        made._items, made._digest, made._read = None, digest, read
        return made

    def __str__(self) -> str:
        return self._digest if self._items is None else self._items.digest

    def __bool__(self) -> bool:
        return self._items is not None or bool(self._digest)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReferenceDigest) and self._items is not None and other._items is not None:
            mine, theirs = self._items.examples, other._items.examples
            if isinstance(mine, tuple) and isinstance(theirs, tuple):
                return mine == theirs
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def _examples(self) -> Sequence[Example] | None:
        return self._items.examples if self._items is not None else self._read and self._read()

    def by_id(self) -> dict[str, ScoredAgainst] | None:
        """Return the texts that each output was scored against; None if they are lost."""
        examples = self._examples()
        return None if examples is None else dict(_scored_against(examples))

    @cached_property
    def text_groups(self) -> TextGroups | None:
        """Items with identical or similar texts; None if the texts are lost or too large to be read at once."""
        examples = self._examples()
        return TextGroups(examples) if isinstance(examples, tuple | list) else None


def _scored_against(examples: Iterable[Example]) -> Iterable[tuple[str, ScoredAgainst]]:
    for example in examples:
        yield (
            example.id,
            {
                "references": example.references,
                "sources": example.source,
                "inputs": (example.input, example.tags),
                "contexts": example.contexts,
                "messages": example.messages,
                "expected": example.expected,
                "language": example.language,
            },
        )
