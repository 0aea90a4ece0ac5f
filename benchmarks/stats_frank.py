"""The whole FRANK table with Williams and ablation, from the released files to the last number.

python -m benchmarks.stats_frank [data folder]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from assay.meta.ablation import ablate
from assay.meta.correlate import CorrelateRequest, correlate_metrics
from assay.meta.joined_scores import join_scores
from assay.meta.williams import pairwise_williams
from benchmarks.released import VARIABLE, MissingDataError, released

LIMIT_SECONDS = 2.0


def measure(folder: Path) -> dict[str, float]:
    """Seconds of each step over 15 metrics and 2,246 summaries."""
    taken: dict[str, float] = {}
    question = CorrelateRequest("Factuality", ("model_name",))

    def note(step: str, start: float) -> None:
        taken[step] = time.perf_counter() - start

    start = time.perf_counter()
    data = join_scores(folder / "human_annotations.json", folder / "baseline_factuality_metrics_outputs.json")
    note("read and join", start)
    start = time.perf_counter()
    correlate_metrics(data, question)
    note("partial correlations with permutation nulls", start)
    start = time.perf_counter()
    pairwise_williams(data, question)
    note("Williams, 105 pairs", start)
    start = time.perf_counter()
    ablate(data, question, ["all"])
    note("ablation, 11 categories", start)
    return taken


def main() -> None:
    if len(sys.argv) > 1:
        os.environ[VARIABLE] = sys.argv[1]
    try:
        taken = measure(released("frank"))
    except MissingDataError as reason:
        sys.exit(str(reason))
    for step, seconds in taken.items():
        print(f"{step:<45} {seconds:.2f} s")
    total = sum(taken.values())
    print(f"{'all':<45} {total:.2f} s (limit {LIMIT_SECONDS:.0f})")
    if total > LIMIT_SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    main()
