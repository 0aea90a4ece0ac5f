"""Several systems on the same items: what they share is read, cut into words and counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.metrics import Request
from assay.records import Items
from assay.results.measure import Measured, measure

MOST = 100_000
"""Outputs that are measured together; more gain nothing, and would all have to be in memory."""


def measure_together(systems: Sequence[Items], requests: Sequence[Request], *, workers: int = 1) -> list[Measured]:
    """What `measure` gives for each system, in order."""
    if not _share(systems):
        return [measure(items, requests, workers=workers) for items in systems]
    count, n = len(systems), len(systems[0])
    # Item by item, so that equal references stand next to each other and a kernel need not count them again.
    outputs = tuple(text for texts in zip(*(items.outputs for items in systems), strict=True) for text in texts)
    examples = tuple(example for example in systems[0].examples for _ in systems)
    together = measure(Items(outputs, examples, notes=systems[0].notes), requests, workers=workers)
    apart = []
    for number in range(count):
        own = Measured()
        mine = np.arange(n, dtype=np.intp) * count + number
        taken = {id(m.rows): m.rows.take(mine) for m in together.computed}
        own.computed = [replace(m, rows=taken[id(m.rows)]) for m in together.computed]
        own.skipped, own.failed = list(together.skipped), list(together.failed)
        apart.append(own)
    return apart


def _share(systems: Sequence[Items]) -> bool:
    first = systems[0].examples
    if len(systems) < 2 or not isinstance(first, tuple) or len(systems) * len(first) > MOST:
        return False
    return all(isinstance(items.outputs, tuple) and items.examples == first for items in systems)
