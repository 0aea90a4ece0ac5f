"""Items that share a text: references, sources, inputs or similar ones, a context, a conversation, or part of an id."""

from __future__ import annotations

import re
from collections import Counter
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
CONTEXTS, MESSAGES, ID_PREFIX = "contexts", "messages", "id-prefix"
FIELDS = (*TEXTS, CONTEXTS, MESSAGES, f"{SIMILAR}source", f"{SIMILAR}references", ID_PREFIX)
"""Names of groupings by text, which `--cluster` accepts."""
EVERYWHERE = 1 / 3
"""Share of items from which a context that they have is no sign of one origin."""
BEGINNING = 2
"""Messages that identify a conversation, e.g. the instructions with a document, or the first question and answer."""
PREFIX = re.compile(r"(.*[^\W_])[\W_]+(?:\d+|[A-Za-z])|(.*\d)[A-Za-z]")
"""Ids that end in a number or a letter of their own, such as `doc12_3`, `12-4` or `12b`."""
FEWEST_PREFIXES = 10
"""Beginnings of ids below which they are names of splits or sources: intervals need as many clusters."""


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
        if field == CONTEXTS:
            return _first_of(_main_contexts(self._examples))
        if field == MESSAGES:
            return _first_of(_beginnings(self._examples))
        text_of = TEXTS[field.removeprefix(SIMILAR)]
        texts = [text_of(example) for example in self._examples]
        shortest = SHORTEST if field.startswith(SIMILAR) or field == "references" else 1
        long = [len(text) >= shortest for text in texts]
        if field.startswith(SIMILAR):
            return near_duplicates([text if enough else "" for text, enough in zip(texts, long, strict=True)])
        return np.array(list(_first_places(texts, long)), dtype=np.int64)


def by_id(ids: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the group of each item by the beginning of its id; None if ids say too little."""
    matches = [PREFIX.fullmatch(id) for id in ids]
    keys = [each and (each[1] or each[2]) for each in matches]
    return group_codes(_first_of(keys)) if len({*keys} - {None}) >= FEWEST_PREFIXES else None


def _main_contexts(examples: Sequence[Example]) -> list[str | None]:
    """Return for each example the one of its contexts that most examples have: questions about a document share it,
    whatever else was retrieved for them. Contexts of a third of all examples do not count."""
    own = [list(dict.fromkeys(context.text for context in each.contexts if context.text)) for each in examples]
    times = Counter(text for texts in own for text in texts)
    some = ([text for text in texts if times[text] <= EVERYWHERE * len(examples)] for texts in own)
    return [max(texts, key=lambda text: times[text], default=None) for texts in some]


def _beginnings(examples: Sequence[Example]) -> list[tuple[str, ...] | None]:
    """Return for each example how its chat begins, without its last message, which differs from item to item. Where
    some chats go on after the same beginning in different ways, it is an instruction for all and identifies none."""
    chats = [tuple(message.content for message in each.messages[:-1][:BEGINNING]) for each in examples]
    continued = {chat[:length] for chat in chats for length in range(len(chat))}
    return [chat if chat and chat not in continued else None for chat in chats]


def _first_of(keys: Sequence[object]) -> NDArray[np.int64]:
    """Return for each key the position of the first equal one; None is equal to nothing."""
    first: dict[object, int] = {}
    places = (place if key is None else first.setdefault(key, place) for place, key in enumerate(keys))
    return np.fromiter(places, dtype=np.int64, count=len(keys))


def _first_places(texts: Sequence[str], counted: Sequence[bool]) -> Iterator[int]:
    first: dict[str, int] = {}
    for place, (text, counts) in enumerate(zip(texts, counted, strict=True)):
        yield first.setdefault(text, place) if counts else place
