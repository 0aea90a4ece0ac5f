"""Kill, ^C and a full disk at random moments of a run with four metrics: the repeat computes only what is missing.

    python -m benchmarks.interruption --times 50

Half of the runs are saved, the others use the scratch folder, and end well on a full disk. A shard that was computed
but not yet stored when the process was killed is computed again; at most one is under way at any time.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from assay.execution import keeping, measure, shard_job
from assay.execution.scoring import score_items
from assay.metrics import resolve
from assay.records import Example, Items
from assay.store.run_folder import RunFolder
from assay.store.statistics_folder import StatisticsFolder
from benchmarks.timing import Result

METRICS = ["bleu", "chrf", "rouge", "ngrams"]
ITEMS, SHARD = 400, 50
SHARDS = len(METRICS) * ITEMS // SHARD
KINDS = ("kill", "^C", "full disk")
SEED = 20261118
PAUSE = 0.005
"""Seconds that a shard takes at least."""


def run() -> Iterator[Result]:
    found = interrupted(50)
    yield {
        "name": "kill, ^C and full disk, repeated",
        "pairs": found["times"],
        "values": found,
        "equal": not found["different"],
        "note": f"{found['computed twice']} shards computed twice, {found['reused']} reused",
    }


def interrupted(times: int) -> dict[str, int]:
    """Interrupt a run `times` times and repeat it; count shards that were reused, and that were computed twice."""
    rng = random.Random(SEED)
    counts = {"times": times, "reused": 0, "computed twice": 0, "different": 0}
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        os.environ["ASSAY_CACHE"] = str(base / "cache")
        clean = _in_child(base, partial(_score, base, None))
        for number in range(times):
            for folder in ("run", "cache"):
                shutil.rmtree(base / folder, ignore_errors=True)
            kind, saved = KINDS[number % 3], base / "run" if number % 2 else None
            moment = rng.randrange(1, SHARDS)
            within = rng.uniform(1e-4, PAUSE * 2)
            first = _in_child(base, partial(_score, base, saved, kind, moment, within))
            if kind == "full disk" and not saved:  # ends well without a folder
                counts["different"] += first["scores"] != clean["scores"]
                continue
            second = _in_child(base, partial(_score, base, saved))
            twice = set(first["computed"]) & set(second["computed"])
            counts["computed twice"] += len(twice)
            counts["reused"] += SHARDS - len(second["computed"])
            counts["different"] += second["scores"] != clean["scores"]
            if len(twice) > 1 or set(first["computed"]) | set(second["computed"]) != set(clean["computed"]):
                raise AssertionError(f"run {number}: {kind} after {moment} shards: {len(twice)} were computed twice")
    return counts


def _in_child(base: Path, work: Callable[[], object]) -> dict[str, Any]:
    """Run in a process of its own; return what was computed, and the scores if it came to an end."""
    for file in ("computed", "scores"):
        (base / file).unlink(missing_ok=True)
    child = os.fork()
    if not child:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the full disk
                (base / "scores").write_text(json.dumps(work()))
        except (KeyboardInterrupt, OSError):
            pass
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.waitpid(child, 0)
    scores = base / "scores"
    return {"computed": _lines(base / "computed"), "scores": scores.read_text() if scores.exists() else None}


def _end_soon(kind: str, within: float) -> None:
    """Let a timer end this process at once, or interrupt it."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL if kind == "kill" else signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, within)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def _score(
    base: Path, saved: Path | None, kind: str = "", moment: int = 0, within: float = 0.0
) -> dict[str, float | None]:
    """Score four metrics; some time after a number of shards, the process is ended or the disk is full."""
    real, computed = shard_job.attempt, base / "computed"
    stored = StatisticsFolder.put_shard
    left = [moment]

    def noting(metric: Any, items: Items, context: Any) -> Any:
        rows = real(metric, items, context)
        with computed.open("a") as stream:
            stream.write(f"{metric.name} {items.ids[0]}\n")
        left[0] -= 1
        if kind in ("kill", "^C") and left[0] == 0:
            _end_soon(kind, within)
        time.sleep(PAUSE)
        return rows

    def full(self: Any, *shard: Any) -> None:
        if kind == "full disk" and left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        stored(self, *shard)

    shard_job.attempt, StatisticsFolder.put_shard = noting, full  # type: ignore[assignment,method-assign]
    measure.SHARD, keeping.AFTER = SHARD, 0.0
    examples = tuple(Example(id=str(i), references=(f"the ship {i} left harbour {i % 7}",)) for i in range(ITEMS))
    items = Items(tuple(f"a ship left harbour {i % 5} at {i}" for i in range(ITEMS)), examples)
    result = score_items(items, resolve(METRICS), folder=RunFolder(saved, items) if saved else None)
    return {name: score.value for name, score in result.scores.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    print(json.dumps(interrupted(parser.parse_args().times)))
