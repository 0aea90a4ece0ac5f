"""Texts of single items in one file: each is read alone, in microseconds, by many threads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from weakref import finalize

import msgspec
import numpy as np
from msgspec import Struct


class ItemTexts(Struct, frozen=True, array_like=True):
    """Texts of one item: the example, and the outputs in the order of systems."""

    source: str | None
    input: str | None
    """Structured input as JSON."""
    references: tuple[str, ...]
    outputs: tuple[str | None, ...]
    more: str | None = None
    """Chat, contexts and expected answer as JSON."""


class StoredTexts:
    """Texts by the position of their item. Only their offsets are kept in memory."""

    def __init__(self, path: Path, items: Iterable[ItemTexts]) -> None:
        encoder = msgspec.msgpack.Encoder()
        starts = [0]
        with path.open("wb") as stream:
            for item in items:
                stream.write(data := encoder.encode(item))
                starts.append(starts[-1] + len(data))
        self._starts = np.array(starts, dtype=np.int64)
        self._decode = msgspec.msgpack.Decoder(ItemTexts).decode
        self._file = os.open(path, os.O_RDONLY)
        finalize(self, os.close, self._file)

    def __getitem__(self, place: int) -> ItemTexts:
        low, high = self._starts[place : place + 2].tolist()
        return self._decode(os.pread(self._file, high - low, low))
