"""Do p, intervals and tests between metrics hold where texts share systems and inputs? Simulated, as a Markdown table.

    python -m benchmarks shared_inputs                         # written to docs/evidence/correlation.md
    python -m benchmarks.correlation_inference shared 100      # printed

A score is the sum of a system's quality, an input's difficulty and noise of the text. Human scores and metrics are
normal, with a known correlation in each of the three parts (0 for error rates): the same in all, or, as of real
metrics, much higher between systems than between texts ("uneven").
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.stats.correlation import Method, correlate, pearson
from assay.stats.crossed import Crossed
from assay.stats.crossed_jackknife import leave_out
from assay.stats.williams import williams
from benchmarks.page_section import write_section

Values = NDArray[np.float64]
Sharing = Literal["inputs", "systems", "both", "texts", "uneven"]
SHARES: dict[Sharing, tuple[float, float, float]] = {
    "inputs": (0.0, 0.5, 0.5), "systems": (0.5, 0.0, 0.5), "both": (0.3, 0.3, 0.4), "texts": (0.0, 0.0, 1.0),
    "uneven": (0.2, 0.3, 0.5),
}  # fmt: skip
"""Shares of the variance due to systems, inputs and single texts."""
RHO = 0.5
EVEN, UNEVEN = (RHO, RHO, RHO), (0.9, 0.3, 0.3)
"""Correlations of the three parts."""
NOMINAL = 0.05
LARGE = 4_000
"""Texts from which half as many simulations are made."""
SIMULATIONS, SEED = 400, 0
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "correlation.md"
BEGIN, END = "<!-- shared -->", "<!-- end of shared -->"


@dataclass(frozen=True)
class Scenario:
    """A table of systems and inputs, and what its texts share."""

    systems: int
    inputs: int
    shared: Sharing
    method: Method = "pearson"

    @property
    def table(self) -> Crossed:
        systems, inputs = (index.ravel() for index in np.indices((self.systems, self.inputs)))
        return Crossed(len(systems), systems, inputs)

    @property
    def correlations(self) -> tuple[float, float, float]:
        """Correlations of the parts of systems, inputs and texts."""
        return UNEVEN if self.shared == "uneven" else EVEN

    def scores(self, rng: np.random.Generator, correlated: bool, metrics: int) -> list[Values]:
        """Return human scores, and those of metrics that correlate with them or not, of all texts."""
        shapes = ((self.systems, 1), (1, self.inputs), (self.systems, self.inputs))
        found: list[Values] = [np.zeros((self.systems, self.inputs)) for _ in range(1 + metrics)]
        for share, shape, known in zip(SHARES[self.shared], shapes, self.correlations, strict=True):
            rho = known if correlated else 0.0
            human = rng.normal(size=shape)
            for number in range(1 + metrics):
                own = human if not number else rho * human + math.sqrt(1 - rho**2) * rng.normal(size=shape)
                found[number] = found[number] + math.sqrt(share) * own
        return [each.ravel() for each in found]

    @property
    def truth(self) -> float:
        shares = zip(SHARES[self.shared], self.correlations, strict=True)
        r = sum(share * rho for share, rho in shares)
        return r if self.method == "pearson" else 6 / math.pi * math.asin(r / 2)


class Rates(NamedTuple):
    """Shares of simulations."""

    classical: float
    """p of the textbook below .05 where there is no correlation."""
    rejected: float
    """p below .05 where there is none."""
    covered: float
    """Intervals that hold the true correlation."""
    williams: float
    """Williams' p of the textbook below .05 for metrics that are equally good."""
    different: float
    """p of their difference below .05."""
    contradicted: int
    """Rows where p and interval contradict each other."""


def rates(scenario: Scenario, simulations: int, seed: int = SEED) -> Rates:
    """Simulate tables without a correlation, and with two metrics that correlate equally well."""
    rng = np.random.default_rng([seed, scenario.systems, scenario.inputs])
    table, method = scenario.table, scenario.method
    counts = np.zeros(5)
    contradicted = 0
    for number in range(simulations):
        people, metric = scenario.scores(rng, False, 1)
        null = leave_out(metric, people, table, "global", method, "both", number).estimate()
        low, high = null.interval()
        contradicted += (null.p < NOMINAL) == (low <= 0 <= high)
        people, first, second = scenario.scores(rng, True, 2)
        a, b = (leave_out(each, people, table, "global", method, "both", number) for each in (first, second))
        ends = a.estimate().interval()
        r12, r13, r23 = (pearson(x, y).r for x, y in ((first, people), (second, people), (first, second)))
        counts += [
            correlate(metric, people, method).p < NOMINAL,
            null.p < NOMINAL,
            ends[0] <= scenario.truth <= ends[1],
            williams(r12, r13, r23, table.n).p < NOMINAL,
            (a - b).estimate().p < NOMINAL,
        ]
    classical, rejected, covered, as_printed, different = (counts / simulations).tolist()
    return Rates(classical, rejected, covered, as_printed, different, contradicted)


def shared(simulations: int) -> Iterator[str]:
    """Error rates and coverage where texts share systems and inputs, per cent; bold: outside the goals."""
    yield "| systems | inputs | shared | method | classical p | p | coverage | classical Williams | Williams |"
    yield "|--:|--:|---|---|--:|--:|--:|--:|--:|"
    kinds: tuple[Sharing, ...] = ("inputs", "systems", "both")
    cases = [Scenario(s, i, kind) for s in (5, 8, 12, 20) for i in (20, 100, 500) for kind in kinds]
    cases += [Scenario(s, i, "uneven") for s in (5, 8, 12, 20) for i in (20, 100)]
    cases += [Scenario(s, 100, "both", "spearman") for s in (5, 12, 20)]
    contradicted = 0
    for case in cases:
        found = rates(case, simulations if case.table.n < LARGE else simulations // 2)
        outside = (False, found.rejected > 0.06, not 0.93 <= found.covered <= 0.97, False, found.different > 0.06)
        cells = (f"**{100 * x:.1f}**" if bad else f"{100 * x:.1f}" for x, bad in zip(found[:5], outside, strict=True))
        yield f"| {case.systems} | {case.inputs} | {case.shared} | {case.method} | {' | '.join(cells)} |"
        contradicted += found.contradicted
    yield f"\np and interval contradicted each other in {contradicted} tables."


def write() -> None:
    """Measure and write into the page."""
    when = f"Measured {date.today()} with `python -m benchmarks shared_inputs`, {SIMULATIONS} simulations of each case"
    begun = f"{when}\n({SIMULATIONS // 2} from {LARGE:,} texts on), seed {SEED}.\n"
    write_section(PAGE, BEGIN, END, "\n".join([begun, *shared(SIMULATIONS)]))
