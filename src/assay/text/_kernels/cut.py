"""Texts cut into tokens by rule: which stretches of a text are tokens, nothing more."""

from __future__ import annotations

import numpy as np

from assay.text._kernels import _kinds
from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
    from cython.cimports.libc.string import memcpy

COMPILED = cython.compiled

ASCII_WORDS = 0
"""Runs of a-z and 0-9; every other character separates."""
SPACES = 1
"""Split at white space."""
MTEVAL = 2
"""The `13a` rule of mteval and sacrebleu."""
GEM = 3
"""GEM's rule; ASCII only."""
PEELED = 4
"""White space, then one punctuation mark cut off the end or else the beginning: the words of chrF++."""
GEM_ASCII = 5
"""GEM's rule, then runs of a-z and 0-9 inside its tokens: what GEM hands to `rouge_score`."""

_LOWER = cython.declare(cython.int, _kinds.LOWER)
_UPPER = cython.declare(cython.int, _kinds.UPPER)
_DIGIT = cython.declare(cython.int, _kinds.DIGIT)
_SPACE = cython.declare(cython.int, _kinds.SPACE)
_STOP = cython.declare(cython.int, _kinds.STOP)
_DASH = cython.declare(cython.int, _kinds.DASH)
_QUOTE = cython.declare(cython.int, _kinds.QUOTE)
_SYMBOL = cython.declare(cython.int, _kinds.SYMBOL)
_TABLE = cython.declare(cython.uchar[::1], view(_kinds.TABLE))
_KNOWN = cython.declare(cython.int, len(_kinds.TABLE))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _kind(c: cython.int) -> cython.int:
    return _TABLE[c] if c < _KNOWN else 0


def characters(texts: list, spaces: cython.bint):
    """The code points of each text, without white space unless `spaces`: an int32 array, and where each text
    begins. Characters need no numbering: a code point is a number already."""
    codes = np.zeros(sum(map(len, texts)), dtype=np.int32)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    out: cython.int[::1] = view(codes)
    begins: cython.longlong[::1] = view(starts)
    text: str
    number: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    c: cython.int
    for number in range(len(texts)):
        text = texts[number]
        for i in range(len(text)):
            c = ord(text[i])
            if spaces or _kind(c) != _SPACE:
                out[n] = c
                n += 1
        begins[number + 1] = n
    return codes[:n], starts


@cython.final
@cython.cclass
class Cutter:
    """The text at hand as code points, the kind of each, and its tokens: token t is text[low[t]:high[t]].

    A text of ASCII characters (but for number 0) is `narrow`: compiled code then has its `bytes`, too.
    """

    def __init__(self) -> None:
        self._reserve(1 << 12)
        self.narrow = False
        self.length = 0
        self.count = 0

    def _reserve(self, size: int) -> None:
        self.text = view(np.zeros(size, dtype=np.int32))
        self.kind = view(np.zeros(size, dtype=np.uint8))
        self.bytes = view(np.zeros(size + 8, dtype=np.uint8))  # eight may be read from where the last token begins
        self.low = view(np.zeros(size, dtype=np.int32))
        self.high = view(np.zeros(size, dtype=np.int32))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def cut(self, text: str, rule: cython.int) -> cython.int:
        """Take a text and find its tokens."""
        self.load(text)
        if rule == ASCII_WORDS:
            self._ascii_words(0, self.length)
        elif rule == GEM or rule == GEM_ASCII:
            self._gem(rule == GEM_ASCII)
        elif rule == MTEVAL:
            self._mteval()
        else:
            self._spaces(rule == PEELED)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load(self, text: str) -> cython.int:
        """Take a text, uncut."""
        i: cython.Py_ssize_t
        c: cython.int
        self.length = len(text)
        self.count = 0
        if self.text.shape[0] <= self.length:
            self._reserve(2 * self.length + 1)
        if cython.compiled:
            width: cython.int = PyUnicode_KIND(text)
            data: cython.p_void = PyUnicode_DATA(text)
            codes: cython.int[::1] = self.text
            kinds: cython.uchar[::1] = self.kind
            table: cython.uchar[::1] = _TABLE
            self.narrow = text.isascii() and "\0" not in text
            if self.narrow:
                bytes_: cython.uchar[::1] = self.bytes
                memcpy(cython.address(bytes_[0]), data, self.length)
                for i in range(self.length):
                    codes[i] = bytes_[i]
                for i in range(self.length):
                    kinds[i] = table[bytes_[i]]
            else:
                for i in range(self.length):
                    c = PyUnicode_READ(width, data, i)
                    codes[i] = c
                    kinds[i] = table[c] if c < _KNOWN else 0
        else:
            for i in range(self.length):
                c = ord(text[i])
                self.text[i] = c
                self.kind[i] = _kind(c)
        self.kind[self.length] = _SPACE  # every rule may look one character ahead
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _add(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        self.low[self.count] = low
        self.high[self.count] = high
        self.count += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _ascii_words(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t = low
        begin: cython.Py_ssize_t
        while i < high:
            if self.kind[i] & (_LOWER | _DIGIT):
                begin = i
                while i < high and self.kind[i] & (_LOWER | _DIGIT):
                    i += 1
                self._add(begin, i)
            else:
                i += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _spaces(self, peel: cython.bint) -> cython.void:
        marks: cython.int = _STOP | _DASH | _QUOTE | _SYMBOL
        i: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        while i < self.length:
            if self.kind[i] == _SPACE:
                i += 1
                continue
            begin = i
            while self.kind[i] != _SPACE:
                i += 1
            if not peel or i - begin == 1:
                self._add(begin, i)
            elif self.kind[i - 1] & marks:
                self._add(begin, i - 1)
                self._add(i - 1, i)
            elif self.kind[begin] & marks:
                self._add(begin, begin + 1)
                self._add(begin + 1, i)
            else:
                self._add(begin, i)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _mteval(self) -> cython.void:
        """`13a` in one pass: symbols are separate, dashes after a digit, stops unless between digits."""
        i: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t = -1  # where the token at hand begins, -1 between tokens
        last: cython.Py_ssize_t
        kind: cython.int
        kinds: cython.uchar[::1] = self.kind
        while i < self.length:
            kind = kinds[i]
            if not kind & (_SPACE | _STOP | _DASH | _SYMBOL):  # most characters: nothing to decide
                if begin < 0:
                    begin = i
                i += 1
                while not kinds[i] & (_SPACE | _STOP | _DASH | _SYMBOL):
                    i += 1
                continue
            if kind == _STOP:
                last = self._stops(i)
                if last < 0:
                    i += 1
                    continue
                if begin >= 0:
                    self._add(begin, i)
                    begin = -1
                while i < last:
                    self._add(i, i + 1)
                    i += 1
                if self.kind[i] == _STOP:  # belongs to the number that follows
                    begin = i
                    i += 1
                continue
            if kind == _SPACE or kind == _SYMBOL or (kind == _DASH and i > 0 and self.kind[i - 1] == _DIGIT):
                if begin >= 0:
                    self._add(begin, i)
                    begin = -1
                if kind != _SPACE:
                    self._add(i, i + 1)
            elif begin < 0:
                begin = i
            i += 1
        if begin >= 0:
            self._add(begin, self.length)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _stops(self, first: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the end of the separate stops that start here; -1 if a single one belongs to the number around it.

        mteval separates the characters before a stop, two characters at a time, and then what follows one. So of a
        run only the last may stay with a digit after it, and only if the pairs do not come out even with it.
        """
        end: cython.Py_ssize_t = first
        while self.kind[end] == _STOP:
            end += 1
        after_digit: cython.bint = first > 0 and self.kind[first - 1] == _DIGIT
        odd: cython.bint = (end - first) % 2 == 1
        if self.kind[end] != _DIGIT or after_digit != odd:
            return end
        return -1 if end - first == 1 else end - 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _gem(self, recut: cython.bint) -> cython.void:
        """Words with inner hyphens, numbers with inner separators, contractions apart, marks alone."""
        word: cython.int = _LOWER | _DIGIT
        i: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        length: cython.Py_ssize_t
        c: cython.int
        while i < self.length:
            if self.kind[i] == _SPACE:
                i += 1
                continue
            begin = i
            length = self._contraction(i)
            if length:
                i += length
            elif self.kind[i] & word:
                i += 1
                while i < self.length:
                    c = self.text[i]
                    if self.kind[i] & word:
                        if self._contraction(i):
                            break
                    elif c == 45 or c == 39 or c == 95:
                        if not self.kind[i + 1] & word or self._contraction(i):
                            break
                    elif not (
                        (c == 46 or c == 44 or c == 58 or c == 47)
                        and self.kind[i - 1] == _DIGIT
                        and self.kind[i + 1] == _DIGIT
                    ):
                        break
                    i += 1
            else:
                i += 1
            if recut:
                self._ascii_words(begin, i)
            else:
                self._add(begin, i)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _contraction(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the number of characters of n't, 's, 'm, 'd, 'll, 're or 've here, 0 for none."""
        length: cython.Py_ssize_t = 0
        c: cython.int = self.text[i]
        d: cython.int
        if c == 110:  # n't
            if i + 2 < self.length and self.text[i + 1] == 39 and self.text[i + 2] == 116:
                length = 3
        elif c == 39 and i + 1 < self.length:
            c = self.text[i + 1]
            d = self.text[i + 2] if i + 2 < self.length else 0
            if c == 115 or c == 109 or c == 100:  # s, m, d
                length = 2
            elif (c == 108 and d == 108) or ((c == 114 or c == 118) and d == 101):  # ll, re, ve
                length = 3
        if length and self.kind[i + length] & (_LOWER | _UPPER):
            return 0
        return length
