"""How often one of many systems that are worse by exactly the margin passes, with and without a ledger.

python -m benchmarks.ledger [--runs 500]
"""

from __future__ import annotations

import argparse

import numpy as np

from assay.results.ledger import TRIES
from assay.stats.betting import mean_rejected

LEVEL, MARGIN, TRIED = 0.05, 0.08, 14


def passing(items: int, seed: int, level: float) -> bool:
    """Return whether one of the tries passes: differences of right answers are -1, 0 or 1, with mean -margin."""
    rng = np.random.default_rng([seed, items])
    base = rng.random(items) < 0.9
    for _ in range(TRIED):
        new = rng.random(items) < 0.9 - MARGIN
        values = new.astype(float) - base
        if mean_rejected(values, np.ones(items), 1.0, np.array([-MARGIN]), level)[0]:
            return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    runs = parser.parse_args().runs
    print(f"| items | {TRIED} tries, each at .05 | {TRIED} tries with a ledger of {TRIES} |\n|---|--:|--:|")
    for items in (100, 300):
        shares = [np.mean([passing(items, seed, level) for seed in range(runs)]) for level in (LEVEL, LEVEL / TRIES)]
        print(f"| {items:,} | {shares[0]:.1%} | {shares[1]:.1%} |", flush=True)


if __name__ == "__main__":
    main()
