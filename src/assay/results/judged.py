"""What outputs were judged against, to notice when two results were not judged against the same."""

from __future__ import annotations

from functools import cached_property

from assay.records import Example, digest_of


class Judged:
    """The digest of examples, made when somebody asks for it: results of one program are compared without."""

    def __init__(self, examples: tuple[Example, ...]) -> None:
        self._examples = examples

    @cached_property
    def _digest(self) -> str:
        return digest_of(self._examples)

    def __str__(self) -> str:
        return self._digest

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Judged):
            return self._examples == other._examples
        return self._digest == other

    def __hash__(self) -> int:
        return hash(self._digest)
