"""A part of a corpus, indexed: its words as numbers, and the suffixes of its sentences in order.

What is needed for a word is eight bytes, besides the texts. A corpus is indexed part by part, so that building takes
the memory of one part, however large it is; on disk a part is a folder of arrays, which are read where they are asked.
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
"""Words of a part."""
LONGEST = 60
"""Words of the longest fragment that is looked for: nobody writes the same sixty words twice by chance."""
UNKNOWN = 0
"""The number of an author of whom nothing is known."""
ARRAYS = ("tokens", "suffixes", "starts", "documents", "authors", "lines")


class Sentence(NamedTuple):
    """A sentence of the corpus: where it is from, and who wrote it, if that is known."""

    text: str
    document: str | None = None
    author: str | None = None

    def numbers(self) -> tuple[int, int]:
        """Document and author by number. A sentence of no document is one of its own; said again it is the same."""
        document = _number(f"d{self.document}" if self.document is not None else f"t{' '.join(self.text.split())}")
        return document, _number(f"a{self.author}") if self.author else UNKNOWN


class Match(NamedTuple):
    """A fragment of a query that stands in the part: its begin and end, and in which sentences."""

    start: int
    end: int
    sentences: NDArray[np.int64]


@dataclass(frozen=True)
class Segment:
    words: Mapping[str, int]
    tokens: NDArray[np.int32]
    """Of all sentences, 0 after each."""
    suffixes: NDArray[np.int32]
    """Where fragments may begin, in the order of what follows."""
    starts: NDArray[np.int64]
    """The first token of each sentence."""
    documents: NDArray[np.int64]
    authors: NDArray[np.int64]
    lines: Sequence[Sentence] | _Lines

    def find(self, query: Sequence[str], longest: int = LONGEST) -> Iterator[Match]:
        """Every fragment of the query (its words as the corpus has them) that stands here."""
        numbers = np.array([self.words.get(word, -1) for word in query], dtype=np.int32)
        ends_well = [not is_special(word) for word in query]
        for start, length, low, high in occurrences(self.tokens, self.suffixes, numbers, longest).tolist():
            if ends_well[start + length - 1]:
                places = self.suffixes[low:high]
                yield Match(start, start + length, np.searchsorted(self.starts, places, side="right") - 1)

    def save(self, folder: Path) -> None:
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
        held = {name: np.load(folder / f"{name}.npy", mmap_mode="c", allow_pickle=False) for name in ARRAYS}
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        lines = _Lines(folder / "sentences.jsonl", held.pop("lines"))
        arrays = {name: np.asarray(array) for name, array in held.items()}
        return Segment({word: i for i, word in enumerate(words, 1)}, **arrays, lines=lines)


class _Lines:
    """The sentences of a saved part, each read where it stands."""

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
    """Parts of about so many words, each with the number of sentences that stood twice in it and were left out."""
    held: dict[tuple[tuple[str, ...], int, int], Sentence] = {}
    words = twice = 0
    for sentence in sentences:
        cut = tuple(fragment_words(sentence.text, lowercase))
        key = (cut, *sentence.numbers())
        twice += key in held
        if cut and key not in held:
            held[key] = sentence
            words += len(cut)
        if words >= size:
            yield _indexed(held), twice
            held, words, twice = {}, 0, 0
    if held:
        yield _indexed(held), twice


def _indexed(held: Mapping[tuple[tuple[str, ...], int, int], Sentence]) -> Segment:
    words: dict[str, int] = {}
    tokens: list[int] = []
    starts = []
    for cut, _, _ in held:
        starts.append(len(tokens))
        tokens += [words.setdefault(word, len(words) + 1) for word in cut]
        tokens.append(0)
    numbers = np.array(tokens, dtype=np.int32)
    special = np.array([True, *(is_special(word) for word in words)])
    order = _sorted_suffixes(numbers, max(len(cut) for cut, _, _ in held))
    return Segment(
        words, numbers, order[~special[numbers[order]]], np.array(starts, dtype=np.int64),
        np.array([document for _, document, _ in held], dtype=np.int64),
        np.array([author for _, _, author in held], dtype=np.int64), list(held.values()),
    )  # fmt: skip


def _sorted_suffixes(tokens: NDArray[np.int32], longest: int) -> NDArray[np.int32]:
    """Places in the order of the words from there on, by doubling; what lies beyond a fragment is no matter."""
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
