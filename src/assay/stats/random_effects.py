"""Random effects of crossed and nested factors: the penalised normal equations, solved by blocks.

An effect is one number per level of a factor (an item, an annotator, an item under one system). Factors nested in one
outer factor (usually items) only involve rows of their own block, so their part of the matrix is block-diagonal. The
factors that cross them (usually annotators) form one dense matrix of moderate size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]


MANY = 2
"""Blocks that use over one in this number of dense columns are multiplied with all of them."""


@dataclass(frozen=True)
class Gram:
    """Z'WZ in three parts: the blocks, blocks with the dense columns that they use, and the dense columns."""

    blocks: Floats
    across: Floats
    dense: Floats


@dataclass(frozen=True)
class Vector:
    """One or more columns over all random effects: those in blocks, and the dense ones."""

    blocks: Floats
    dense: Floats

    def dot(self, other: Vector) -> Floats:
        flat = self.blocks.reshape(-1, self.blocks.shape[-1])
        return flat.T @ other.blocks.reshape(-1, other.blocks.shape[-1]) + self.dense.T @ other.dense


class Design:
    """The position of the effects of each row: for each factor a slot in the row's block, or a dense column."""

    def __init__(self, factors: Sequence[Codes]) -> None:
        self.n = len(factors[0])
        levels = [int(codes.max()) + 1 for codes in factors]
        nested = [[within(inner, outer) for inner in factors] for outer in factors]
        rest = [sum(size for size, inside in zip(levels, row, strict=True) if not inside) for row in nested]
        outer = min(range(len(factors)), key=lambda k: (rest[k], -levels[k]))
        self.inside = nested[outer]
        self.block = factors[outer]
        self.places: list[Codes] = []
        """For each factor, the slot of a row within its block, or its dense column."""
        slots, columns = 0, 0
        for codes, size, inside in zip(factors, levels, self.inside, strict=True):
            if inside:
                places, width = _slots(codes, self.block)
                self.places.append(places + slots)
                slots += width
            else:
                self.places.append(codes + columns)
                columns += size
        self.shape = (levels[outer], slots, columns)
        self.slot_factor = np.zeros(slots, dtype=np.int64)
        self.column_factor = np.zeros(columns, dtype=np.int64)
        for k, (places, inside) in enumerate(zip(self.places, self.inside, strict=True)):
            (self.slot_factor if inside else self.column_factor)[places] = k
        self.used = self._used()
        self.whole = self.used.shape[1] == columns
        """Whether every block uses all dense columns."""

    def _used(self) -> Codes:
        """Return the dense columns of the rows of each block, all columns if most are used; unused places are after
        the last column. An item is judged by few of the annotators, which saves nearly all of the work."""
        count, _, columns = self.shape
        pairs = [self.block * columns + q for q, inside in zip(self.places, self.inside, strict=True) if not inside]
        block, column = np.divmod(np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64), max(1, columns))
        sizes = np.bincount(block, minlength=count)
        width = int(sizes.max(initial=0))
        if MANY * width >= columns:
            return np.tile(np.arange(columns), (count, 1))
        used = np.full((count, width), columns)
        used[block, np.arange(len(block)) - (np.cumsum(sizes) - sizes)[block]] = column
        return used

    def _place_used(self, q: Codes) -> Codes:
        """Return the place of each row's dense column among those that its block uses."""
        return q if self.whole else (self.used[self.block] == q[:, None]).argmax(axis=1)

    def take(self, dense: Floats) -> Floats:
        """Return rows of dense columns by block: those that it uses, 0 for unused places."""
        return dense[None] if self.whole else np.vstack([dense, np.zeros((1, dense.shape[1]))])[self.used]

    def add(self, blocks: Floats) -> Floats:
        """Return the sums over blocks of rows of the dense columns that they use."""
        columns = self.shape[2]
        if self.whole:
            return cast("Floats", blocks.sum(axis=0))
        places = self.used.reshape(-1)
        each = (np.bincount(places, column, columns + 1)[:columns] for column in blocks.reshape(len(places), -1).T)
        return np.column_stack(list(each))

    def add_squares(self, across: Floats, carried: Floats) -> Floats:
        """Return the sum over blocks of across' carried, a matrix of the dense columns."""
        count, slots, columns = self.shape
        if self.whole:
            return across.reshape(count * slots, columns).T @ carried.reshape(count * slots, columns)
        products = across.transpose(0, 2, 1) @ carried
        places = self.used[:, :, None] * (columns + 1) + self.used[:, None, :]
        flat = np.bincount(places.reshape(-1), products.reshape(-1), (columns + 1) ** 2)
        return np.asarray(flat.reshape(columns + 1, columns + 1)[:columns, :columns], dtype=np.float64)

    def gram(self, weights: Floats) -> Gram:
        """Return Z'WZ for weights of the rows."""
        count, slots, columns = self.shape
        width = self.used.shape[1]
        blocks, across, dense = np.zeros(count * slots * slots), np.zeros(count * slots * width), np.zeros(columns**2)
        for p, first in zip(self.places, self.inside, strict=True):
            for q, second in zip(self.places, self.inside, strict=True):
                if first and second:
                    blocks += np.bincount((self.block * slots + p) * slots + q, weights, len(blocks))
                elif first:
                    at = (self.block * slots + p) * width + self._place_used(q)
                    across += np.bincount(at, weights, len(across))
                elif not second:
                    dense += np.bincount(p * columns + q, weights, len(dense))
        return Gram(
            blocks.reshape(count, slots, slots), across.reshape(count, slots, width), dense.reshape(columns, columns)
        )

    def gather(self, rows: Floats) -> Vector:
        """Return Z'R: rows summed by the levels of each factor."""
        count, slots, columns = self.shape
        blocks, dense = np.zeros((rows.shape[1], count * slots)), np.zeros((rows.shape[1], columns))
        for k, column in enumerate(rows.T):
            for places, inside in zip(self.places, self.inside, strict=True):
                if inside:
                    blocks[k] += np.bincount(self.block * slots + places, column, count * slots)
                else:
                    dense[k] += np.bincount(places, column, columns)
        return Vector(np.ascontiguousarray(blocks.T).reshape(count, slots, -1), np.ascontiguousarray(dense.T))

    def pick(self, effects: Vector, factor: int) -> Floats:
        """Return the effect of one factor for each row (of the first column)."""
        places = self.places[factor]
        picked = effects.blocks[self.block, places, 0] if self.inside[factor] else effects.dense[places, 0]
        return cast("Floats", picked)

    def parts(self, vector: Vector) -> list[Floats]:
        """Return the effects of each factor: one row per level, and per unused slot of a block, which is 0."""
        flat = vector.blocks.reshape(-1, vector.blocks.shape[-1])
        slot = np.tile(self.slot_factor, self.shape[0])
        return [
            flat[slot == k] if inside else vector.dense[self.column_factor == k] for k, inside in enumerate(self.inside)
        ]

    def scaled(self, vector: Vector, sizes: Floats) -> Vector:
        """Return each effect multiplied by the size of its factor."""
        return Vector(
            vector.blocks * sizes[self.slot_factor][:, None], vector.dense * sizes[self.column_factor][:, None]
        )


class Solved:
    """The factorised matrix I + T Z'WZ T, with the relative sizes of the factors in T."""

    def __init__(self, design: Design, gram: Gram, sizes: Floats) -> None:
        self.design = design
        inner, outer = sizes[design.slot_factor], sizes[design.column_factor]
        blocks = gram.blocks * inner[:, None] * inner + np.eye(len(inner))
        across = gram.across * inner[:, None] * design.take(outer[:, None]).transpose(0, 2, 1)
        self.across = across
        self.inverse = np.linalg.inv(blocks)
        self.carried = self.inverse @ across
        """The blocks' part of the solution by dense column, for the columns that a block uses."""
        rest = gram.dense * outer[:, None] * outer + np.eye(len(outer))
        self.rest = rest - design.add_squares(across, self.carried)
        self.log_determinant = float(np.linalg.slogdet(blocks)[1].sum()) + _log_determinant(self.rest)
        self.rest_inverse: Floats | None = None

    def diagonals(self) -> list[Floats]:
        """Return the diagonal of the inverse, by factor."""
        self.rest_inverse = rest = np.asarray(np.linalg.inv(self.rest), dtype=np.float64)
        used = self.design.used
        if self.design.whole:
            moved = self.carried @ rest
        else:
            moved = self.carried @ np.pad(rest, (0, 1))[used[:, :, None], used[:, None, :]]
        blocks = np.einsum("bii->bi", self.inverse) + (moved * self.carried).sum(axis=2)
        return self.design.parts(Vector(blocks[:, :, None], np.diag(rest)[:, None]))

    def solve(self, right: Vector) -> Vector:
        first = self.inverse @ right.blocks
        reduced = right.dense - self.design.add(self.across.transpose(0, 2, 1) @ first)
        inverse = self.rest_inverse  # known if diagonals were requested before
        solved = np.linalg.solve(self.rest, reduced) if inverse is None else inverse @ reduced
        dense: Floats = np.asarray(solved, dtype=np.float64)
        return Vector(first - self.carried @ self.design.take(dense), dense)

    def carried_to(self, places: Codes) -> Floats:
        """Return `carried` of a slot of each row, over all dense columns."""
        design = self.design
        own: Floats = self.carried[design.block, places]
        if design.whole:
            return own
        spread = np.zeros((len(own), design.shape[2] + 1))
        np.put_along_axis(spread, design.used[design.block], own, axis=1)
        return spread[:, :-1]


def _log_determinant(matrix: Floats) -> float:
    """Return the log determinant of a matrix that is positive definite, up to rounding."""
    try:
        return 2 * float(np.log(np.diag(np.linalg.cholesky(matrix))).sum())
    except np.linalg.LinAlgError:
        return float(np.linalg.slogdet(matrix)[1])


def within(inner: Codes, outer: Codes) -> bool:
    """Return whether `inner` is nested in `outer`: each of its levels is in one level of the other."""
    outer_of = np.empty(int(inner.max()) + 1, dtype=np.int64)
    outer_of[inner] = outer
    return bool(np.array_equal(outer_of[inner], outer))


def _slots(codes: Codes, block: Codes) -> tuple[Codes, int]:
    """Return the number of each level within its block, and the largest number of levels of a block."""
    block_of = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    block_of[codes] = block
    order = np.argsort(block_of, kind="stable")
    starts = np.searchsorted(block_of[order], block_of[order], side="left")
    rank = np.empty(len(block_of), dtype=np.int64)
    rank[order] = np.arange(len(block_of)) - starts
    return rank[codes], int(rank.max()) + 1
