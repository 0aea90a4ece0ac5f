"""The audit of one system with every light metric at ten strengths, and the probe of lexical metrics with traps."""

from __future__ import annotations

import time
from collections.abc import Iterator

from assay.execution.loading import load_all
from assay.meta.audit import REPEATS, STRENGTHS, audit_systems
from assay.meta.trap_files import read_documents, read_traps
from assay.meta.traps import lexical_metrics, probe
from assay.metrics import METRICS, resolve
from benchmarks.released import released
from benchmarks.timing import Result, timed

SYSTEM = "Dress-Ls"


def light() -> list[str]:
    """Every metric that runs without a model; what these items are not for is skipped by itself."""
    return [name for name, extra in METRICS.each(lambda cls: cls.extra or "", {}) if not extra]


def run() -> Iterator[Result]:
    turk = released("turkcorpus")
    items = load_all([turk / "outputs" / SYSTEM], examples=f"turk:{turk / 'test.truecase.detok.orig'}")
    start = time.perf_counter()
    found, seconds = timed(lambda: audit_systems(items, resolve(light())))
    clock = time.perf_counter() - start
    manipulations = len({row.manipulation for row in found.rows})
    numbers = len({row.metric for row in found.rows})
    note = (
        f"{manipulations} manipulations x {len(STRENGTHS)} strengths x {REPEATS} repeats, {numbers} numbers; "
        f"{clock:.0f} s by the clock"
    )
    yield {
        "name": f"audit {SYSTEM}, all light metrics",
        "pairs": len(items[0]),
        "seconds": seconds,
        "target": 120,
        "note": note,
    }
    traps, documents = read_traps(released("frank/traps.jsonl")), read_documents(released("frank/texts.jsonl"))
    probed, seconds = timed(lambda: probe(traps, documents))
    note = f"{len(lexical_metrics())} metrics, {len(probed.parts)} numbers"
    yield {
        "name": "traps of FRANK, all lexical metrics",
        "pairs": len(traps),
        "seconds": seconds,
        "target": 60,
        "note": note,
    }
