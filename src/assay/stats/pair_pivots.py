"""Pivots of the differences of many pairs of systems on very many units, from the same resamples.

Each resample takes the sum of what every system's units contribute, and the sum of every pair's squared differences: a
matrix product with a column for each. They are rounded to whole numbers of 40 bits beforehand, a stretch of which
double precision adds without rounding. So the sums are the same in whatever order they are made, by however many
threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.stats.pivot import Pivot, pivots_from
from assay.stats.resample import Resamples
from assay.stats.threads import map_in_order

Values = NDArray[np.float64]
Counts = NDArray[np.unsignedinteger[Any]]
Pair = tuple[int, int]

STRETCH = 4096
"""Units that are multiplied at once."""
BITS = 40
"""Of a number that is added. 13 of 53 are left for a stretch, whose units are drawn about once each; if they were drawn
twice each on average, which is 64 standard deviations away, a last bit would be rounded."""
ROWS = 1024
"""Resamples that are multiplied at once: squares are made anew for each so many;"""
CELLS = 200_000_000
"""fewer where the units are so many that their draws would take more room than this."""
CLOSE = 1e-13
"""What rounding may change in a variance, as a share of it,"""
FEW = 16
"""even of one without so many of the largest: some resamples have none of them."""
NEAR = 32
"""Pairs whose squares are made at once, in the processor's own memory."""


def studentized_pairs(
    columns: Sequence[Values], pairs: Sequence[Pair], blocks: Iterable[Resamples]
) -> list[Pivot | None]:
    """What `pivot.studentized` gives for columns[j] - columns[i] of each pair (i, j), without holding any of them;
    equal pairs of columns share a pivot."""
    n = len(columns[0])
    if n < 2:
        return [None] * len(pairs)
    places: dict[bytes, int] = {}
    same = [places.setdefault(hashlib.sha256(column.tobytes()).digest(), len(places)) for column in columns]
    different = [columns[same.index(place)] for place in range(len(places))]
    asked = [(same[i], same[j]) for i, j in pairs]
    table = _Table(different, list(dict.fromkeys(asked)))
    distances = np.concatenate(list(map_in_order(table.distances, _together(blocks, n))))
    found = dict(zip(table.pairs, pivots_from(table.means, table.errors, distances, n), strict=True))
    return [found[pair] for pair in asked]


class _Table:
    """Columns about their means, one row each, and what makes whole numbers of them and of squared differences."""

    def __init__(self, columns: Sequence[Values], pairs: list[Pair]) -> None:
        n, count = len(columns[0]), len(pairs)
        self.pairs = pairs
        self.first, self.second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        self.centred = np.stack([column - column.mean() for column in columns])
        # A mean is rounded as its own digits are, which shows where numbers are large and hardly vary.
        self.centred -= self.centred.mean(axis=1, keepdims=True)
        self.scale = _scale(np.abs(self.centred).max(axis=1))
        self.means, self.errors, self.square_scale, self.lost = np.empty((4, count))
        finer = []
        for place, (i, j) in enumerate(pairs):
            gap = columns[j] - columns[i]
            self.means[place] = gap.mean()
            self.errors[place] = np.sqrt(((gap - self.means[place]) ** 2).sum() / (n - 1) / n)
            squares = (self.centred[j] - self.centred[i]) ** 2
            self.square_scale[place] = _scale(squares.max())
            squares *= self.square_scale[place]
            left = squares - np.rint(squares)
            # Equal differences are rounded alike, which adds up: what every unit loses once is given back. A resample
            # is then off by what varies of it.
            self.lost[place] = left.sum()
            if left @ left > (CLOSE * np.partition(squares, -FEW)[:-FEW].sum() if n > FEW else 0.0) ** 2:
                finer.append(place)
                self.lost[place] = 0.0
        self.finer = np.array(finer, dtype=np.intp)
        """Pairs with a few very large differences, of which 40 bits are not enough."""
        ends = np.cumsum([len(columns), len(columns), count, len(finer)])
        self.high, self.low, self.squares, self.fine = (
            slice(end - size, end) for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)
        )
        self.terms = int(ends[-1])

    def distances(self, weights: Counts) -> Values:
        """How far each resample of each pair is off, in its own errors."""
        rows, n = weights.shape
        terms, drawn = np.empty((self.terms, STRETCH)), np.empty((rows, STRETCH))
        sums, product = np.zeros((rows, self.terms)), np.empty((rows, self.terms))
        for start in range(0, n, STRETCH):
            width = min(STRETCH, n - start)
            self._fill(terms[:, :width], self.centred[:, start : start + width])
            drawn[:, :width] = weights[:, start : start + width]
            sums += np.matmul(drawn[:, :width], terms[:, :width].T, out=product)
        shifts = (sums[:, self.high] + np.ldexp(sums[:, self.low], -BITS)) / self.scale
        moved = (shifts[:, self.second] - shifts[:, self.first]) / n
        squares = sums[:, self.squares] + self.lost
        squares[:, self.finer] += np.ldexp(sums[:, self.fine], -BITS)
        squares /= self.square_scale
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(moved / np.sqrt(np.maximum(squares / n - moved**2, 0.0) / (n - 1)))

    def _fill(self, terms: Values, part: Values) -> None:
        """A stretch of the columns and of the squares in whole numbers, and what that leaves of some, 40 bits below."""
        scaled = np.multiply(part, self.scale[:, None], out=terms[self.low])
        _below(scaled, np.rint(scaled, out=terms[self.high]))
        for some, squares in _chunks(np.arange(len(self.pairs)), terms[self.squares]):
            self._square(part, some, squares)
            np.rint(squares, out=squares)
        for some, squares in _chunks(self.finer, terms[self.fine]):
            self._square(part, some, squares)
            _below(squares, np.rint(squares))

    def _square(self, part: Values, some: NDArray[np.intp], out: Values) -> None:
        np.subtract(part[self.second[some]], part[self.first[some]], out=out)
        np.multiply(out, out, out=out)
        np.multiply(out, self.square_scale[some, None], out=out)


def _chunks(pairs: NDArray[np.intp], terms: Values) -> Iterator[tuple[NDArray[np.intp], Values]]:
    for place in range(0, len(pairs), NEAR):
        yield pairs[place : place + NEAR], terms[place : place + NEAR]


def _below(scaled: Values, whole: Values) -> None:
    """What is left of numbers beside whole ones, in whole numbers itself."""
    np.subtract(scaled, whole, out=scaled)
    np.rint(np.ldexp(scaled, BITS, out=scaled), out=scaled)


def _scale(largest: Values) -> Values:
    """The power of two that makes numbers up to `largest` use all bits."""
    return np.asarray(np.ldexp(1.0, np.minimum(BITS - np.frexp(largest)[1], 1000)))


def _together(blocks: Iterable[Resamples], n: int) -> Iterator[Counts]:
    """How often units are drawn, in small numbers; more resamples at a time."""
    held: list[Counts] = []
    for resamples in blocks:
        held.append(resamples.small_weights)
        if sum(map(len, held)) >= min(ROWS, CELLS // n):
            yield np.concatenate(held)
            held = []
    if held:
        yield np.concatenate(held)
