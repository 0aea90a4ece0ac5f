"""In which order texts stand: every text at every place equally often, and not always after the same other one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.seeds import rng_for


def latin_square(size: int) -> list[tuple[int, ...]]:
    """Rows in which each text stands at each place once; for even sizes also after each other text once (Williams)."""
    zigzag = [0]
    for step in range(1, size):
        zigzag.append((zigzag[-1] + (step if step % 2 else -step)) % size)
    return [tuple((place + row) % size for place in zigzag) for row in range(size)]


@dataclass(frozen=True)
class Seat:
    """One row of one square. What is given up is handed to the next person, so that squares fill without gaps."""

    block: int
    row: int


@dataclass
class Seats:
    """Rows of squares over `size` texts, each square with the texts drawn anew."""

    size: int
    seed: object
    blocks: int = 0
    free: list[Seat] = field(default_factory=list)

    def take(self, avoid: Iterable[Seat] = ()) -> Seat:
        """The next seat, if possible none whose row a task has had already."""
        if not self.free:
            rows = list(range(self.size))
            rng_for(self.seed, "rows", self.blocks).shuffle(rows)
            self.free = [Seat(self.blocks, row) for row in rows]
            self.blocks += 1
        had = {seat.row for seat in avoid}
        first = min(seat.block for seat in self.free)
        ready = [seat for seat in self.free if seat.block == first]
        chosen = next((seat for seat in ready if seat.row not in had), ready[0])
        self.free.remove(chosen)
        return chosen

    def give_back(self, seat: Seat) -> None:
        self.free.append(seat)
        self.free.sort(key=lambda each: each.block)

    def claim(self, seat: Seat) -> None:
        """Take exactly this one, as a journal says that it was taken."""
        while seat.block >= self.blocks:
            rows = [Seat(self.blocks, row) for row in range(self.size)]
            rng_for(self.seed, "rows", self.blocks).shuffle(rows)
            self.free += rows
            self.blocks += 1
        self.free.remove(seat)

    def order(self, seat: Seat) -> tuple[int, ...]:
        """The texts of a task, by their number, in the order of a seat."""
        names = list(range(self.size))
        rng_for(self.seed, "names", seat.block).shuffle(names)
        return tuple(names[place] for place in latin_square(self.size)[seat.row])
