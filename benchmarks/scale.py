"""What Ray costs on one machine: the same command with `--engine processes` and `--engine ray`, in turn.

ASSAY_SCALE_PAIRS says how many pairs, `100000` if not said (`100000,1000000` for several sizes); ASSAY_BENCH_FILES is a
folder where generated pairs are kept for the next time. Times are those on the clock, starting Ray included: run it on
a machine that has nothing else to do.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.growth import Cost, score
from benchmarks.growth import _files as pair_files
from benchmarks.timing import Result

SIZES = tuple(int(size) for size in os.environ.get("ASSAY_SCALE_PAIRS", "100000").split(","))
WORKERS = int(os.environ.get("ASSAY_SCALE_WORKERS", "2"))
ROUNDS = int(os.environ.get("ASSAY_SCALE_ROUNDS", "1"))
MOST = 1.2
"""How much longer Ray may take, from a million pairs on."""


def run() -> Iterator[Result]:
    kept = os.environ.get("ASSAY_BENCH_FILES")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(kept or name)
        folder.mkdir(parents=True, exist_ok=True)
        for pairs in SIZES:
            files = pair_files(folder, pairs)
            costs: dict[str, list[Cost]] = {"processes": [], "ray": []}
            for place in range(ROUNDS):
                for engine, own in costs.items():
                    own.append(score(*files, Path(name) / f"{engine}-{pairs}-{place}", WORKERS, engine))
            best = {engine: min(own, key=lambda cost: cost.wall) for engine, own in costs.items()}
            for engine, cost in best.items():
                row: Result = {
                    "name": f"gem-light, generated pairs, {engine}, {WORKERS} workers",
                    "pairs": pairs,
                    "seconds": cost.wall,
                    "peak_mb": cost.main,
                    "note": f"{cost.cpu:.1f} s of cpu, {cost.worker:.0f} MB a worker",
                }
                if engine == "ray":
                    over = cost.wall / best["processes"].wall - 1
                    row["note"] += f", {over:+.0%} over processes"
                    if pairs >= 1_000_000:
                        row["target"] = MOST * best["processes"].wall
                yield row
