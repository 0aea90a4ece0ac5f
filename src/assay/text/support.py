"""Support of the words of a text by its source: English words by their stems, compared in four ways.

- `order`: words in the longest common subsequence with two neighbouring sentences of the source;
- `phrases`: n-grams of four words that occur in the source;
- `near`: neighbouring content words that are near each other somewhere in the source;
- `numbers`: numbers that occur in the source, where `two` and `2`, `1,200` and `1200` are equal.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from assay.text._kernels.porter import stem
from assay.text.english import STOP
from assay.text.sentences import split_sentences

WAYS = ("order", "phrases", "near", "numbers")
RUN = 4
"""Number of words of a phrase."""
SLACK = 3
"""Number of words by which two neighbours can be further apart in the source than in the text."""
LONGEST = 200
"""Largest number of words of a sentence; longer ones are split."""
FEWEST = 3
"""Smallest number of words of a sentence."""
WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:\.[^\W\d_]\b)*")
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "'", "\\": " ", "–": "-", "—": "-"})
"""One character each, so that offsets in a text do not change."""
GLUED = re.compile(r"([a-z0-9)\"'][.!?][\"')]?)(?=[\"'(]?[A-Z])")
"""A sentence that starts directly after a full stop, as in texts extracted from web pages."""
FURNITURE = re.compile(
    r"^\s*(?:Share this with.{0,400}?(?:Close share panel|new window)|Media playback is .{0,40}? device)"
)
SPELLED = {
    word: str(i) for i, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}


class Word(NamedTuple):
    """A word of a text with its offsets and the form by which it is compared."""

    start: int
    end: int
    form: str
    content: bool
    """Whether it is not a function word."""

    @property
    def number(self) -> bool:
        return self.form[0].isdigit()


class Support(NamedTuple):
    """The support of one sentence by a source, from 0 to 1 in each way, and the lack of support of each word.

    `lacks[way][i]` is the contribution of word i to 1 - `shares[way]`."""

    words: tuple[Word, ...]
    shares: dict[str, float]
    lacks: dict[str, list[float]]
    copied: float
    """Share of its trigrams that occur in the source."""
    at: int
    """The first of the two neighbouring source sentences with the longest common subsequence."""


@lru_cache(maxsize=1 << 17)
def form(word: str) -> str:
    """Return the lower-cased stem of a word; for a number, its digits."""
    if word[0].isdigit():
        return word.replace(",", "")
    return SPELLED.get(word) or stem(word)


def words_of(text: str, offset: int = 0) -> list[Word]:
    """Return the words of a text with their offsets."""
    words = []
    for match in WORD.finditer(text.translate(SAME)):
        low = match[0].lower()
        words.append(Word(offset + match.start(), offset + match.end(), form(low), len(low) > 1 and low not in STOP))
    return words


def sentences_of(text: str) -> Iterator[list[Word]]:
    """The sentences of a text, in pieces of bounded length; words keep their places in the text. A piece too short to
    be a sentence (a number cut in two, a stray word) belongs to the one that follows, the last to the one before."""
    plain = text.translate(SAME)
    end, sentences = 0, list[list[Word]]()
    cuts = [0, *(match.end() for match in GLUED.finditer(plain)), len(plain)]
    parts = (plain[low:high] for low, high in pairwise(cuts))
    for sentence in (one for part in parts for one in split_sentences(part, "multilingual", "en")):
        begin = plain.index(sentence, end)
        end = begin + len(sentence)
        words = words_of(sentence, begin)
        if sentences and len(sentences[-1]) < FEWEST:
            sentences[-1] += words
        elif words:
            sentences.append(words)
    if len(sentences) > 1 and len(sentences[-1]) < FEWEST:
        last = sentences.pop()
        sentences[-1] += last
    for words in sentences:
        for low in range(0, len(words), LONGEST):
            yield words[low : low + LONGEST]


class Source:
    """A source, indexed once for all sentences that are compared with it."""

    def __init__(self, text: str) -> None:
        self.text = GLUED.sub(r"\1 ", FURNITURE.sub("", text.translate(SAME)))
        read = list(sentences_of(self.text))
        self.spans = [(words[0].start, words[-1].end) for words in read]
        self.sentences = [[word.form for word in words] for words in read]
        flat = [word for sentence in self.sentences for word in sentence]
        self.runs = {n: set(zip(*(flat[i:] for i in range(n)), strict=False)) for n in range(1, RUN + 1)}
        self.places: dict[str, list[int]] = {}
        for i, word in enumerate(flat):
            self.places.setdefault(word, []).append(i)

    def passage(self, at: int) -> str:
        """Return a sentence of the source and the next one."""
        return self.text[self.spans[at][0] : self.spans[min(at + 1, len(self.spans) - 1)][1]] if self.spans else ""

    def support(self, words: Sequence[Word]) -> Support:
        """Return the support of one sentence by the source."""
        forms = [word.form for word in words]
        known = [word in self.places for word in forms]
        alone = [(not here) / len(forms) for here in known]
        run, copied = min(RUN, len(forms)), self._runs(forms, min(3, len(forms)))
        at, ordered = self._ordered(forms)
        lacks = {
            "order": [(not here) / len(forms) for here in ordered],
            "phrases": _spread(self._runs(forms, run), run, len(forms)),
            "near": self._far(words) or alone,
            "numbers": _numbers(words, known),
        }
        shares = {way: 1 - min(1.0, sum(each)) for way, each in lacks.items()}
        return Support(tuple(words), shares, lacks, sum(copied) / len(copied), at)

    def _runs(self, forms: list[str], n: int) -> list[bool]:
        return [run in self.runs[n] for run in zip(*(forms[i:] for i in range(n)), strict=False)]

    def _ordered(self, forms: list[str]) -> tuple[int, list[bool]]:
        """Return the two neighbouring sentences with the longest common subsequence, and the words in it."""
        bits: dict[str, int] = {}
        for i, word in enumerate(forms):
            bits[word] = bits.get(word, 0) | 1 << i
        shared = [[word for word in sentence if word in bits] for sentence in self.sentences]
        pairs = [one + other for one, other in pairwise([*shared, []])]
        best, length = 0, 0
        for at in sorted(range(len(pairs)), key=lambda i: len(pairs[i]), reverse=True):
            if len(pairs[at]) <= length:
                break
            common = _common(bits, len(forms), pairs[at])
            if common > length:
                best, length = at, common
        return best, _members(forms, pairs[best]) if length else [False] * len(forms)

    def _far(self, words: Sequence[Word]) -> list[float]:
        """Return the lack of each word: half of the share of a pair of neighbours that is nowhere in the source."""
        content = [i for i, word in enumerate(words) if word.content]
        lacks = [0.0] * len(words)
        for i, j in pairwise(content):
            if not self._near(words[i].form, words[j].form, j - i + SLACK):
                for each in (i, j):
                    lacks[each] += 0.5 / (len(content) - 1)
        return lacks if len(content) > 1 else []

    def _near(self, one: str, other: str, reach: int) -> bool:
        ours, theirs = self.places.get(one, []), self.places.get(other, [])
        if one == other:
            return len(ours) == 1 or any(b - a <= reach for a, b in pairwise(ours))
        if len(ours) > len(theirs):
            ours, theirs = theirs, ours
        return any(bisect_right(theirs, at + reach) > bisect_left(theirs, at - reach) for at in ours)


def _spread(hits: list[bool], run: int, size: int) -> list[float]:
    """Return the lack of each word by its n-grams that do not occur in the source."""
    lacks = [0.0] * size
    for i, hit in enumerate(hits):
        if not hit:
            for j in range(i, i + run):
                lacks[j] += 1 / (run * len(hits))
    return lacks


def _numbers(words: Sequence[Word], known: list[bool]) -> list[float]:
    count = sum(word.number for word in words)
    return [(word.number and not here) / max(count, 1) for word, here in zip(words, known, strict=True)]


def _common(bits: dict[str, int], size: int, words: list[str]) -> int:
    """Return the length of the longest common subsequence, by the bit-parallel recurrence."""
    row = full = (1 << size) - 1
    for word in words:
        hit = row & bits[word]
        row = ((row + hit) | (row - hit)) & full
    return size - row.bit_count()


def _members(ours: list[str], theirs: list[str]) -> list[bool]:
    """Return the words in the first longest common subsequence."""
    below = [[0] * (len(theirs) + 1)]
    for word in reversed(ours):
        row = [0] * (len(theirs) + 1)
        last = below[-1]
        for j in range(len(theirs) - 1, -1, -1):
            row[j] = last[j + 1] + 1 if word == theirs[j] else max(row[j + 1], last[j])
        below.append(row)
    below.reverse()
    members, j = [], 0
    for i, word in enumerate(ours):
        while j < len(theirs) and word != theirs[j] and below[i][j + 1] == below[i][j]:
            j += 1
        taken = j < len(theirs) and word == theirs[j]
        members.append(taken)
        j += taken
    return members
