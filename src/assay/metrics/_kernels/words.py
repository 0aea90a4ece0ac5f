"""Texts to token numbers in one pass: cut a text into tokens by rule, and give every different token a number.

The tokens of all texts lie in one array. Tokens are compared by their code points, never by a hash alone.
"""

from __future__ import annotations

from itertools import pairwise

import cython
import numpy as np

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

ASCII_WORDS = 0
"""Runs of a-z and 0-9; every other character separates."""
SPACES = 1
"""Whatever stands between white space."""
MTEVAL = 2
"""The `13a` rule of mteval and sacrebleu."""
GEM = 3
"""GEM's rule; ASCII only."""
GEM_ASCII = 5
"""GEM's rule, then runs of a-z and 0-9 inside its tokens: what GEM hands to `rouge_score`."""
PEELED = 4
"""White space, then one punctuation mark cut off the end or else the beginning: the words of chrF++."""


def characters(texts: list, spaces: cython.bint):
    """The code points of each text, without white space unless `spaces`: an int32 array, and where each text
    begins. Characters need no numbering: a code point is a number already."""
    total: cython.Py_ssize_t = 0
    text: str
    for text in texts:
        total += len(text)
    codes = np.zeros(total, dtype=np.int32)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    out: cython.int[::1] = view(codes)
    begins: cython.longlong[::1] = view(starts)
    number: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    c: cython.int
    for number in range(len(texts)):
        text = texts[number]
        for i in range(len(text)):
            c = ord(text[i])
            if spaces or not _space(c):
                out[n] = c
                n += 1
        begins[number + 1] = n
    return codes[:n], starts


@cython.final
@cython.cclass
class Vocabulary:
    """Every different token with its number, in order of appearance."""

    table: cython.int[::1]
    """Open hash table: 1 + the number of the word in this place, 0 where it is free."""
    hashes: cython.ulonglong[::1]
    letters: cython.int[::1]
    """The code points of all words; word w is letters[ends[w]:ends[w + 1]]."""
    ends: cython.longlong[::1]
    size: cython.Py_ssize_t
    used: cython.Py_ssize_t
    text: cython.int[::1]
    """The text at hand, as code points."""
    spare: cython.int[::1]
    tokens: cython.int[::1]
    count: cython.Py_ssize_t
    rule: cython.int

    def __init__(self) -> None:
        self.table = view(np.zeros(1 << 12, dtype=np.int32))
        self.hashes = view(np.zeros(1 << 11, dtype=np.uint64))
        self.letters = view(np.zeros(1 << 13, dtype=np.int32))
        self.ends = view(np.zeros((1 << 11) + 1, dtype=np.int64))
        self.text = view(np.zeros(1 << 12, dtype=np.int32))
        self.spare = view(np.zeros(1 << 12, dtype=np.int32))
        self.tokens = view(np.zeros(1 << 12, dtype=np.int32))
        self.size = 0
        self.used = 0
        self.count = 0
        self.rule = 0

    def __len__(self) -> int:
        return self.size

    def words(self) -> list:
        """All words, by number."""
        letters = np.asarray(self.letters)[: self.used]
        joined = letters.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        ends = np.asarray(self.ends)[: self.size + 1].tolist()
        return [joined[low:high] for low, high in pairwise(ends)]

    def read(self, texts: list, rule: cython.int, beyond=None):
        """The tokens of each text: an int32 array of numbers, and an int64 array of where each text begins.

        `beyond` cuts the texts that are not ASCII, for rules which this kernel knows for ASCII only.
        """
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        begins: cython.longlong[::1] = view(starts)
        number: cython.Py_ssize_t
        before: cython.Py_ssize_t
        known: dict = {}
        text: str
        self.count = 0
        self.rule = rule
        for number in range(len(texts)):
            text = texts[number]
            earlier = known.get(text)
            if earlier is not None:
                before = earlier
                self._repeat(begins[before], begins[before + 1])
            else:
                known[text] = number
                if beyond is not None and not text.isascii():
                    for word in beyond(text):
                        self._push(0, self._load(word))
                else:
                    self._cut(0, self._load(text))
            begins[number + 1] = self.count
        return np.array(self.tokens[: self.count], dtype=np.int32), starts

    def read_cut(self, texts: list, cut):
        """As `read`, with every text cut into words by a function."""
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        self.count = 0
        for number, text in enumerate(texts):
            for word in cut(text):
                self._push(0, self._load(word))
            starts[number + 1] = self.count
        return np.array(self.tokens[: self.count], dtype=np.int32), starts

    def read_lines(self, texts: list, rule: cython.int, beyond=None):
        """As `read`, but texts are cut into lines first: tokens, where each line begins, and which line each text
        begins with. Lines without tokens are left out."""
        lines = [0]
        starts = [0]
        known: dict = {}
        text: str
        self.count = 0
        self.rule = rule
        for text in texts:
            earlier = known.get(text)
            if earlier is not None:
                for line in range(earlier[0], earlier[1]):
                    self._repeat(lines[line], lines[line + 1])
                    lines.append(self.count)
            else:
                first = len(lines) - 1
                for piece in text.split("\n"):
                    if beyond is not None and not piece.isascii():
                        for word in beyond(piece):
                            self._push(0, self._load(word))
                    else:
                        self._cut(0, self._load(piece))
                    if self.count > lines[len(lines) - 1]:
                        lines.append(self.count)
                known[text] = (first, len(lines) - 1)
            starts.append(len(lines) - 1)
        tokens = np.array(self.tokens[: self.count], dtype=np.int32)
        return tokens, np.array(lines, dtype=np.int64), np.array(starts, dtype=np.int64)

    @cython.cfunc
    def _load(self, text: str) -> cython.Py_ssize_t:
        """Copy a text into the buffer; its length."""
        length: cython.Py_ssize_t = len(text)
        i: cython.Py_ssize_t
        if self.text.shape[0] < 8 * length + 16:
            self.text = view(np.zeros(16 * length + 32, dtype=np.int32))
            self.spare = view(np.zeros(16 * length + 32, dtype=np.int32))
        for i in range(length):
            self.text[i] = ord(text[i])
        return length

    @cython.cfunc
    def _repeat(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """Append tokens that were read before."""
        i: cython.Py_ssize_t
        for i in range(low, high):
            self._append(self.tokens[i])
        return 0

    @cython.cfunc
    def _append(self, token: cython.int) -> cython.int:
        if self.count == self.tokens.shape[0]:
            larger = np.zeros(2 * self.count, dtype=np.int32)
            larger[: self.count] = self.tokens
            self.tokens = view(larger)
        self.tokens[self.count] = token
        self.count += 1
        return 0

    @cython.cfunc
    def _push(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """One more token: the buffer from low to high."""
        i: cython.Py_ssize_t
        prime: cython.ulonglong = 0x100000001B3
        code: cython.ulonglong = 0xCBF29CE484222325
        for i in range(low, high):
            code = ((code ^ self.text[i]) * prime) & ALL
        code ^= code >> 31
        mask: cython.ulonglong = self.table.shape[0] - 1
        place: cython.ulonglong = code & mask
        word: cython.Py_ssize_t
        while self.table[place] != 0:
            word = self.table[place] - 1
            if self.hashes[word] == code and self._same(word, low, high):
                return self._append(word)
            place = (place + 1) & mask
        self.table[place] = self.size + 1
        return self._append(self._remember(code, low, high))

    @cython.cfunc
    def _same(self, word: cython.Py_ssize_t, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        begin: cython.Py_ssize_t = self.ends[word]
        i: cython.Py_ssize_t
        if self.ends[word + 1] - begin != high - low:
            return False
        for i in range(high - low):
            if self.letters[begin + i] != self.text[low + i]:
                return False
        return True

    @cython.cfunc
    def _remember(self, code: cython.ulonglong, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """A word never seen before gets the next number."""
        i: cython.Py_ssize_t
        number: cython.Py_ssize_t = self.size
        if self.used + high - low > self.letters.shape[0]:
            letters = np.zeros(2 * (self.used + high - low), dtype=np.int32)
            letters[: self.used] = self.letters[: self.used]
            self.letters = view(letters)
        for i in range(low, high):
            self.letters[self.used + i - low] = self.text[i]
        self.used += high - low
        self.hashes[number] = code
        self.ends[number + 1] = self.used
        self.size += 1
        if self.size == self.hashes.shape[0]:
            self._grow()
        return number

    @cython.cfunc
    def _grow(self) -> cython.int:
        size: cython.Py_ssize_t = self.size
        hashes = np.zeros(2 * size, dtype=np.uint64)
        hashes[:size] = self.hashes
        ends = np.zeros(2 * size + 1, dtype=np.int64)
        ends[: size + 1] = self.ends
        self.hashes = view(hashes)
        self.ends = view(ends)
        self.table = view(np.zeros(4 * size, dtype=np.int32))
        mask: cython.ulonglong = 4 * size - 1
        place: cython.ulonglong
        word: cython.Py_ssize_t
        for word in range(size):
            place = self.hashes[word] & mask
            while self.table[place] != 0:
                place = (place + 1) & mask
            self.table[place] = word + 1
        return 0

    @cython.cfunc
    def _cut(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """All tokens of the buffer from low to high, by the rule at hand."""
        if self.rule == ASCII_WORDS:
            return self._ascii_words(low, high)
        if self.rule == GEM or self.rule == GEM_ASCII:
            return self._gem(low, high)
        if self.rule == MTEVAL:
            return self._spaces(0, self._mteval(high))
        return self._spaces(low, high)

    @cython.cfunc
    def _ascii_words(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        i: cython.Py_ssize_t = low
        begin: cython.Py_ssize_t
        while i < high:
            if _alphanumeric(self.text[i]):
                begin = i
                while i < high and _alphanumeric(self.text[i]):
                    i += 1
                self._push(begin, i)
            else:
                i += 1
        return 0

    @cython.cfunc
    def _spaces(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        i: cython.Py_ssize_t = low
        begin: cython.Py_ssize_t
        peel: cython.bint = self.rule == PEELED
        while i < high:
            if _space(self.text[i]):
                i += 1
                continue
            begin = i
            while i < high and not _space(self.text[i]):
                i += 1
            if not peel or i - begin == 1:
                self._push(begin, i)
            elif _punctuation(self.text[i - 1]):
                self._push(begin, i - 1)
                self._push(i - 1, i)
            elif _punctuation(self.text[begin]):
                self._push(begin, begin + 1)
                self._push(begin + 1, i)
            else:
                self._push(begin, i)
        return 0

    @cython.cfunc
    def _mteval(self, length: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Put spaces where `13a` puts them, one substitution after the other as it does; the new length."""
        text: cython.int[::1] = self.text
        spare: cython.int[::1] = self.spare
        n: cython.Py_ssize_t = 0
        m: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        spare[0] = 32
        n = 1
        for i in range(length):  # symbols stand alone
            if _symbol(text[i]):
                spare[n] = 32
                spare[n + 1] = text[i]
                spare[n + 2] = 32
                n += 3
            else:
                spare[n] = text[i]
                n += 1
        spare[n] = 32
        n += 1
        i = 0
        while i < n:  # a full stop or comma after anything but a digit
            text[m] = spare[i]
            m += 1
            i += 1
            if i < n and _stop(spare[i]) and not _digit(spare[i - 1]):
                text[m] = 32
                text[m + 1] = spare[i]
                text[m + 2] = 32
                m += 3
                i += 1
        n = 0
        i = 0
        while i < m:  # a full stop or comma before anything but a digit
            if _stop(text[i]) and i + 1 < m and not _digit(text[i + 1]):
                spare[n] = 32
                spare[n + 1] = text[i]
                spare[n + 2] = 32
                spare[n + 3] = text[i + 1]
                n += 4
                i += 2
            else:
                spare[n] = text[i]
                n += 1
                i += 1
        m = 0
        i = 0
        while i < n:  # a dash after a digit
            text[m] = spare[i]
            m += 1
            i += 1
            if i < n and spare[i] == 45 and _digit(spare[i - 1]):
                text[m] = 32
                text[m + 1] = 45
                text[m + 2] = 32
                m += 3
                i += 1
        return m

    @cython.cfunc
    def _gem(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """Words with inner hyphens, numbers with inner separators, contractions apart, marks alone."""
        i: cython.Py_ssize_t = low
        begin: cython.Py_ssize_t
        length: cython.Py_ssize_t
        c: cython.int
        recut: cython.bint = self.rule == GEM_ASCII
        while i < high:
            c = self.text[i]
            if _space(c):
                i += 1
                continue
            begin = i
            length = self._contraction(i, high)
            if length:
                i += length
            elif _alphanumeric(c):
                i += 1
                while i < high:
                    c = self.text[i]
                    if _alphanumeric(c):
                        if self._contraction(i, high):
                            break
                    elif c == 45 or c == 39 or c == 95:
                        if i + 1 >= high or not _alphanumeric(self.text[i + 1]) or self._contraction(i, high):
                            break
                    elif not (
                        (c == 46 or c == 44 or c == 58 or c == 47)
                        and _digit(self.text[i - 1])
                        and i + 1 < high
                        and _digit(self.text[i + 1])
                    ):
                        break
                    i += 1
            else:
                i += 1
            if recut:
                self._ascii_words(begin, i)
            else:
                self._push(begin, i)
        return 0

    @cython.cfunc
    def _contraction(self, i: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many characters of n't, 's, 'm, 'd, 'll, 're or 've stand here, 0 for none."""
        length: cython.Py_ssize_t = 0
        c: cython.int = self.text[i]
        d: cython.int
        if c == 110:  # n't
            if i + 2 < high and self.text[i + 1] == 39 and self.text[i + 2] == 116:
                length = 3
        elif c == 39 and i + 1 < high:
            c = self.text[i + 1]
            d = self.text[i + 2] if i + 2 < high else 0
            if c == 115 or c == 109 or c == 100:  # s, m, d
                length = 2
            elif (c == 108 and d == 108) or ((c == 114 or c == 118) and d == 101):  # ll, re, ve
                length = 3
        if length and i + length < high and _letter(self.text[i + length]):
            return 0
        return length


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _letter(c: cython.int) -> cython.bint:
    return 97 <= c <= 122 or 65 <= c <= 90


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digit(c: cython.int) -> cython.bint:
    return 48 <= c <= 57


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _alphanumeric(c: cython.int) -> cython.bint:
    return 97 <= c <= 122 or 48 <= c <= 57


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _stop(c: cython.int) -> cython.bint:
    return c == 46 or c == 44


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _symbol(c: cython.int) -> cython.bint:
    """ASCII marks except the apostrophe, the comma, the dash and the full stop."""
    return 123 <= c <= 126 or 91 <= c <= 96 or 33 <= c <= 38 or 40 <= c <= 43 or 58 <= c <= 64 or c == 47


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _punctuation(c: cython.int) -> cython.bint:
    return _symbol(c) or _stop(c) or c == 39 or c == 45


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _space(c: cython.int) -> cython.bint:
    """What `str.split` splits at."""
    if c <= 32:
        return c == 32 or 9 <= c <= 13 or 28 <= c <= 31
    return c >= 0x85 and (
        c == 0x85
        or c == 0xA0
        or c == 0x1680
        or 0x2000 <= c <= 0x200A
        or c == 0x2028
        or c == 0x2029
        or c == 0x202F
        or c == 0x205F
        or c == 0x3000
    )
