"""A suffix array over one part of a corpus.

An index needs eight bytes per word in addition to the texts. A corpus is indexed part by part, so building an index
takes the memory of one part. On disk a part is a folder of arrays, which are memory-mapped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels.suffixes import occurrences
from assay.text.fragments import fragment_words, is_special

WORDS = 1 << 20
"""Number of words per part."""
LONGEST = 60
"""Maximum number of words of a fragment: sixty equal words in a row are never a coincidence."""
UNKNOWN = 0
"""Number of an unknown author."""
ARRAYS = ("tokens", "suffixes", "starts", "documents", "authors", "lines")


class Sentence(NamedTuple):
    """A sentence of the corpus, with its document and author if they are known."""

    text: str
    document: str | None = None
    author: str | None = None

    def numbers(self) -> tuple[int, int]:
        """Return the numbers of document and author. A sentence without a document is its own document; equal sentences
        without documents have the same number."""
        document = _number(f"d{self.document}" if self.document is not None else f"t{' '.join(self.text.split())}")
        return document, _number(f"a{self.author}") if self.author else UNKNOWN


class Match(NamedTuple):
    """A fragment of a query that occurs in the part: start, end, and the sentences that contain it."""

    start: int
    end: int
    sentences: NDArray[np.int64]


@dataclass(frozen=True)
class Segment:
    """One part of a corpus with its suffix array."""

    words: Mapping[str, int]
    """Word to token id."""
    tokens: NDArray[np.int32]
    """Tokens of all sentences, with a 0 after each."""
    suffixes: NDArray[np.int32]
    """Positions where a fragment may begin, sorted by the words that follow."""
    starts: NDArray[np.int64]
    """The first token of each sentence."""
    documents: NDArray[np.int64]
    authors: NDArray[np.int64]
    lines: Sequence[Sentence] | _Lines

    def find(self, query: Sequence[str], longest: int = LONGEST) -> Iterator[Match]:
        """Yield every fragment of the query (words normalised like the corpus) that occurs in this part."""
        numbers = np.array([self.words.get(word, -1) for word in query], dtype=np.int32)
        ends_well = [not is_special(word) for word in query]
        for start, length, low, high in occurrences(self.tokens, self.suffixes, numbers, longest).tolist():
            if ends_well[start + length - 1]:
                places = self.suffixes[low:high]
                yield Match(start, start + length, np.searchsorted(self.starts, places, side="right") - 1)

    def save(self, folder: Path) -> None:
        """Write the part to a new folder."""
        folder.mkdir(parents=True)
        offsets = [0]
        with (folder / "sentences.jsonl").open("wb") as stream:
            for line in self.lines:
                offsets.append(offsets[-1] + stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n"))
        for name in ARRAYS[:-1]:
            np.save(folder / f"{name}.npy", getattr(self, name))
        np.save(folder / "lines.npy", np.array(offsets, dtype=np.int64))
        (folder / "words.json").write_text(json.dumps(list(self.words), ensure_ascii=False), encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> Segment:
        """Open a saved part; its arrays are memory-mapped."""
        mapped = {name: np.load(folder / f"{name}.npy", mmap_mode="c", allow_pickle=False) for name in ARRAYS}
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        lines = _Lines(folder / "sentences.jsonl", mapped.pop("lines"))
        arrays = {name: np.asarray(array) for name, array in mapped.items()}
        return Segment({word: i for i, word in enumerate(words, 1)}, **arrays, lines=lines)


class _Lines:
    """The sentences of a saved part, each read from disk on access."""

    def __init__(self, path: Path, offsets: NDArray[np.int64]) -> None:
        self.path, self.offsets = path, offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> Sentence:
        with self.path.open("rb") as stream:
            stream.seek(int(self.offsets[i]))
            return Sentence(*json.loads(stream.readline()))

    def __iter__(self) -> Iterator[Sentence]:
        return (self[i] for i in range(len(self)))


def segments(sentences: Iterable[Sentence], lowercase: bool, size: int = WORDS) -> Iterator[tuple[Segment, int]]:
    """Yield parts of about `size` words, each with the number of duplicate sentences that were omitted."""
    unique: dict[tuple[tuple[str, ...], int, int], Sentence] = {}
    words = duplicates = 0
    for sentence in sentences:
        cut = tuple(fragment_words(sentence.text, lowercase))
        key = (cut, *sentence.numbers())
        duplicates += key in unique
        if cut and key not in unique:
            unique[key] = sentence
            words += len(cut)
        if words >= size:
            yield _indexed(unique), duplicates
            unique, words, duplicates = {}, 0, 0
    if unique:
        yield _indexed(unique), duplicates


def _indexed(sentences: Mapping[tuple[tuple[str, ...], int, int], Sentence]) -> Segment:
    words: dict[str, int] = {}
    tokens: list[int] = []
    starts = []
    for cut, _, _ in sentences:
        starts.append(len(tokens))
        tokens += [words.setdefault(word, len(words) + 1) for word in cut]
        tokens.append(0)
    numbers = np.array(tokens, dtype=np.int32)
    special = np.array([True, *(is_special(word) for word in words)])
    order = _sorted_suffixes(numbers, max(len(cut) for cut, _, _ in sentences))
    return Segment(
        words, numbers, order[~special[numbers[order]]], np.array(starts, dtype=np.int64),
        np.array([document for _, document, _ in sentences], dtype=np.int64),
        np.array([author for _, _, author in sentences], dtype=np.int64), list(sentences.values()),
    )  # fmt: skip


def _sorted_suffixes(tokens: NDArray[np.int32], longest: int) -> NDArray[np.int32]:
    """Return positions sorted by the words that follow, by prefix doubling up to the longest fragment."""
    ranks = tokens.astype(np.int64)
    known, highest = 1, int(ranks.max(initial=0)) + 1
    while True:
        after = np.zeros_like(ranks)
        after[:-known] = ranks[known:]
        keys = ranks * highest + after
        order = np.argsort(keys, kind="stable")
        sorted_keys = keys[order]
        fresh = np.concatenate([[0], np.cumsum(sorted_keys[1:] != sorted_keys[:-1])])
        known *= 2
        if known >= min(longest, LONGEST) or fresh[-1] == len(tokens) - 1:
            return order.astype(np.int32)
        ranks = np.empty_like(ranks)
        ranks[order] = fresh + 1
        highest = int(fresh[-1]) + 2


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
