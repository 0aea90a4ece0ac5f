"""Coverage of intervals of scores whose items have a long tail: repeated outputs, long insertions, unequal clusters.

    python -m benchmarks heavy_tails                      # written to docs/evidence/statistics.md
    python -m benchmarks.heavy_tails --simulations 100    # printed

Populations are synthetic: numbers of errors and words of 20,000 items. A score is the ratio of their sums, as WER is;
its intervals are made from contributions by leaving out, as `assay score --ci` makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import numpy as np
from numpy.typing import NDArray

from assay.stats.interval import expansion, percentile
from assay.stats.pivot import jackknife_values
from assay.stats.resample import bootstrap
from assay.stats.skewed_interval import is_skewed, skewed_interval
from benchmarks.inference import PAGE
from benchmarks.page_section import print_simulated, write_section

Values = NDArray[np.float64]
SIMULATIONS, RESAMPLES, ITEMS, SEED = 500, 500, 20_000, 29
BEGIN, END = "<!-- heavy tails -->", "<!-- end of heavy tails -->"


def clean(random: np.random.Generator) -> Values:
    """Errors and words of items without failures."""
    words = random.integers(6, 30, ITEMS)
    return np.column_stack([random.binomial(words, random.beta(2, 4, ITEMS)), words]).astype(float)


def repeated(share: float) -> Callable[[np.random.Generator], Values]:
    """A share of outputs is repeated eightfold: each has seven times its length more errors."""

    def make(random: np.random.Generator) -> Values:
        rows = clean(random)
        rows[:, 0] += np.where(random.random(ITEMS) < share, 7 * rows[:, 1], 0)
        return rows

    return make


def lognormal(random: np.random.Generator) -> Values:
    """Errors with a long tail (skewness about 6), as insertions have."""
    rows = clean(random)
    rows[:, 0] = np.round(0.3 * rows[:, 1] * random.lognormal(-0.5, 1, ITEMS))
    return rows


def in_clusters(make: Callable[[np.random.Generator], Values]) -> Callable[[np.random.Generator], Values]:
    """Sums of clusters of 1 to 20 items, 4 on average."""

    def sums(random: np.random.Generator) -> Values:
        rows = make(random)
        starts = np.cumsum(np.minimum(random.geometric(1 / 4, ITEMS // 5), 20))
        return np.asarray(np.add.reduceat(rows, starts[starts < ITEMS], axis=0))

    return sums


CELLS: tuple[tuple[str, Callable[[np.random.Generator], Values], tuple[int, ...], float], ...] = (
    ("no failures", clean, (30, 120), 0.0),
    ("lognormal errors", lognormal, (30, 60, 120), 0.0),
    ("10 % repeated eightfold", repeated(0.1), (30, 60, 120), 0.1),
    ("4 % repeated eightfold", repeated(0.04), (30, 60, 120), 0.04),
    ("lognormal errors, clusters of unequal size", in_clusters(lognormal), (15, 40), 0.0),
)
"""Title, population, numbers of items or clusters, and share of failures."""


def covered(rows: Values, n: int, simulations: int) -> tuple[float, float]:
    """The shares of percentile intervals and of intervals as printed that hold the true score."""
    random = np.random.default_rng([SEED, n])
    truth = rows[:, 0].sum() / rows[:, 1].sum()
    plain = printed = 0
    for seed in range(simulations):
        sample = rows[random.integers(0, len(rows), n)]
        total = sample.sum(axis=0)
        value, left = total[0] / total[1], total - sample
        units = jackknife_values(value, left[:, 0] / left[:, 1])
        sums = np.concatenate([each.sums(sample) for each in bootstrap(n, RESAMPLES, seed)])
        ends = percentile(value + (sums[:, 0] / sums[:, 1] - value) * expansion(n))
        if ends is None:
            continue
        plain += ends[0] <= truth <= ends[1]
        low, high = skewed_interval(value, units, ends, RESAMPLES, seed) if is_skewed(units) else ends
        printed += low <= truth <= high
    return 100 * plain / simulations, 100 * printed / simulations


def report(simulations: int) -> str:
    """The table of the page."""
    lines = [
        f"Measured {date.today()} with `python -m benchmarks heavy_tails`, {simulations:,} samples each, seed {SEED}.",
        "",
        "| population | items or clusters | percentile interval | as printed | samples without a failure |",
        "|---|--:|--:|--:|--:|",
    ]
    for title, make, sizes, share in CELLS:
        rows = make(np.random.default_rng(SEED))
        for n in sizes:
            plain, printed = covered(rows, n, simulations)
            none = f"{100 * (1 - share) ** n:.1f}" if share else ""
            lines.append(f"| {title} | {n} | {plain:.1f} | {printed:.1f} | {none} |")
    return "\n".join(lines)


def write() -> None:
    """Measure and write into the page."""
    write_section(PAGE, BEGIN, END, report(SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, report)
