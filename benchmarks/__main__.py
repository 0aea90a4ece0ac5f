"""`make bench`: run every benchmark module that has a `run()`, print ratios, write benchmarks/results.json.

python -m benchmarks              # all
python -m benchmarks lexical      # some, by name
python -m benchmarks --data DIR   # with released data, which some of them need
PAIRS=500 python -m benchmarks neural     # BERTScore on that many pairs instead of all
python -m benchmarks inference    # an hour of simulations, written to docs/evidence/statistics.md
python -m benchmarks statistics   # all tables of simulations in docs/evidence, that one among them
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import benchmarks
from assay.text._kernels import compiled
from assay.version import VERSION
from benchmarks.released import VARIABLE, MissingDataError
from benchmarks.timing import Result, line

RESULTS = Path(__file__).with_name("results.json")
PEERS = (
    "rouge-score", "sacrebleu", "nltk", "rouge-rs", "bleuscore", "fastchrf", "bert-score", "torch", "transformers",
    "numpy", "polars",
)  # fmt: skip


def machine() -> dict[str, Any]:
    """What the numbers depend on besides the code."""
    versions = {"assay": VERSION}
    for name in PEERS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "compiled": all(compiled().values()),
        "versions": versions,
    }


def missed(row: Result) -> bool:
    """Whether a target was given and not reached, or values differ from the peer's."""
    if row.get("equal") is False:
        return True
    if "target" not in row:
        return False
    return row["ratio"] < row["target"] if "ratio" in row else row["seconds"] > row["target"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compare the speed with that of peers.")
    parser.add_argument("wanted", nargs="*", metavar="NAME", help="benchmarks to run (default: all)")
    parser.add_argument("--data", metavar="DIR", help=f"folder of released data (default: {VARIABLE})")
    given = parser.parse_args(arguments)
    if given.data:
        os.environ[VARIABLE] = str(Path(given.data).resolve())  # some benchmarks run commands in other folders
    wanted = given.wanted
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results["machine"] = machine()
    failures = 0
    for module in sorted(info.name for info in pkgutil.iter_modules(benchmarks.__path__)):
        if module.startswith("_") or (wanted and module not in wanted):
            continue
        loaded = importlib.import_module(f"benchmarks.{module}")
        run, write = getattr(loaded, "run", None), getattr(loaded, "write", None)
        if run is None:
            if write is not None and wanted:  # an hour's work, for whoever names it
                write()
            continue
        print(f"\n{module}", flush=True)
        rows = []
        try:
            for row in run():
                rows.append(row)
                failures += missed(row)
                print(("  ! " if missed(row) else "    ") + line(row), flush=True)
        except MissingDataError as reason:
            print(f"    skipped: {reason}")
            continue
        results[module] = rows
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\nwritten to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS}")
    if failures:
        print(f"{failures} targets missed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
