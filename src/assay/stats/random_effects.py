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


@dataclass(frozen=True)
class Gram:
    """Z'WZ in three parts: the blocks, blocks with dense columns, and the dense columns."""

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

    def gram(self, weights: Floats) -> Gram:
        """Return Z'WZ for weights of the rows."""
        count, slots, columns = self.shape
        blocks, across, dense = np.zeros(count * slots * slots), np.zeros(count * slots * columns), np.zeros(columns**2)
        for p, first in zip(self.places, self.inside, strict=True):
            for q, second in zip(self.places, self.inside, strict=True):
                if first and second:
                    blocks += np.bincount((self.block * slots + p) * slots + q, weights, len(blocks))
                elif first:
                    across += np.bincount((self.block * slots + p) * columns + q, weights, len(across))
                elif not second:
                    dense += np.bincount(p * columns + q, weights, len(dense))
        return Gram(
            blocks.reshape(count, slots, slots), across.reshape(count, slots, columns), dense.reshape(columns, columns)
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
        inner, outer = sizes[design.slot_factor], sizes[design.column_factor]
        blocks = gram.blocks * inner[:, None] * inner + np.eye(len(inner))
        across = gram.across * inner[:, None] * outer
        self.inverse = np.linalg.inv(blocks)
        self.carried = self.inverse @ across
        count, slots, columns = design.shape
        self.flat = across.reshape(count * slots, columns)
        rest = gram.dense * outer[:, None] * outer + np.eye(columns)
        self.rest = rest - self.flat.T @ self.carried.reshape(count * slots, columns)
        self.log_determinant = float(np.linalg.slogdet(blocks)[1].sum() + np.linalg.slogdet(self.rest)[1])

    def diagonals(self, design: Design) -> list[Floats]:
        """Return the diagonal of the inverse, by factor."""
        rest: Floats = np.asarray(np.linalg.inv(self.rest), dtype=np.float64)
        blocks = np.einsum("bii->bi", self.inverse) + (self.carried @ rest * self.carried).sum(axis=2)
        return design.parts(Vector(blocks[:, :, None], np.diag(rest)[:, None]))

    def solve(self, right: Vector) -> Vector:
        first = self.inverse @ right.blocks
        reduced = right.dense - self.flat.T @ first.reshape(len(self.flat), right.dense.shape[1])
        dense: Floats = np.asarray(np.linalg.solve(self.rest, reduced), dtype=np.float64)
        return Vector(first - self.carried @ dense, dense)


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
