"""Processor time of a call, for tests of cost that hold on a busy machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def processor_seconds(call: Callable[[], object], runs: int = 3, quick: float = 0.0) -> float:
    """Return the least processor time of some runs.

    Other processes share the caches, and a garbage collection costs what other tests have left in memory: neither is
    the cost of the call, so collections wait and the best run counts.

    Args:
        call: What is measured.
        runs: Number of runs.
        quick: No further run is needed after one that took less.
    """
    best = float("inf")
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(runs):
            started = time.process_time()
            call()
            best = min(best, time.process_time() - started)
            if best < quick:
                break
    finally:
        if collects:
            gc.enable()
    return best
