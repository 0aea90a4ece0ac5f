"""The paraphrase table of METEOR as sorted hashes, made once and kept in the cache folder.

The table has millions of entries in a compressed text file, which takes seconds to read; its hashes are mapped. A
phrase is found by a hash of 64 bits: that two different pairs of phrases are taken for each other in a run is less
probable than an error of the memory.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics._kernels.phrases import LONGEST, line_hashes
from assay.models.code_digest import large_digest
from assay.records.cache_folder import cache_home, cache_limit

CHUNK = 1 << 24
"""Number of bytes of a table that are read at once."""
FORM = 1
"""Version of the files."""
Hashes = NDArray[np.uint64]


class Paraphrases(NamedTuple):
    """Phrases, and for each of them its paraphrases in the order of the table."""

    keys: Hashes
    """Hashes of the phrases, sorted."""
    starts: NDArray[np.int64]
    """Where the paraphrases of each phrase start, and the end."""
    seconds: Hashes
    lengths: NDArray[np.int32]
    """Hash and number of words of each paraphrase."""

    def among(self, occurring: Hashes) -> Paraphrases:
        """Return the entries both sides of which occur, given sorted hashes."""
        places = np.searchsorted(self.keys, occurring)
        places = places[places < len(self.keys)]
        places = places[np.isin(self.keys[places], occurring, assume_unique=True)]
        counts = self.starts[places + 1] - self.starts[places]
        first = np.repeat(self.starts[places] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        entries = (first + np.arange(len(first))).astype(np.int64)
        seconds, owners = self.seconds[entries], np.repeat(np.arange(len(places)), counts)
        kept = occurring[np.minimum(np.searchsorted(occurring, seconds), len(occurring) - 1)] == seconds
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners[kept], minlength=len(places)))])
        return Paraphrases(
            np.array(self.keys[places]), starts.astype(np.int64), seconds[kept], np.array(self.lengths[entries[kept]])
        )


def hashed(words: Sequence[str]) -> Hashes:
    """Return the hash of each word."""
    text = "\n".join(words).encode("utf-8", "surrogatepass")
    return line_hashes(np.frombuffer(bytearray(text), dtype=np.uint8), len(words))[0]


@lru_cache(maxsize=1)
def paraphrases(path: Path) -> Paraphrases:
    """Return the table of a file, from the cache folder where possible."""
    folder = cache_home() / "models" / f"meteor-{FORM}-{large_digest(path)}"
    try:
        return _mapped(folder)
    except (OSError, ValueError):  # not made yet, or damaged
        table = _read(path)
    if cache_limit():
        _store(table, folder)
    return table


def _mapped(folder: Path) -> Paraphrases:
    table = Paraphrases(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in Paraphrases._fields))
    if len(table.starts) != len(table.keys) + 1 or not len(table.seconds) == len(table.lengths) == table.starts[-1]:
        raise ValueError("damaged")
    return table


def _store(table: Paraphrases, folder: Path) -> None:
    """Write the files to another folder and rename it. If that fails the table is read again next time."""
    new = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for name, array in table._asdict().items():
            np.save(new / f"{name}.npy", array)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(new, folder)  # noqa: PTH105
    except OSError:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)


def _read(path: Path) -> Paraphrases:
    firsts, seconds, lengths = [], [], []
    for hashes, words in _entries(path):
        firsts.append(hashes[1::3])
        seconds.append(hashes[2::3])
        lengths.append(words[2::3])
    if not firsts:
        none = np.zeros(0, dtype=np.uint64)
        return Paraphrases(none, np.zeros(1, dtype=np.int64), none, np.zeros(0, dtype=np.int32))
    first, second, length = np.concatenate(firsts), np.concatenate(seconds), np.concatenate(lengths)
    order = np.argsort(first, kind="stable")
    order = order[(length[order] > 0) & (length[order] <= LONGEST)]
    keys, starts = np.unique(first[order], return_index=True)
    return Paraphrases(keys, np.append(starts, len(order)).astype(np.int64), second[order], length[order])


def _entries(path: Path) -> Iterator[tuple[Hashes, NDArray[np.int32]]]:
    """Yield hashes and numbers of words of the lines of many entries; an entry is three lines: probability and the two
    phrases."""
    rest = b""
    try:
        with gzip.open(path) as stream:
            while True:
                piece = stream.read(CHUNK)
                text = rest + piece if piece else rest if rest.endswith(b"\n") or not rest else rest + b"\n"
                whole = text.count(b"\n") // 3 * 3
                end = _end_of_line(text, whole)
                rest = text[end:]
                if whole:
                    yield line_hashes(np.frombuffer(bytearray(text[:end]), dtype=np.uint8), whole)
                if not piece:
                    return
    except (OSError, EOFError) as error:
        raise AssayError(f"{path}: cannot be read as a paraphrase table ({error})") from None


def _end_of_line(text: bytes, lines: int) -> int:
    """Return where the first N lines end: all but at most two of those that are complete."""
    end = text.rfind(b"\n") + 1
    for _ in range(text.count(b"\n") - lines):
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end if lines else 0
