"""Texts of items in the layout of the kernels: one array of token ids, divided into outputs, references and sources.

Metrics with the same tokenizer share one tokenization, which is cached for the latest items.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.statistics import Tokens
from assay.records.items import Items
from assay.text._kernels.cut import characters
from assay.text._kernels.pieces import pieced
from assay.text._kernels.words import Vocabulary
from assay.text.tokenize import is_word, read

T = TypeVar("T")
SEPARATOR = "\x1e"
"""Separates an output and its references that are stored as one row; every tokenizer treats it as white space."""


@dataclass(frozen=True)
class Layout:
    """Text t is ids[starts[t]:starts[t + 1]]: first the n outputs, then all references, then the n sources."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    first: NDArray[np.int64]
    """The references of item i are the texts n + first[i] to n + first[i + 1]."""
    size: int
    """Upper bound of the token ids (vocabulary size)."""

    @property
    def items(self) -> int:
        """Number of items."""
        return len(self.first) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each text."""
        return np.diff(self.starts)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the text numbers of each output and reference, for every pair."""
        outputs = np.repeat(np.arange(self.items, dtype=np.int64), np.diff(self.first))
        return outputs, self.items + np.arange(self.first[-1], dtype=np.int64)

    def filled(self) -> Layout:
        """Return a layout in which empty texts have one token, the empty word."""
        lengths = self.lengths
        empty = np.flatnonzero(lengths == 0)
        if not len(empty):
            return self
        ids = np.insert(self.ids, self.starts[empty], np.int32(self.size))
        starts = np.concatenate([[0], np.cumsum(np.maximum(lengths, 1))]).astype(np.int64)
        return Layout(ids.astype(np.int32), starts, self.first, self.size + 1)


def references_of(items: Items) -> list[str]:
    """Return the references of all items in one list."""
    return [reference for example in items.examples for reference in example.references]


def first_references(items: Items) -> NDArray[np.int64]:
    """Return where the references of each item begin in `references_of`, and the end of the last."""
    return np.concatenate([[0], np.cumsum(items.reference_counts)]).astype(np.int64)


def words(items: Items, tokenizer: str, lower: bool, sources: bool = False, references: bool = True) -> Layout:
    """Tokenize outputs, references and (optionally) sources."""
    return read_with_words(items, tokenizer, lower, sources, references)[0]


def read_with_words(
    items: Items, tokenizer: str, lower: bool, sources: bool = False, references: bool = True
) -> tuple[Layout, Vocabulary]:
    """Tokenize as `words` does; also return the vocabulary of the ids, which may contain further words."""
    vocabulary, read_already = shared(items, (tokenizer, lower), lambda: (Vocabulary(), dict[str, TokenBlock]()))
    texts: dict[str, Callable[[], Sequence[str]]] = {"outputs": lambda: items.outputs}
    if references:
        texts["references"] = lambda: references_of(items)
    if sources:
        texts["sources"] = lambda: items.sources
    for name, get in texts.items():
        if name not in read_already:
            ids, starts = read(vocabulary, get(), tokenizer, lower)
            read_already[name] = TokenBlock(ids, starts, len(vocabulary))
    parts = [read_already[name] for name in texts]
    ids = np.concatenate([part.ids for part in parts])
    ends = np.cumsum([0, *(len(part.ids) for part in parts)])
    starts = np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))])
    first = first_references(items) if references else np.zeros(len(items) + 1, dtype=np.int64)
    return Layout(ids, starts.astype(np.int64), first, max(part.size for part in parts)), vocabulary


class TokenBlock(NamedTuple):
    """The tokens of all outputs, all references or all sources."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    size: int
    """Vocabulary size after tokenizing these texts."""


def letters(items: Items, lower: bool, spaces: bool) -> Layout:
    """Return the characters of outputs and references, with or without white space."""

    def read_letters() -> Layout:
        texts = [*items.outputs, *references_of(items)]
        codes, starts = characters([text.lower() for text in texts] if lower else texts, spaces)
        return Layout(codes, starts, first_references(items), 0x110000)

    return shared(items, ("letters", lower, spaces), read_letters)


def as_rows(items: Items, tokenizer: str, lower: bool) -> Tokens:
    """Return output and references of each item as one row of tokens, which can be stored and concatenated."""
    layout, vocabulary = read_with_words(items, tokenizer, lower)
    lengths = layout.lengths
    n = layout.items
    owner = np.concatenate([np.arange(n), np.repeat(np.arange(n), np.diff(layout.first))])
    order = np.argsort(owner, kind="stable")
    # every text of an item but the first is preceded by the separator
    inner = order >= n
    sizes = lengths[order] + inner
    before = np.where(inner, np.int32(layout.size), np.int32(-1)).astype(np.int32)
    ids = pieced(layout.ids, layout.starts[:-1][order], lengths[order], before)
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.add.reduceat(sizes, np.flatnonzero(~inner)) if n else [], out=starts[1:])
    return Tokens(ids, starts, (*vocabulary.words()[: layout.size], SEPARATOR))


def from_rows(rows: Tokens) -> Layout:
    """Return the layout of rows made by `as_rows`."""
    try:
        separator = rows.vocabulary.index(SEPARATOR)
    except ValueError:
        separator = -1
    cuts = np.flatnonzero(rows.ids == separator)
    item_of = np.searchsorted(rows.starts, cuts, side="right") - 1
    first = np.concatenate([[0], np.cumsum(np.bincount(item_of, minlength=len(rows)))]).astype(np.int64)
    item_begins = np.concatenate([rows.starts[:-1], cuts + 1])
    # Texts in storage order: by item, the output first. Each text ends where the next begins.
    order = np.lexsort((item_begins, np.concatenate([np.arange(len(rows)), item_of])))
    item_ends = np.empty(len(item_begins), dtype=np.int64)
    item_ends[order] = np.sort(np.concatenate([rows.starts[1:], cuts]))
    lengths = item_ends - item_begins
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = pieced(rows.ids, item_begins, lengths, np.full(len(lengths), -1, dtype=np.int32))
    return Layout(ids, starts, first, len(rows.vocabulary))


_cache: tuple[weakref.ref[Items], dict[Any, Any]] | None = None


def shared(items: Items, key: Any, make: Callable[[], T]) -> T:
    """Return what `make` returns, computed once for the same items; only the latest items are cached."""
    global _cache
    if _cache is None or _cache[0]() is not items:
        _cache = (weakref.ref(items), {})
    values = _cache[1]
    if key not in values:
        values[key] = make()
    value: T = values[key]
    return value


def are_words(vocabulary: Sequence[str]) -> NDArray[np.bool_]:
    """Return which tokens are not single punctuation marks."""
    return np.fromiter(map(is_word, vocabulary), dtype=bool, count=len(vocabulary))


def keep_words(layout: Layout, wanted: NDArray[np.bool_]) -> Layout:
    """Return the layout without the tokens that are not wanted."""
    kept = wanted[layout.ids] if len(wanted) else np.zeros(0, dtype=bool)
    starts = np.concatenate([[0], np.cumsum(kept)])[layout.starts].astype(np.int64)
    return Layout(layout.ids[kept], starts, layout.first, layout.size)


def without_punctuation(items: Items, tokenizer: str) -> Layout:
    """Return the tokens of outputs and references in lower case without punctuation, computed once per set of items."""

    def make() -> Layout:
        layout, vocabulary = read_with_words(items, tokenizer, True)
        return keep_words(layout, are_words(vocabulary.words()))

    return shared(items, ("words only", tokenizer), make)
