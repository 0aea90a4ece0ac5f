"""Tokens to numbers: every different token has one. The tokens of all texts lie in one array.

Tokens are compared by their code points, never by a hash alone.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.assay.text._kernels.cut import Cutter
    from cython.cimports.libc.string import memcpy
else:
    from assay.text._kernels.cut import Cutter

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


_HASHED = cython.declare(cython.ulonglong, 1 << 63)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _code(text: cython.int[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.ulonglong:
    """Up to eight ASCII characters are their own code, a byte each, and nothing else has it. Any other word has a
    hash, marked by the highest bit, which words may share."""
    i: cython.Py_ssize_t
    every: cython.int = 0
    code: cython.ulonglong = 0
    if high - low <= 8:
        for i in range(low, high):
            every |= text[i] | ((text[i] - 1) & 0x80)  # a character of number 0 would be lost among the bytes
            code |= cython.cast(cython.ulonglong, text[i] & 0xFF) << (8 * (i - low))
        if every < 128:
            return code
    prime: cython.ulonglong = 0x100000001B3
    code = 0xCBF29CE484222325
    for i in range(low, high):
        code = ((code ^ text[i]) * prime) & ALL
    return code | _HASHED


_LITTLE = cython.declare(cython.bint, sys.byteorder == "little")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _short_code(bytes_: cython.uchar[::1], low: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.ulonglong:
    """The code of one to eight ASCII characters, read in one piece."""
    code: cython.ulonglong = 0
    memcpy(cython.address(code), cython.address(bytes_[low]), 8)
    return code & (ALL >> (64 - 8 * length))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _first(code: cython.ulonglong) -> cython.ulonglong:
    """The place of a code in an endless table."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    code = (code * factor) & ALL
    return code ^ (code >> 32)


@cython.final
@cython.cclass
class Vocabulary:
    """Every different token with its number, in order of appearance."""

    table: cython.int[::1]
    """Open hash table: 1 + the number of the word in this place, 0 where it is free."""
    codes: cython.ulonglong[::1]
    letters: cython.int[::1]
    """The code points of all words; word w is letters[ends[w]:ends[w + 1]]."""
    ends: cython.longlong[::1]
    size: cython.Py_ssize_t
    used: cython.Py_ssize_t
    cutter: Cutter
    tokens: cython.int[::1]
    count: cython.Py_ssize_t

    def __init__(self) -> None:
        self.table = view(np.zeros(1 << 12, dtype=np.int32))
        self.codes = view(np.zeros(1 << 11, dtype=np.uint64))
        self.letters = view(np.zeros(1 << 13, dtype=np.int32))
        self.ends = view(np.zeros((1 << 11) + 1, dtype=np.int64))
        self.tokens = view(np.zeros(1 << 12, dtype=np.int32))
        self.cutter = Cutter()
        self.size = 0
        self.used = 0
        self.count = 0

    def __len__(self) -> int:
        return self.size

    def words(self) -> list:
        """All words, by number."""
        letters = np.asarray(self.letters)[: self.used]
        joined = letters.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        ends = np.asarray(self.ends)[: self.size + 1].tolist()
        return [joined[low:high] for low, high in pairwise(ends)]

    def read(self, texts: list, rule: cython.int, lower: cython.bint = False, beyond=None, prepare=None):
        """The tokens of each text: an int32 array of numbers, and an int64 array of where each text begins.

        `beyond` cuts the texts that are not ASCII, for rules which the cutter knows for ASCII only. `prepare` changes
        texts that have a line break, an ampersand or an angle bracket before they are cut.
        """
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        begins: cython.longlong[::1] = view(starts)
        number: cython.Py_ssize_t
        before: cython.Py_ssize_t
        known: dict = {}
        text: str
        self.count = 0
        for number in range(len(texts)):
            text = texts[number]
            earlier = known.get(text)
            if earlier is not None:
                before = earlier
                self._repeat(begins[before], begins[before + 1])
            else:
                known[text] = number
                self._take(text, rule, lower, beyond, prepare)
            begins[number + 1] = self.count
        return np.array(self.tokens[: self.count], dtype=np.int32), starts

    def read_cut(self, texts: list, cut):
        """As `read`, with every text cut into words by a function."""
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        self.count = 0
        for number, text in enumerate(texts):
            for word in cut(text):
                self._append(word)
            starts[number + 1] = self.count
        return np.array(self.tokens[: self.count], dtype=np.int32), starts

    def read_lines(self, texts: list, rule: cython.int, lower: cython.bint = False, beyond=None):
        """As `read`, but texts are cut into lines first: tokens, where each line begins, and which line each text
        begins with. Lines without tokens are left out."""
        lines = [0]
        starts = [0]
        known: dict = {}
        text: str
        self.count = 0
        for text in texts:
            earlier = known.get(text)
            if earlier is not None:
                for line in range(earlier[0], earlier[1]):
                    self._repeat(lines[line], lines[line + 1])
                    lines.append(self.count)
            else:
                first = len(lines) - 1
                for piece in text.split("\n"):
                    self._take(piece, rule, lower, beyond, None)
                    if self.count > lines[len(lines) - 1]:
                        lines.append(self.count)
                known[text] = (first, len(lines) - 1)
            starts.append(len(lines) - 1)
        tokens = np.array(self.tokens[: self.count], dtype=np.int32)
        return tokens, np.array(lines, dtype=np.int64), np.array(starts, dtype=np.int64)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take(self, text: str, rule: cython.int, lower: cython.bint, beyond, prepare) -> cython.int:
        """The tokens of one text."""
        if lower:
            text = text.lower()
        if prepare is not None and ("\n" in text or "&" in text or "<" in text):
            text = prepare(text)
        if beyond is not None and not text.isascii():
            for word in beyond(text):
                self._append(word)
            return 0
        self.cutter.cut(text, rule)
        return self._take_tokens()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _append(self, word: str) -> cython.int:
        """Add a token that another tokenizer has found."""
        self.cutter.load(word)
        self.cutter.low[0] = 0
        self.cutter.high[0] = self.cutter.length
        self.cutter.count = 1
        return self._take_tokens()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take_tokens(self) -> cython.int:
        """All tokens of the cutter, numbered."""
        t: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        word: cython.Py_ssize_t
        code: cython.ulonglong
        place: cython.ulonglong
        self._reserve(self.cutter.count)
        text: cython.int[::1] = self.cutter.text
        bytes_: cython.uchar[::1] = self.cutter.bytes
        narrow: cython.bint = self.cutter.narrow and _LITTLE
        lows: cython.int[::1] = self.cutter.low
        highs: cython.int[::1] = self.cutter.high
        tokens: cython.int[::1] = self.tokens
        table: cython.int[::1] = self.table
        codes: cython.ulonglong[::1] = self.codes
        mask: cython.ulonglong = table.shape[0] - 1
        for t in range(self.cutter.count):
            low = lows[t]
            high = highs[t]
            if narrow and 0 < high - low <= 8:
                code = _short_code(bytes_, low, high - low)
            else:
                code = _code(text, low, high)
            place = _first(code) & mask
            word = table[place] - 1
            while word >= 0 and not (codes[word] == code and ((code & _HASHED) == 0 or self._same(word, low, high))):
                place = (place + 1) & mask
                word = table[place] - 1
            if word < 0:
                word = self.size
                table[place] = word + 1
                self._remember(code, low, high)
                table = self.table  # which may have grown
                codes = self.codes
                mask = table.shape[0] - 1
            tokens[self.count + t] = word
        self.count += self.cutter.count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _reserve(self, more: cython.Py_ssize_t) -> cython.int:
        """Reserve memory for more tokens."""
        if self.count + more > self.tokens.shape[0]:
            larger = np.zeros(2 * (self.count + more), dtype=np.int32)
            larger[: self.count] = self.tokens[: self.count]
            self.tokens = view(larger)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _repeat(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """Append tokens that were read before."""
        i: cython.Py_ssize_t
        self._reserve(high - low)
        for i in range(high - low):
            self.tokens[self.count + i] = self.tokens[low + i]
        self.count += high - low
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _same(self, word: cython.Py_ssize_t, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        begin: cython.Py_ssize_t = self.ends[word]
        i: cython.Py_ssize_t
        if self.ends[word + 1] - begin != high - low:
            return False
        for i in range(high - low):
            if self.letters[begin + i] != self.cutter.text[low + i]:
                return False
        return True

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _remember(self, code: cython.ulonglong, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """A word never seen before gets the next number."""
        i: cython.Py_ssize_t
        if self.used + high - low > self.letters.shape[0]:
            letters = np.zeros(2 * (self.used + high - low), dtype=np.int32)
            letters[: self.used] = self.letters[: self.used]
            self.letters = view(letters)
        for i in range(high - low):
            self.letters[self.used + i] = self.cutter.text[low + i]
        self.used += high - low
        self.codes[self.size] = code
        self.ends[self.size + 1] = self.used
        self.size += 1
        if self.size == self.codes.shape[0]:
            self._grow()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        size: cython.Py_ssize_t = self.size
        codes = np.zeros(2 * size, dtype=np.uint64)
        codes[:size] = self.codes
        ends = np.zeros(2 * size + 1, dtype=np.int64)
        ends[: size + 1] = self.ends
        self.codes = view(codes)
        self.ends = view(ends)
        self.table = view(np.zeros(4 * size, dtype=np.int32))
        mask: cython.ulonglong = 4 * size - 1
        place: cython.ulonglong
        word: cython.Py_ssize_t
        for word in range(size):
            place = _first(self.codes[word]) & mask
            while self.table[place] != 0:
                place = (place + 1) & mask
            self.table[place] = word + 1
        return 0
