"""What outputs were judged against, to notice when two results were not judged against the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from assay.records.items import Items
from assay.records.types import Example

Judging = dict[str, object]
"""By what metrics need: what they are given of an example. `language` concerns every metric."""


class ReferenceDigest:
    """The digest of the examples, made when somebody asks for it: results of one program are compared without. Where
    digests differ, the examples themselves tell whether that matters."""

    def __init__(self, items: Items) -> None:
        self._items: Items | None = items
        self._digest = ""
        self._read: Callable[[], Sequence[Example] | None] | None = None

    @staticmethod
    def stored(digest: str, read: Callable[[], Sequence[Example] | None]) -> ReferenceDigest:
        """Of a saved run: `read` gives its examples, or None where they are gone."""
        judged = ReferenceDigest.__new__(ReferenceDigest)
        judged._items, judged._digest, judged._read = None, digest, read
        return judged

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

    def by_id(self) -> dict[str, Judging] | None:
        """What each output was judged against; None where nobody can tell any more."""
        examples = self._items.examples if self._items is not None else self._read and self._read()
        return None if examples is None else dict(_judging(examples))


def _judging(examples: Iterable[Example]) -> Iterable[tuple[str, Judging]]:
    for example in examples:
        yield (
            example.id,
            {
                "references": example.references,
                "sources": example.source,
                "inputs": (example.input, example.tags),
                "language": example.language,
            },
        )
