"""Reading in constant memory, and the oracle filter: peak memory and seconds on generated files.

python -m benchmarks.reading                 # 64 MB
python -m benchmarks.reading --megabytes 2048
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from assay.inputs import filters

WORDS = [f"word{i}" for i in range(5000)]


def generate(path: Path, megabytes: float) -> int:
    """JSON lines in MLSUM's schema of about 4 kB each; returns how many."""
    generator = random.Random(0)
    lines, written, goal = 0, 0, int(megabytes * 1e6)
    with path.open("w", encoding="utf-8") as stream:
        while written < goal:
            text = " ".join(generator.choices(WORDS, k=450))
            row = {"text": text, "summary": text[:120], "topic": "t", "url": f"u{lines}", "title": "t", "date": "d"}
            written += stream.write(json.dumps(row) + "\n")
            lines += 1
    return lines


def peak_megabytes() -> float:
    """Highest resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def read(path: Path, output: Path) -> None:
    """What `assay data read` does, in a process of its own, so that the peak is its own; prints a JSON line."""
    from assay.datasets import dataset
    from assay.records import write_jsonl

    reader = dataset("mlsum_de")
    before = peak_megabytes()
    start = time.perf_counter()
    count = write_jsonl(output, reader.read(path, "test"))
    seconds = time.perf_counter() - start
    print(json.dumps({"examples": count, "seconds": seconds, "before": before, "peak": peak_megabytes()}))


def measure_reading(megabytes: float, folder: Path) -> dict[str, Any]:
    path = folder / "de_test.jsonl"
    lines = generate(path, megabytes)
    command = [sys.executable, "-m", "benchmarks.reading", "--read", str(path), "--output", str(folder / "out.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    found: dict[str, Any] = json.loads(done.stdout)
    if found["examples"] != lines:
        raise RuntimeError(f"{found['examples']} examples of {lines} lines")
    return found | {"megabytes": path.stat().st_size / 1e6}


def measure_oracle(sentences: int, budget: int = 512) -> float:
    """Seconds for the oracle on one long document against three targets."""
    generator = random.Random(1)
    document = [" ".join(generator.choices(WORDS[:2000], k=generator.randint(8, 40))) for _ in range(sentences)]
    targets = [" ".join(generator.sample(document, 1)[0].split()[:20]) for _ in range(3)]
    start = time.perf_counter()
    chosen = filters.oracle(document, targets, budget, filters.whitespace_length(2))
    seconds = time.perf_counter() - start
    if not chosen:
        raise RuntimeError("nothing selected")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Reading in constant memory, and the oracle filter.")
    parser.add_argument("--megabytes", type=float, default=64)
    parser.add_argument("--folder", type=Path, help="where to put the generated file; a temporary folder without it")
    parser.add_argument("--sentences", type=int, default=5000, help="length of the document for the oracle")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        read(given.read, given.output)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = measure_reading(given.megabytes, Path(folder))
    found["oracle_seconds"] = measure_oracle(given.sentences)
    if given.json:
        print(json.dumps(found))
        return
    speed = found["megabytes"] / found["seconds"]
    print(
        f"read {found['megabytes']:,.0f} MB of JSON lines, {found['examples']:,} examples: {found['seconds']:.1f} s "
        f"({speed:.0f} MB/s), peak {found['peak']:.0f} MB, of which {found['before']:.0f} MB before the first line"
    )
    print(f"oracle filter, {given.sentences:,} sentences, budget 512: {found['oracle_seconds']:.2f} s")


if __name__ == "__main__":
    main()
