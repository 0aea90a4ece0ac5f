"""Damaged files through every reader, and any bytes as texts through every metric, looking for a crash.

    python -m benchmarks.fuzz --files 10000             so many damaged files over all readers
    python -m benchmarks.fuzz --seconds 3600            as many as go into an hour
    python -m benchmarks.fuzz --target foreign -v       only some of them, by the beginning of their names
    python -m benchmarks.fuzz --atheris records         with coverage as a guide (pip install atheris); options of
                                                        libFuzzer follow, such as -max_total_time=300

A file that gives anything but an answer or an `AssayError`, takes more than 30 seconds or more than 2 GB of memory is
a finding; it is written to the folder --keep. Once mended it goes to tests/fuzz/seeds/TARGET, where tests read it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import select
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import IO, Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
SECONDS, MEMORY = 30.0, 2 << 30
DEAR = ("stored-", "address", "foreign")
"""Targets that open whole results; they get a quarter of the files that others get."""


def metrics_on(data: bytes) -> None:
    """Six texts for two items, cut at the byte 0xFF; whatever UTF-8 cannot read becomes half characters."""
    from assay.metrics import METRICS, resolve
    from assay.records import Example, Items
    from assay.stats.resample import bootstrap

    texts = [piece.decode("utf-8", "surrogateescape") for piece in (data.split(b"\xff") + [b""] * 6)[:6]]
    first = Example(id="a", references=(texts[2],), source=texts[3])
    items = Items((texts[0], texts[1]), (first, Example(id="b", references=(texts[4], texts[5]), source=texts[0])))
    for name in METRICS:
        metric = resolve(name)[0].metric
        if name in ("lexical_complexity", "fkgl", "flesch") or "inputs" in metric.needs or metric.extra is not None:
            continue  # of texts alone, without a word list or a model
        rows = metric.statistics(items)
        for draws in bootstrap(2, 3, 0):
            metric.fold(rows, draws)
        metric.per_example(rows)


def targets() -> dict[str, Any]:
    from tests.fuzz.target import Target
    from tests.fuzz.targets import TARGETS

    return {
        **TARGETS,
        "texts": Target("texts", lambda: [b"the cat\xffsat \xe2\x80\x93 here\xffon\xffthe mat"], metrics_on),
    }


def damaged(target: Any, number: int) -> bytes:
    """The same file for the same number, here and in the process that reads it."""
    from tests.fuzz.mutations import apply, drawn

    rng = Random(f"{target.name} {number}")
    return apply(rng.choice(target.seeds), drawn(rng))


def work(stream: IO[str]) -> None:
    """In a process of its own: a target and a number a line, and what came of it."""
    resource.setrlimit(resource.RLIMIT_DATA, (2 * MEMORY, 2 * MEMORY))
    known = targets()
    for line in stream:
        name, number = line.split()
        data = damaged(known[name], int(number))
        print("reading", flush=True)
        why = ""
        try:
            known[name].try_bytes(data)
        except BaseException as error:
            places = [at for at in traceback.extract_tb(error.__traceback__) if "/src/assay/" in at.filename]
            where = f"{places[-1].filename.split('/src/assay/')[-1]}:{places[-1].lineno}" if places else "?"
            why = f"{type(error).__name__} at {where}: {str(error)[:100]!r}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if peak > MEMORY:
            why = why or f"{peak >> 20} MB of memory"
        print(f"done {why}".strip(), flush=True)
        if peak > MEMORY:
            return


class Reader:
    """The process that reads; a new one after each that died."""

    process: subprocess.Popen[bytes] | None = None
    held = b""

    def ask(self, name: str, number: int) -> str:
        """Why a file is a finding; empty if it is none."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-m", "benchmarks.fuzz", "--work"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
            self.held = b""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name} {number}\n".encode())
        self.process.stdin.flush()
        self._line(600)  # until it has everything imported and the file made
        start = os.times()
        said = self._line(SECONDS)
        if said is None:
            spent = os.times().elapsed - start.elapsed
            self.process.kill()
            self.process.wait()
            return f"took more than {SECONDS:g} s" if spent >= SECONDS else f"died with code {self.process.returncode}"
        return said.removeprefix("done").strip()

    def _line(self, seconds: float) -> str | None:
        assert self.process is not None
        assert self.process.stdout is not None
        while b"\n" not in self.held:
            ready, _, _ = select.select([self.process.stdout], [], [], seconds)
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                return None
            self.held += more
        line, _, self.held = self.held.partition(b"\n")
        return line.decode("utf-8", "replace")


def campaign(names: list[str], files: int, seconds: float, first: int, keep: Path | None, verbose: bool) -> int:
    """Files in turn over the targets; a line for each new finding and a summary."""
    known, reader = targets(), Reader()
    chosen = [name for name in known if not names or name.startswith(tuple(names))]
    start, done, number = time.monotonic(), 0, first
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    while done < files and time.monotonic() - start < seconds:
        for name in chosen:
            if number % 4 and name.startswith(DEAR):
                continue
            if done >= files or time.monotonic() - start > seconds:
                break
            why = reader.ask(name, number)
            done += 1
            counts[name] += 1
            if why:
                found[f"{name}: {why.split(': ')[0]}"] += 1
                if found[f"{name}: {why.split(': ')[0]}"] == 1:
                    print(f"  {name} {number}: {why}", flush=True)
                if keep is not None:
                    data = damaged(known[name], number)
                    (keep / name).mkdir(parents=True, exist_ok=True)
                    (keep / name / hashlib.blake2b(data, digest_size=6).hexdigest()).write_bytes(data)
        number += 1
    if verbose:
        print(", ".join(f"{name} {count}" for name, count in counts.items()))
    print(
        f"{done} files over {len(counts)} targets in {time.monotonic() - start:.0f} s: {sum(found.values())} findings"
    )
    return 1 if found else 0


def guided(name: str, options: list[str]) -> None:
    import atheris

    fuzzer: Any = atheris
    target = targets()[name]
    fuzzer.instrument_all()
    fuzzer.Setup([sys.argv[0], *options], target.try_bytes)
    fuzzer.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description="Damaged files through every reader.")
    parser.add_argument("--files", type=int, default=1 << 60)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--first", type=int, default=0, help="the number of the first file of each target")
    parser.add_argument("--target", action="append", default=[], help="beginning of a name; may be repeated")
    parser.add_argument("--keep", type=Path, help="folder for the files that were findings")
    parser.add_argument("--atheris", metavar="TARGET")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--verbose", "-v", action="store_true")
    options, more = parser.parse_known_args()
    if options.work:
        work(sys.stdin)
        return 0
    if options.atheris:
        guided(options.atheris, more)
        return 0
    return campaign(options.target, options.files, options.seconds, options.first, options.keep, options.verbose)


if __name__ == "__main__":
    sys.exit(main())
