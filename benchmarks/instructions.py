"""Processor instructions of ten small workloads against stored counts: a slow change fails on a busy machine as well.

    python -m benchmarks.instructions            # compare with benchmarks/instructions.json; exit code 1 if slower
    python -m benchmarks.instructions --write    # store the counts of this version

Valgrind counts the instructions (`apt-get install valgrind`; skipped without it). Counts do not depend on load or
clock, but on compiler and Python: they are compared for the same version of Python, with compiled kernels only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

STORED = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.10
"""Share by which a count may exceed the stored one: other compilers and libraries differ by a few per cent."""
MARK = "getpgid"
"""A function of the C library that nothing else here calls; counts are written whenever it is called."""
ITEMS = 40
WORDS = "harbour lantern meadow copper thistle orchard gravel willow beacon saddle marble kettle the a of in".split()
Work = Callable[[], object]


def texts(count: int, seed: int) -> list[str]:
    """Return sentences of synthetic words, the same on every machine."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(12, 30))).capitalize() + "." for _ in range(count)]


def workloads() -> dict[str, Work]:
    """Return the workloads; what they only prepare is not counted."""
    import numpy as np

    from assay.metrics import resolve
    from assay.records import Example, Items
    from assay.records.read import read_outputs
    from assay.stats.resample import bootstrap
    from assay.stats.significance import sign_flip
    from assay.text.sentences import split_sentences

    outputs, references = texts(ITEMS, 1), texts(ITEMS, 2)
    examples = [Example(id=str(i), references=(text,), source=text) for i, text in enumerate(references)]
    items = Items(tuple(outputs), tuple(examples))
    metrics = {name: resolve(name)[0].metric for name in ("bleu", "rouge1", "rougeL", "chrf", "ter", "distinct-2")}

    def scored(name: str) -> None:
        rows = metrics[name].statistics(Items(tuple(outputs), tuple(examples)))
        for draws in bootstrap(ITEMS, 1, 0):
            metrics[name].fold(rows, draws)

    folder = tempfile.TemporaryDirectory(prefix="assay-instructions-")  # removed with the function that reads it
    file = Path(folder.name) / "outputs.jsonl"
    file.write_text("".join(json.dumps({"id": str(i), "output": text}) + "\n" for i, text in enumerate(outputs * 10)))
    a, b = np.random.default_rng(0).normal(size=(2, 400))
    rows = metrics["bleu"].statistics(items)
    article = " ".join(outputs)
    return {
        **{name: partial(scored, name) for name in metrics},
        "read JSONL": lambda: (read_outputs(file), folder),
        "split sentences": lambda: split_sentences(article),
        "permutation test": lambda: sign_flip(a, b, samples=500),
        "bootstrap of BLEU": lambda: [metrics["bleu"].fold(rows, draws) for draws in bootstrap(ITEMS, 200, 0)],
    }


def run() -> None:
    """Run each workload once to load what it needs, then once between two marks; called under valgrind."""
    every = workloads()
    for work in every.values():
        work()
    for work in every.values():
        os.getpgid(0)
        work()
    os.getpgid(0)


def measure(valgrind: str) -> dict[str, int]:
    """Return the instructions of each workload."""
    names = list(workloads())
    with tempfile.TemporaryDirectory(prefix="assay-instructions-") as folder:
        out = Path(folder) / "counts"
        subprocess.run(
            [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", f"--dump-before={MARK}", sys.executable,
             "-m", "benchmarks.instructions", "--run"],
            check=True, capture_output=True, cwd=STORED.parents[1],
            env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        )  # fmt: skip
        parts = sorted(Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        counts = [total(path.read_text()) for path in parts]
    assert len(counts) == len(names) + 1, f"{len(counts)} counts for {len(names)} workloads"
    return dict(zip(names, counts[1:], strict=True))  # the first is the start of Python


def total(text: str) -> int:
    """Return the number of instructions in a file of callgrind."""
    match = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    assert match, "the file of valgrind has no total"
    return int(match[1])


def slower(counts: Mapping[str, int], stored: Mapping[str, int]) -> list[str]:
    """Return a line for each workload that takes more instructions than stored, or is not stored."""
    lines = []
    for name, count in counts.items():
        known = stored.get(name)
        if known is None:
            lines.append(f"{name}: not stored. Store it with --write.")
        elif count > (1 + TOLERANCE) * known:
            lines.append(f"{name}: {count:,} instructions, {count / known:.2f} times the stored {known:,}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description="Instructions of small workloads against stored counts.")
    parser.add_argument("--write", action="store_true", help="store the counts of this version")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run()
        return 0
    from assay.text._kernels import compiled

    valgrind, python = shutil.which("valgrind"), ".".join(platform.python_version_tuple()[:2])
    if valgrind is None or not all(compiled().values()):
        print(f"skipped: {'the kernels are not compiled' if valgrind else 'valgrind is not installed'}")
        return 0
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    counts = measure(valgrind)
    if options.write:
        STORED.write_text(json.dumps({**stored, python: counts}, indent=1, sort_keys=True) + "\n")
    known = counts if options.write else stored.get(python, {})
    for name, count in counts.items():
        print(f"{name:<20} {count:>13,}" + (f"  {count / known[name]:.3f} of stored" if name in known else ""))
    if not known:
        print(f"not compared: no counts are stored for Python {python}")
        return 0
    for line in (lines := slower(counts, known)):
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
