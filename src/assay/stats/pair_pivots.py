"""Bootstrap-t pivots of the differences of many pairs of systems on very many units, from the same resamples.

Each resample needs the sum of the contributions of every system, and the sum of the squared differences of every pair:
a matrix product with one column each. Values are rounded to integers of 40 bits, so that double precision adds a chunk
of them exactly. The sums then do not depend on the order or on the number of threads.
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

CHUNK = 4096
"""Units that are multiplied at once."""
BITS = 40
"""Bits of an integer. 13 of 53 remain for the sum of a chunk, whose units occur about once each. A last bit would be
rounded only if they occurred twice on average, which is 64 standard deviations away."""
ROWS = 1024
"""Resamples that are multiplied at once; squares are computed again for each such block."""
CELLS = 200_000_000
"""Largest number of weights of a block; with very many units it has fewer rows."""
CLOSE = 1e-13
"""Largest relative error of a variance by rounding."""
FEW = 16
"""Largest values that are left out when this error is checked, because some resamples contain none of them."""
NEAR = 32
"""Pairs whose squares are computed at once, so that they stay in the processor cache."""


def studentized_pairs(
    columns: Sequence[Values], pairs: Sequence[Pair], blocks: Iterable[Resamples]
) -> list[Pivot | None]:
    """Return what `pivot.studentized` returns for columns[j] - columns[i] of each pair (i, j), in less memory.

    Pairs of equal columns share a pivot.
    """
    n = len(columns[0])
    if n < 2:
        return [None] * len(pairs)
    numbers: dict[bytes, int] = {}
    same = [numbers.setdefault(hashlib.sha256(column.tobytes()).digest(), len(numbers)) for column in columns]
    distinct = [columns[same.index(number)] for number in range(len(numbers))]
    wanted = [(same[i], same[j]) for i, j in pairs]
    table = _Table(distinct, list(dict.fromkeys(wanted)))
    distances = np.concatenate(list(map_in_order(table.distances, _weights(blocks, n))))
    pivots = dict(zip(table.pairs, pivots_from(table.means, table.errors, distances, n), strict=True))
    return [pivots[pair] for pair in wanted]


class _Table:
    """Centred columns, one row each, and the scales that turn them and squared differences into integers."""

    def __init__(self, columns: Sequence[Values], pairs: list[Pair]) -> None:
        n, count = len(columns[0]), len(pairs)
        self.pairs = pairs
        self.first, self.second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
        self.centred = np.stack([column - column.mean() for column in columns])
        # A mean is rounded relative to its size, which matters if values are large and hardly vary.
        self.centred -= self.centred.mean(axis=1, keepdims=True)
        self.scale = _scale(np.abs(self.centred).max(axis=1))
        self.means, self.errors, self.square_scale, self.lost = np.empty((4, count))
        finer = []
        for number, (i, j) in enumerate(pairs):
            difference = columns[j] - columns[i]
            self.means[number] = difference.mean()
            self.errors[number] = np.sqrt(((difference - self.means[number]) ** 2).sum() / (n - 1) / n)
            squares = (self.centred[j] - self.centred[i]) ** 2
            self.square_scale[number] = _scale(squares.max())
            squares *= self.square_scale[number]
            left = squares - np.rint(squares)
            # Equal differences have equal rounding errors, which add up: the sum over all units is added back, so that
            # only the variation over resamples remains.
            self.lost[number] = left.sum()
            if left @ left > (CLOSE * np.partition(squares, -FEW)[:-FEW].sum() if n > FEW else 0.0) ** 2:
                finer.append(number)
                self.lost[number] = 0.0
        self.finer = np.array(finer, dtype=np.intp)
        """Pairs with a few very large differences, for which 40 bits are not enough."""
        ends = np.cumsum([len(columns), len(columns), count, len(finer)])
        self.high, self.low, self.squares, self.fine = (
            slice(end - size, end) for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)
        )
        self.terms = int(ends[-1])

    def distances(self, weights: Counts) -> Values:
        """Return the studentised deviation of each resample of each pair."""
        rows, n = weights.shape
        terms, counts = np.empty((self.terms, CHUNK)), np.empty((rows, CHUNK))
        sums, product = np.zeros((rows, self.terms)), np.empty((rows, self.terms))
        for start in range(0, n, CHUNK):
            width = min(CHUNK, n - start)
            self._fill(terms[:, :width], self.centred[:, start : start + width])
            counts[:, :width] = weights[:, start : start + width]
            sums += np.matmul(counts[:, :width], terms[:, :width].T, out=product)
        shifts = (sums[:, self.high] + np.ldexp(sums[:, self.low], -BITS)) / self.scale
        moved = (shifts[:, self.second] - shifts[:, self.first]) / n
        squares = sums[:, self.squares] + self.lost
        squares[:, self.finer] += np.ldexp(sums[:, self.fine], -BITS)
        squares /= self.square_scale
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(moved / np.sqrt(np.maximum(squares / n - moved**2, 0.0) / (n - 1)))

    def _fill(self, terms: Values, part: Values) -> None:
        """Write a chunk of columns and squares as integers, and the remainder of some with 40 more bits."""
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
    for start in range(0, len(pairs), NEAR):
        yield pairs[start : start + NEAR], terms[start : start + NEAR]


def _below(scaled: Values, whole: Values) -> None:
    """Replace numbers by their remainders after rounding, scaled to integers."""
    np.subtract(scaled, whole, out=scaled)
    np.rint(np.ldexp(scaled, BITS, out=scaled), out=scaled)


def _scale(largest: Values) -> Values:
    """Return the power of two that scales numbers up to `largest` to all bits."""
    return np.asarray(np.ldexp(1.0, np.minimum(BITS - np.frexp(largest)[1], 1000)))


def _weights(blocks: Iterable[Resamples], n: int) -> Iterator[Counts]:
    """Yield the weights of resamples in small integers and larger blocks."""
    collected: list[Counts] = []
    for resamples in blocks:
        collected.append(resamples.small_weights)
        if sum(map(len, collected)) >= min(ROWS, CELLS // n):
            yield np.concatenate(collected)
            collected = []
    if collected:
        yield np.concatenate(collected)
