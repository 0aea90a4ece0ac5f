"""The cells of docs/evidence/statistics.md that lie outside what is promised, measured again with more simulations.

    python -m benchmarks.inference_cells        # all of them, into docs/evidence/statistics.md
    python -m benchmarks.inference_cells 40     # with so many simulations, to be read here

Of 360 true cells a few are outside in 1,000 simulations by chance alone; each is simulated alone, with other draws.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from assay.results.compare import CompareRequest, compare, compare_systems
from assay.results.null_test import exchange_outputs
from benchmarks.inference import (
    BEGIN,
    END,
    PAGE,
    POPULATIONS,
    RESAMPLES,
    Rate,
    Tally,
    coverage,
    drawn_items,
    error_rate,
    gap_coverage,
    outside,
    population_of,
    sample,
)

SIMULATIONS = 5000
"""Of a test; intervals, which take longer, have fewer."""
INTERVAL_SIMULATIONS = 3000
SLOW_SIMULATIONS = {False: 2000, True: 1000}
"""The same for numbers over words, which are counted anew in every resample."""
FEW_SWAPS = 100
"""Of such numbers: p is below .05 in 5 of 101."""
FIRST_SEED = 1_000_000
MARK = "*"
"""Stands behind a cell that was measured again."""
CELL = re.compile(r"\*\*([\d.]+)\*\*(?!\*)")
"""In bold, and not yet measured again."""


class Cell(NamedTuple):
    """One number at one size, in one of the three tables."""

    table: int
    name: str
    number: str
    units: int
    clustered: bool

    @property
    def counted(self) -> bool:
        """Whether words are counted anew in every resample."""
        return self.number in POPULATIONS[self.name].truth_at_size and self.number not in ("nist", "cider")

    @property
    def simulations(self) -> int:
        intervals = self.table < 2
        if self.counted:
            return SLOW_SIMULATIONS[intervals]
        return INTERVAL_SIMULATIONS if intervals else SIMULATIONS


def exceeds(_: int, share: float) -> bool:
    """A test that rejects more true null hypotheses than it may."""
    return share > 0.06


TABLES: tuple[tuple[Rate, Callable[[int, float], bool]], ...] = (
    (coverage, outside),
    (gap_coverage, outside),
    (error_rate, exceeds),
)


def measured(cell: Cell, simulations: int) -> float | None:
    """The rate of one cell alone."""
    tally = Tally()
    population = population_of(cell.name, cell.clustered, cell.number)
    cluster = "group" if cell.clustered else "none"
    for seed in range(FIRST_SEED, FIRST_SEED + simulations):
        random = np.random.default_rng([seed, cell.units, cell.clustered])
        items = drawn_items(population[0].n, cell.units, cell.clustered, random)
        a, b = (sample(result, items, cell.clustered) for result in population)
        if cell.table == 0:
            score = a.with_intervals(RESAMPLES, seed).scores[cell.number]
            if score.value is not None:
                tally.value.append(score.value)
                tally.ends.append(None if score.low is None or score.high is None else (score.low, score.high))
        elif cell.table == 1:
            row = compare(a, b, test="bootstrap", samples=RESAMPLES, seed=seed, cluster=cluster)[cell.number]
            if row.difference is not None:
                tally.gap.append(row.difference)
                tally.gap_ends.append(None if row.low is None or row.high is None else (row.low, row.high))
        else:
            asked = CompareRequest(
                samples=FEW_SWAPS if cell.counted else RESAMPLES, seed=seed, cluster=cluster, intervals=False
            )
            p = compare_systems([exchange_outputs(a, b, random)], asked)[0][cell.number].p
            if p is not None:
                tally.rejected.append(p < 0.05)
    return TABLES[cell.table][0](cell.name, cell.clustered, cell.number, tally)


def again(text: str, simulations: int | None, chosen: Callable[[Cell], bool]) -> str:
    """The tables with every cell in bold measured again; bold stays what is outside still."""
    lines, table = text.split("\n"), -1
    heads: list[str] = []
    for place, line in enumerate(lines):
        cells = line.split(" | ")
        if not line.strip():
            heads = []
        if line.startswith("| | "):
            table, heads = table + 1, [head.strip(" |") for head in line.removeprefix("| | ").split(" | ")]
        elif line.startswith("| ") and heads:
            name, number = cells[0].removeprefix("| ").split(" ", 1)
            for column, head in enumerate(heads, 1):
                found = CELL.search(cells[column])
                units, clustered = int(head.split()[0]), head.endswith("cl.")
                cell = Cell(table, name, number, units, clustered)
                if found is None or not chosen(cell):
                    continue
                start = time.process_time()
                many = simulations or cell.simulations
                share = measured(cell, many)
                shown = "–" if share is None else f"{100 * share:.1f}{MARK}"
                if share is not None and TABLES[table][1](units, share):
                    shown = f"**{100 * share:.1f}**{MARK}"
                took = time.process_time() - start
                print(f"{cell}: {found[1]} -> {shown} ({many}, {took:.0f} s)", file=sys.stderr, flush=True)
                cells[column] = cells[column].replace(found[0], shown)
            lines[place] = " | ".join(cells)
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    simulations = int(arguments[0]) if arguments else None
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    made, _, after = rest.partition(END)
    # a thousand clusters are most of the population: see docs/evidence/statistics.md
    made = again(made, simulations, lambda cell: not (cell.counted and cell.units >= 1000 and cell.table < 2))
    print(made)
    if simulations is None:
        PAGE.write_text(f"{head}{BEGIN}{made}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
