"""Balanced orders of texts: each text appears at each position equally often, and after each other text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.seeds import rng_for


def latin_square(size: int) -> list[tuple[int, ...]]:
    """Return a square in which each text has each position once.

    For even sizes each text also follows each other text once (Williams design).
    """
    zigzag = [0]
    for step in range(1, size):
        zigzag.append((zigzag[-1] + (step if step % 2 else -step)) % size)
    return [tuple((position + row) % size for position in zigzag) for row in range(size)]


@dataclass(frozen=True)
class SquareRow:
    """One row of one Latin square: the order of texts in one assignment."""

    block: int
    row: int


@dataclass
class LatinSquares:
    """Rows of Latin squares over `size` texts; texts are assigned to each square at random.

    The row of an unfinished assignment is used again, so that squares are completed.
    """

    size: int
    seed: object
    blocks: int = 0
    free: list[SquareRow] = field(default_factory=list)

    def take(self, avoid: Iterable[SquareRow] = ()) -> SquareRow:
        """Return the next free row, if possible one that the task has not had yet."""
        if not self.free:
            rows = list(range(self.size))
            rng_for(self.seed, "rows", self.blocks).shuffle(rows)
            self.free = [SquareRow(self.blocks, row) for row in rows]
            self.blocks += 1
        used = {row.row for row in avoid}
        first = min(row.block for row in self.free)
        candidates = [row for row in self.free if row.block == first]
        chosen = next((row for row in candidates if row.row not in used), candidates[0])
        self.free.remove(chosen)
        return chosen

    def give_back(self, row: SquareRow) -> None:
        """Make a row free again."""
        self.free.append(row)
        self.free.sort(key=lambda each: each.block)

    def claim(self, row: SquareRow) -> None:
        """Take exactly this row, as recorded in a journal."""
        while row.block >= self.blocks:
            rows = [SquareRow(self.blocks, number) for number in range(self.size)]
            rng_for(self.seed, "rows", self.blocks).shuffle(rows)
            self.free += rows
            self.blocks += 1
        self.free.remove(row)

    def order(self, row: SquareRow) -> tuple[int, ...]:
        """Return the numbers of a task's texts in the order of a row."""
        names = list(range(self.size))
        rng_for(self.seed, "names", row.block).shuffle(names)
        return tuple(names[position] for position in latin_square(self.size)[row.row])
