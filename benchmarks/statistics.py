"""All tables of simulations in docs/evidence, recomputed one after the other, each written with its date and seed.

python -m benchmarks statistics --data DIR      # hours; each of them is a benchmark of its own
"""

from __future__ import annotations

import importlib

TABLES = (
    "heavy_tails", "few_items", "dependence", "equal_means", "gate_levels", "planning", "subgroups", "explained",
    "anomalies", "shared_inputs", "rating_models", "table_marks", "inference",
)  # fmt: skip


def write() -> None:
    """Measure and write into the pages; a finished table stays if a later one is interrupted."""
    for name in TABLES:
        print(name, flush=True)
        importlib.import_module(f"benchmarks.{name}").write()
