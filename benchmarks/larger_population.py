"""Do intervals of numbers over words cover where items are hardly drawn twice? 1,000 clusters of three from many.

python -m benchmarks.larger_population [simulations]    # 200

The texts are all references of WebNLG's development and test sets, as if a system had written them.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

import assay
from assay.datasets import DATASETS
from benchmarks.inference import CLUSTER, RESAMPLES, covered, drawn_items, sample
from benchmarks.released import released

NUMBERS = "unique-1,vocab-1,vocab-2,distinct-1,distinct-2"
CLUSTERS = 1000
FIRST_SEED = 9_000_000


def texts() -> list[str]:
    reader = DATASETS.get("web_nlg_en")()
    examples = [example for split in ("dev", "test") for example in reader.read(released("webnlg/en"), split)]
    return [reference for example in examples for reference in example.references]


def main(simulations: int) -> None:
    scored = assay.score(texts(), metrics=NUMBERS)
    groups = {"tags.group": [str(i // CLUSTER) for i in range(scored.n)]}
    population = replace(scored, index=scored.index.with_columns(groups))
    population = population.take(np.arange(scored.n // CLUSTER * CLUSTER, dtype=np.intp))
    values: dict[str, list[float]] = {}
    ends: dict[str, list[tuple[float, float] | None]] = {}
    for seed in range(simulations):
        items = drawn_items(population.n, CLUSTERS, True, np.random.default_rng([FIRST_SEED + seed]))
        for name, score in sample(population, items, True).with_intervals(RESAMPLES, seed).scores.items():
            values.setdefault(name, []).append(score.value or 0.0)
            known = score.low is not None and score.high is not None
            ends.setdefault(name, []).append((score.low or 0.0, score.high or 0.0) if known else None)
    print(f"{scored.n} texts, {CLUSTERS} clusters of {CLUSTER}, {simulations} simulations")
    for name, found in ends.items():
        print(f"{name}: covers {covered(found, float(np.mean(values[name]))) or 0:.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
