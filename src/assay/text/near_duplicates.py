"""Groups of nearly identical texts, in time linear in the amount of text (MinHash with locality-sensitive hashing)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

WORD = re.compile(r"\w+", re.UNICODE)
BANDS, ROWS = 16, 2
"""Two texts are compared if all hashes of a band agree: 99 % at a similarity of .5, 78 % at .3, 48 % at .2."""
LEAST, SIMILAR = (0.2, 0.3, 0.4, 0.5), 0.5
"""Minimum weighted Jaccard similarity of words. The first of `LEAST` is used with which no group is large; where all
make large groups, texts are compared with `SIMILAR`, by the share of equal hashes."""
COMMON, FREQUENT, FEW = 1 / 3, 1 / 8, 20
"""Words of over a third of the texts do not count, those of at most an eighth count twice; in fewer than `FEW` texts
all count alike, since common words cannot be told from repeated ones."""
LARGE = 10
"""A group with over one in this number of texts is large: texts of few common words form chains."""
FEWEST = 4
"""Smallest weight of common words of similar texts: one or two rare words in common are no sign of one origin."""
MOST, LINKS = 16, 8
"""Texts of one band that a text is compared with, and the most similar ones that are kept, so that texts of few common
words take no quadratic time."""
LONGEST = 200
"""Words of a text that are compared: nearly identical texts begin alike."""


def near_duplicates(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return for each text the position of the first text of its group, its own position if it is alone.

    Case, punctuation and spacing do not count. Texts of one origin of which several words differ are similar in pairs
    only, so groups are joined by any pair. In sets of texts that are all alike this makes chains of most texts; each
    text is then compared with the first members of groups only. Texts without words are alone.
    """
    words = _weighted_words(texts)
    signatures, known = _signatures(words)
    bands = _mixed(signatures.reshape(len(texts), BANDS, ROWS)).sum(axis=2, dtype=np.uint64)
    places = np.flatnonzero(known & _shared(bands, known)).tolist()  # few, in most sets
    links = _links(places, signatures, bands, words)
    for least in LEAST:
        joined = _joined(len(texts), [link[:2] for link in links if link[2] >= least])
        if int(np.bincount(joined, minlength=1).max()) * LARGE <= len(texts):
            return joined
    return _around_first(len(texts), places, signatures, bands)


def _links(
    places: Sequence[int], signatures: NDArray[np.uint64], bands: NDArray[np.uint64], words: _Words
) -> list[tuple[int, int, float]]:
    """Return pairs of texts with their similarity, for each text at most `LINKS` with earlier ones."""
    links = []
    for text, compared, equal in _compared(places, signatures, bands):
        best, own = np.argsort(-equal, kind="stable")[:LINKS], words.of(text)
        for other in (compared[place] for place in best if equal[place] >= 0.75 * LEAST[0]):
            theirs = words.of(other)
            both = len(own & theirs)
            either = len(own) + len(theirs) - both
            if both >= min(FEWEST, either) and both >= LEAST[0] * either:
                links.append((text, other, both / either))
    return links


def _joined(count: int, links: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the first member of the group of each text; a group is connected by links."""
    first = list(range(count))

    def root(text: int) -> int:
        while first[text] != text:
            first[text] = first[first[text]]
            text = first[text]
        return text

    for link in links:
        a, b = root(link[0]), root(link[1])
        first[max(a, b)] = min(a, b)
    return np.array([root(text) for text in range(count)], dtype=np.int64)


def _around_first(
    count: int, places: Sequence[int], signatures: NDArray[np.uint64], bands: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return groups whose members are all similar to the first one."""
    first = np.arange(count)

    def alone(text: int) -> bool:
        return bool(first[text] == text)

    for text, compared, equal in _compared(places, signatures, bands, alone):
        if equal.max() >= SIMILAR:
            first[text] = compared[int(equal.argmax())]
    return first


def _compared(
    places: Sequence[int],
    signatures: NDArray[np.uint64],
    bands: NDArray[np.uint64],
    kept: Callable[[int], bool] = lambda _: True,
) -> Iterator[tuple[int, list[int], NDArray[np.float64]]]:
    """Yield each text with the earlier ones that share a band and the shares of equal hashes.

    Args:
        places: Positions of texts.
        signatures: Hashes of all texts.
        bands: Bands of hashes of all texts.
        kept: Whether later texts are compared with this one, asked after it is yielded.
    """
    members: dict[tuple[int, int], list[int]] = {}
    for text in places:
        keys = list(enumerate(bands[text].tolist()))
        compared = sorted({other for key in keys for other in members.get(key, ())})
        if compared:
            yield text, compared, (signatures[compared] == signatures[text]).mean(axis=1)
        if kept(text):
            for key in keys:
                bucket = members.setdefault(key, [])
                if len(bucket) < MOST:
                    bucket.append(text)


def _shared(bands: NDArray[np.uint64], known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether a text shares any band with another text."""
    shared = np.zeros(len(bands), dtype=bool)
    for column in bands.T:
        _, place, counts = np.unique(np.where(known, column, 0), return_inverse=True, return_counts=True)
        shared |= counts[place] > 1
    return shared


class _Words(NamedTuple):
    """The words of all texts that count, as numbers: two for each rare word. Those of text i start at `starts[i]`."""

    numbers: NDArray[np.uint64]
    starts: NDArray[np.int64]

    def of(self, text: int) -> set[int]:
        return set(self.numbers[self.starts[text] : self.starts[text + 1]].tolist())


def _weighted_words(texts: Sequence[str]) -> _Words:
    """Return the words of each text that count. Common words count only in texts that have no others."""
    seen: dict[str, int] = {}
    flat, sizes = array("I"), np.zeros(len(texts), dtype=np.int64)
    for place, text in enumerate(texts):
        words = {seen.setdefault(word, len(seen)) for word in _words(text)}
        flat.extend(words)
        sizes[place] = len(words)
    numbers, places = np.array(flat, dtype=np.int64), np.repeat(np.arange(len(texts)), sizes)
    counted = np.repeat(np.arange(len(numbers)), _copies(numbers, places, len(texts)))
    second = np.diff(counted, prepend=-1) == 0
    checksums = np.array([2 * crc32(word.encode()) for word in seen], dtype=np.uint64)
    weighted = checksums[numbers[counted]] + second.astype(np.uint64)
    lengths = np.bincount(places[counted], minlength=len(texts))
    return _Words(weighted, np.concatenate([[0], np.cumsum(lengths)]))


def _copies(words: NDArray[np.int64], places: NDArray[np.int64], texts: int) -> NDArray[np.int64]:
    """Return how often each word of each text counts."""
    if texts < FEW:
        return np.ones(len(words), dtype=np.int64)
    shares = np.bincount(words)[words] / texts
    copies = (shares <= COMMON).astype(np.int64) + (shares <= FREQUENT)
    nothing = np.bincount(places, copies, minlength=texts) == 0
    return np.where(nothing[places], 1, copies)


def _signatures(words: _Words) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Return the hashes of each text, one row each, and whether it has words."""
    known = np.diff(words.starts) > 0
    made = np.zeros((len(known), BANDS * ROWS), dtype=np.uint64)
    if not known.any():
        return made, known
    flat, starts = _mixed(words.numbers), words.starts[:-1][known]
    random = np.random.default_rng(0)
    for column in range(BANDS * ROWS):
        made[known, column] = np.minimum.reduceat(_mixed(flat ^ random.integers(0, 1 << 63, dtype=np.uint64)), starts)
    return made, known


def _words(text: str) -> list[str]:
    return WORD.findall(text[: 20 * LONGEST].casefold())[:LONGEST]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values whose bits look random, by xors, shifts and odd factors; checksums of similar words do not."""
    mixed = (values ^ (values >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xD6E8FEB86659FD93)
    return np.asarray(mixed ^ (mixed >> np.uint64(32)), dtype=np.uint64)
