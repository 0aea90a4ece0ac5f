"""What Ray costs on one machine: the same command with `--engine processes` and `--engine ray`, in turn.

ASSAY_SCALE_PAIRS says how many pairs, `100000` if not said (`100000,1000000` for several sizes); ASSAY_BENCH_FILES is a
folder where generated pairs are kept for the next time. Times are those on the clock and of processors, starting Ray
included: those on the clock need a machine that has nothing else to do. From two sizes it follows what Ray costs once
and what it costs a shard.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.execution.measure import SHARD
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
        over: dict[int, float] = {}
        for pairs in SIZES:
            files = pair_files(folder, pairs)
            costs: dict[str, list[Cost]] = {"processes": [], "ray": []}
            for place in range(ROUNDS):
                for engine, own in costs.items():
                    run_folder = Path(name) / f"{engine}-{pairs}-{place}"
                    own.append(score(*files, run_folder, WORKERS, engine))
                    shutil.rmtree(run_folder)
            best = {engine: min(own, key=lambda cost: cost.wall) for engine, own in costs.items()}
            usual, rays = best["processes"], best["ray"]
            over[pairs] = min(cost.cpu for cost in costs["ray"]) - min(cost.cpu for cost in costs["processes"])
            for engine, cost in best.items():
                row: Result = {
                    "name": f"gem-light, generated pairs, {engine}, {WORKERS} workers",
                    "pairs": pairs,
                    "seconds": cost.wall,
                    "peak_mb": cost.main,
                    "note": f"{cost.cpu:.1f} s of cpu, {cost.worker:.0f} MB a worker",
                }
                if engine == "ray":
                    row["note"] += f", {rays.wall / usual.wall - 1:+.0%} over processes by the clock"
                    row["note"] += f", {over[pairs] / usual.cpu:+.0%} by cpu"
                    if pairs >= 1_000_000:
                        row["target"] = MOST * usual.wall
                yield row
        if len(over) > 1:
            few, many = min(over), max(over)
            shard = (over[many] - over[few]) / ((many - few) / SHARD)
            yield {
                "name": "what Ray costs once, in cpu",
                "pairs": 0,
                "seconds": over[few] - shard * few / SHARD,
                "note": f"and {1000 * shard:+.0f} ms of cpu a shard, beside processes",
            }
