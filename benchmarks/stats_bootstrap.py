"""Paired bootstrap of many systems and metrics at once: time and peak memory.

python -m benchmarks.stats_bootstrap [resamples]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from assay.stats.adjust import holm
from assay.stats.pivot import pivot_of_resamples
from assay.stats.uncertainty import resampled_means

METRICS, SYSTEMS, ITEMS = 5, 20, 10_000
LIMIT_SECONDS, LIMIT_MEGABYTES = 20.0, 500.0


def measure(resamples: int = 10_000) -> tuple[float, float]:
    """Seconds and peak megabytes for all pairs of systems on every metric, Holm over all of them."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(METRICS * SYSTEMS, ITEMS)) + rng.normal(size=(METRICS * SYSTEMS, 1)) / 50
    start = time.perf_counter()
    drawn = resampled_means(table, resamples, seed=1)
    means = table.mean(axis=1)
    p = []
    for metric in range(METRICS):
        rows = range(metric * SYSTEMS, (metric + 1) * SYSTEMS)
        for a in rows:
            pivots = (pivot_of_resamples(means[b] - means[a], drawn[:, b] - drawn[:, a]) for b in rows if b > a)
            p += [pivot.p_of(0.0) if pivot else 1.0 for pivot in pivots]
    holm(p)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    resamples = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seconds, megabytes = measure(resamples)
    size = f"{resamples:,} resamples x {METRICS} metrics x {SYSTEMS} systems x {ITEMS:,} items"
    print(f"{size}: {seconds:.1f} s (limit {LIMIT_SECONDS:.0f}), peak {megabytes:.0f} MB (limit {LIMIT_MEGABYTES:.0f})")
    if seconds > LIMIT_SECONDS or megabytes > LIMIT_MEGABYTES:
        sys.exit(1)


if __name__ == "__main__":
    main()
