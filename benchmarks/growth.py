"""How time and memory grow with the number of pairs: the whole command on 10,000, 100,000, 1,000,000 and, for whoever
asks for them, 10,000,000.

Generating a million pairs takes longer than scoring them, and about 3 GB of disk; ASSAY_BENCH_PAIRS sets the largest
size, ASSAY_BENCH_FILES a folder where generated pairs are kept for the next time. Ten million are short (a
dozen words a text, one reference), and so is the million beside them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.timing import Result
from benchmarks.workloads import workload_b, workload_short, write

LARGEST = int(os.environ.get("ASSAY_BENCH_PAIRS", "1000000"))
SECONDS, MEGABYTES = 25.0, 1500.0
"""What 100,000 pairs may take."""
GROWTH = 11.0
"""How much longer ten times as many pairs may take."""
TOTAL = {1_000_000: 2048.0, 10_000_000: 4096.0}
"""Megabytes that all processes together may take."""


class Cost(NamedTuple):
    wall: float
    cpu: float
    """Of the command and its workers."""
    main: float
    worker: float
    total: float
    """Peak megabytes of the command itself, of the largest of its workers, and of all of them at one moment."""


def run() -> Iterator[Result]:
    kept = os.environ.get("ASSAY_BENCH_FILES")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(kept or name)
        folder.mkdir(parents=True, exist_ok=True)
        before: dict[tuple[int, bool], float] = {}
        sizes = [(10_000, False), (100_000, False), (1_000_000, False)]
        for pairs, short in [*sizes, *([(1_000_000, True), (10_000_000, True)] if LARGEST >= 10_000_000 else [])]:
            if pairs > LARGEST:
                continue
            files = _files(folder, pairs, short)
            for workers in (1, 2) if pairs < 1_000_000 else (2,):
                cost = score(*files, Path(name) / "run", workers)
                what = f"{'short' if short else 'generated'} pairs"
                row: Result = {
                    "name": f"gem-light, {what}, {workers} worker{'s' if workers > 1 else ''}",
                    "pairs": pairs,
                    "seconds": cost.wall,
                    "peak_mb": cost.total,
                    "note": f"{1e6 * cost.wall / pairs:.0f} us a pair, {cost.cpu:.1f} s of cpu",
                }
                if pairs == 100_000:
                    row["target"] = SECONDS
                    row["note"] += f", at most {MEGABYTES:.0f} MB wanted"
                elif (workers, short) in before:
                    row["target"] = GROWTH * before[workers, short]
                    row["note"] += f", {cost.wall / before[workers, short]:.1f} times a tenth of them"
                if workers > 1:
                    row["note"] += f", {cost.main:.0f} MB in the command, {cost.worker:.0f} MB a worker"
                if pairs in TOTAL:
                    row["note"] += f", at most {TOTAL[pairs]:.0f} MB in all wanted"
                before[workers, short] = cost.wall
                yield row


def _files(folder: Path, pairs: int, short: bool = False) -> tuple[Path, Path]:
    name = f"{'short-' if short else ''}pairs-{pairs}"
    files = folder / f"{name}.outputs.jsonl", folder / f"{name}.examples.jsonl"
    if all(path.exists() for path in files):
        return files
    return write(workload_short(pairs) if short else workload_b(pairs), folder, name)


def score(outputs: Path, examples: Path, run: Path, workers: int, engine: str | None = None) -> Cost:
    """`assay score` with a run folder, in a process of its own that is watched."""
    command = [sys.executable, "-m", "assay", "score", str(outputs), "-e", str(examples), "--suite", "gem-light"]
    command += ["--ci", "0", "--save", str(run / f"{outputs.stem}-{workers}"), "--json", "--workers", str(workers)]
    command += ["--engine", engine] if engine else []
    start = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        main = worker = total = 0.0
        cpu: dict[int, float] = {}
        while process.poll() is None:
            together = 0.0
            for each in (process, *_children(process)):
                try:
                    used = each.cpu_times()
                    cpu[each.pid] = used.user + used.system
                    peak = each.memory_info().rss / 2**20
                except psutil.Error:
                    continue
                together += peak
                if each.pid == process.pid:
                    main = max(main, peak)
                else:
                    worker = max(worker, peak)
            total = max(total, together)
            time.sleep(0.05)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"assay score ended with {process.returncode}: {said.read().decode()[-500:]}")
    return Cost(time.monotonic() - start, sum(cpu.values()), main, worker, total)


def _children(process: psutil.Popen) -> list[psutil.Process]:
    try:
        found: list[psutil.Process] = process.children(recursive=True)
    except psutil.Error:
        return []
    return found
