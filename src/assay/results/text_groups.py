"""Items that share a text: identical references, sources or inputs, and similar ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.records.types import Example
from assay.stats.validation import group_codes
from assay.text.near_duplicates import near_duplicates

SHORTEST = 20
"""Minimum length of a reference, and of any text that is compared for similarity, in characters: items with the same
short answer or label are no copies of each other. Items with the same source are, however short it is."""
SIMILAR = "similar-"


def _references(example: Example) -> str:
    return "\n".join(example.references)


def _input(example: Example) -> str:
    return "" if example.input is None else msgspec.json.encode(example.input, order="sorted").decode()


TEXTS: dict[str, Callable[[Example], str]] = {
    "source": lambda example: example.source or "",
    "input": _input,
    "references": _references,
}
FIELDS = (*TEXTS, f"{SIMILAR}source", f"{SIMILAR}references")
"""Names of groupings by text, which `--cluster` accepts."""


class TextGroups:
    """Groupings of examples by their texts, each computed on first use."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        self._known: dict[str, NDArray[np.int64]] = {}
        self._of: tuple[list[str], dict[str, NDArray[np.int64]]] = ([], {})
        """The items that were asked for last, and their groups: pairs of many systems have the same items."""

    @cached_property
    def _places(self) -> dict[str, int]:
        return {example.id: place for place, example in enumerate(self._examples)}

    def codes(self, field: str, ids: Sequence[str]) -> NDArray[np.int64] | None:
        """Return the number of the group of each item; None if an item is unknown."""
        if field not in self._known:
            self._known[field] = self._grouped(field)
        latest, groups = self._of
        if latest != ids:
            groups = {}
            self._of = (list(ids), groups)
        if field not in groups:
            places = [self._places.get(id, -1) for id in ids]
            if -1 in places:
                return None
            groups[field] = group_codes(self._known[field][places])
        return groups[field]

    def _grouped(self, field: str) -> NDArray[np.int64]:
        """Return for each example the position of the first one with the same text, or with a similar one."""
        text_of = TEXTS[field.removeprefix(SIMILAR)]
        texts = [text_of(example) for example in self._examples]
        shortest = SHORTEST if field.startswith(SIMILAR) or field == "references" else 1
        long = [len(text) >= shortest for text in texts]
        if field.startswith(SIMILAR):
            return near_duplicates([text if enough else "" for text, enough in zip(texts, long, strict=True)])
        return np.array(list(_first_places(texts, long)), dtype=np.int64)


def _first_places(texts: Sequence[str], counted: Sequence[bool]) -> Iterator[int]:
    first: dict[str, int] = {}
    for place, (text, counts) in enumerate(zip(texts, counted, strict=True)):
        yield first.setdefault(text, place) if counts else place
