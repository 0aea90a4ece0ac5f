"""Altered inputs: typos in 100,000 sentences, and back-translation of 200 through Apertium where it is installed."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator

from assay.challenges import perturbation
from assay.challenges.perturbation import challenge_set
from assay.records import Example
from benchmarks.timing import Result, timed

INPUTS = 100_000
WORDS = "the ferry left harbour at dawn while many people stood on quay and watched boats come back from north".split()


def sentences(count: int) -> list[Example]:
    """Synthetic sentences of about 20 words, 110 characters."""
    draw = random.Random(0)
    return [Example(id=str(i), source=" ".join(draw.choices(WORDS, k=20)).capitalize() + ".") for i in range(count)]


def run() -> Iterator[Result]:
    given = sentences(INPUTS)
    for spec in ("typos:bfp02", "typos:bfp05", "typos-exact:p=0.05"):
        made, seconds = timed(lambda spec=spec: challenge_set(perturbation(spec), given, size=INPUTS))  # type: ignore[misc]
        note = f"{len(made.examples):,} of {INPUTS:,} inputs changed"
        yield {"name": f"challenge {spec}", "pairs": INPUTS, "seconds": seconds, "target": 10, "note": note}
    if shutil.which("apertium"):
        start = time.perf_counter()  # the work is done in other processes
        back = challenge_set(perturbation("backtranslation"), given[:200])
        seconds = time.perf_counter() - start
        note = f"{len(back.examples)} of 200 changed, {back.accepted:.1%} accepted; by the clock"
        yield {"name": "challenge backtranslation", "pairs": 200, "seconds": seconds, "note": note}
