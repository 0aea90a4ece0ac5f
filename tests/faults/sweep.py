"""The fault sweep: every file-system call of a command once killed, torn, out of room and out of order.

    python -m tests.faults.sweep                 all faults of all cases, a line for each failure
    python -m tests.faults.sweep run --every 5   every fifth fault of the cases whose name begins with `run`

For each fault a fresh copy of the case's folder is made, the command is run with the fault, and then once more without
it. What is asked of it, whatever the folders look like inside:

    wrong      what can be read after the fault is what was there before or what a clean run gives, never a mixture
    lost       what was there before the fault, or was kept before it, is there after it
    doubled    nothing is there twice, and no system is asked twice for an answer that was kept
    traceback  an error is one clear line; no traceback, no report of a mistake of ours
    stuck      the same command mends it: it ends well and gives what a clean run gives
    litter     and leaves no file that a clean run does not leave
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

HERE = Path(__file__).parent
KINDS = {"killed before": 1, "killed after": 2, "full disk": 3, "broken disk": 4}
ALLOCATES = 2
SECONDS = 120.0
"""A command that takes longer hangs."""
CLEAR = re.compile(r"assay: \S.*")
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where folders are made: waiting for a disk a hundred times for each fault would be most of the time."""
TEMPORARY = re.compile(r"\.part$|\.partial$|\.tmp$|^\.")
"""How files are called that are on their way to their place."""


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -9

    def unclear(self) -> str:
        """Why the end of a command is none that a person understands; empty if it is one."""
        for sign in ("Traceback", "panicked", "Exception ignored", "a mistake in assay"):
            if sign in self.err:
                return f"{sign}: {' | '.join(self.err.strip().splitlines()[-3:])[:300]}"
        if self.code == 999:
            return "hangs"
        if self.code not in (0, 1, -9):
            return f"ends with code {self.code}: {self.err[-200:]}"
        if self.code == 1 and len(CLEAR.findall(self.err)) != 1:
            return f"does not say why in one line: {self.err[-300:]!r}"
        return ""


class Fault(NamedTuple):
    number: int
    kind: str
    call: str

    def __str__(self) -> str:
        return f"{self.kind} call {self.number} ({self.call})"


class Forks:
    """The process that commands are forked from, with the interposer in it."""

    def __init__(self, imports: Sequence[str] = ()) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="assay-faults-", dir=IN_MEMORY))
        library = self.home / "interpose.so"
        built = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(HERE / "interpose.c"), "-ldl"]
        subprocess.run(built, check=True)
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
        path = os.pathsep.join([str(HERE.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "forks.py"), *imports],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **threads, "PYTHONPATH": path, "LD_PRELOAD": str(library), "COLUMNS": "200",
                 "NO_COLOR": "1", "XDG_CACHE_HOME": str(self.home / "cache"), "TMPDIR": str(self.home)},
        )  # fmt: skip

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, folder: Path, arguments: Sequence[object], fault: Fault | None = None, log: bool = False) -> Ended:
        """A command in a folder; with a log, the calls it makes there are afterwards in `calls`."""
        said = {name: str(self.home / name) for name in ("out", "err")}
        job = {
            "arguments": [str(argument) for argument in arguments], "folder": str(folder), "seconds": SECONDS,
            "at": fault.number if fault else 0, "kind": KINDS[fault.kind] if fault else 0,
            "log": str(self.home / "log") if log else "", "environment": {"ASKED": str(self.home / "asked")}, **said,
        }  # fmt: skip
        (self.home / "log").unlink(missing_ok=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        code = json.loads(self.process.stdout.readline())["code"]
        return Ended(code, *(Path(said[name]).read_text("utf-8", "replace") for name in ("out", "err")))

    def calls(self) -> list[tuple[int, str]]:
        """The nature of every call of the command that was logged, and what it was."""
        found = []
        for line in (self.home / "log").read_text().splitlines():
            _, name, nature, path = line.split(" ", 3)
            found.append((int(nature), f"{name} {path}"))
        return found

    def asked(self) -> collections.Counter[str]:
        """How often a system that notes it was asked about each item; forgotten once it was said."""
        file = self.home / "asked"
        found = collections.Counter(file.read_text().splitlines() if file.exists() else [])
        file.unlink(missing_ok=True)
        return found


Seen = dict[str, object]
"""What can be read in a folder: by name, each a whole that must not be mixed."""


class Case:
    """One command on one folder. A case says how the folder is made, and how it is looked at."""

    name: str
    arguments: Sequence[object]
    finished_is_refused = False
    """Whether the command refuses a folder in which it has done its work."""
    asks_again = False
    """Whether it asks for all answers again, whatever was kept."""
    imports: Sequence[str] = ()
    """What it needs beside what all do, imported once."""
    reads_damaged = False
    """Whether it shows what is left of something damaged, with a warning, and ends well."""

    def prepare(self, forks: Forks, folder: Path) -> None:
        raise NotImplementedError

    def look(self, forks: Forks, folder: Path) -> tuple[Seen, list[str]]:
        """What a reader finds, and what is wrong with how it is found."""
        raise NotImplementedError


@dataclass
class Prepared:
    """A case with its folder, what a clean run does to it, and the faults to try."""

    case: Case
    forks: Forks
    folder: Path
    before: Seen = field(default_factory=dict)
    clean: Seen = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    asks: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.case.prepare(self.forks, self.folder)
        self.before, wrong = self.case.look(self.forks, self.folder)
        assert not wrong, wrong
        work = self._copy()
        self.forks.asked()
        ended = self.forks.run(work, self.case.arguments, log=True)
        assert ended.code == 0, f"{self.case.name}: {ended.err}"
        calls = self.forks.calls()
        self.asks = len(self.forks.asked())
        self.clean, wrong = self.case.look(self.forks, work)
        assert not wrong, wrong
        self.files = names(work)
        self.faults = [
            Fault(number, kind, call)
            for number, (nature, call) in enumerate(calls, 1)
            for kind in KINDS
            if kind != "full disk" or nature & ALLOCATES
        ]

    def _copy(self) -> Path:
        work = self.folder.with_name("work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.folder, work, symlinks=True)
        return work

    def try_fault(self, fault: Fault) -> list[str]:
        """Everything that is wrong after it."""
        work = self._copy()
        ended = self.forks.run(work, self.case.arguments, fault)
        wrong = [f"traceback: {ended.unclear()}"] if ended.unclear() else []
        seen, unclear = self.case.look(self.forks, work)
        wrong += [f"traceback: a reader {why}" for why in unclear]
        if ended.code == 0 and seen != self.clean and not (self.case.reads_damaged and ended.err):
            wrong.append("wrong: ended well, and what is there is not what a clean run gives")
        if not (self.case.reads_damaged and ended.err):
            wrong += [
                f"wrong: {name} is neither what it was nor what it should be"
                for name, found in seen.items()
                if found not in (self.before.get(name), self.clean.get(name))
            ]
        wrong += [f"lost: {name}" for name in self.before if name not in seen]
        again = self.forks.run(work, self.case.arguments)
        if again.unclear():
            wrong.append(f"traceback: the second time {again.unclear()}")
        mended, unclear = self.case.look(self.forks, work)
        if again.code and not (self.case.finished_is_refused and mended == self.clean):
            wrong.append(f"stuck: {again.err.strip()[-300:]}")
        elif mended != self.clean:
            wrong.append(f"wrong: the same command again gives something else {unclear}")
        if litter := {name for name in names(work) - self.files if TEMPORARY.search(Path(name).name)}:
            wrong.append(f"litter: {', '.join(sorted(litter))}")
        asked = self.forks.asked()
        twice = [item for item, times in asked.items() if times > 1]
        if len(twice) > 1 and not self.case.asks_again:  # one answer may have been under way
            wrong.append(f"doubled: {len(twice)} of {self.asks} items were asked twice")
        if len(asked) > self.asks:
            wrong.append(f"lost: {len(asked) - self.asks} answers that were kept were asked for again")
        return wrong


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def tried(case: Case, forks: Forks, base: Path, every: int = 1, first: int = 0) -> Iterator[tuple[Fault, list[str]]]:
    """Every so many-th fault of a case, and what was wrong after each."""
    prepared = Prepared(case, forks, base / case.name.replace(" ", "-"))
    for fault in prepared.faults[first::every]:
        yield fault, prepared.try_fault(fault)


def main() -> int:
    from tests.faults.cases import CASES

    parser = argparse.ArgumentParser(description="Faults at every file-system call of assay's commands.")
    parser.add_argument("cases", nargs="*", help="beginnings of names; all if none is given")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th fault")
    parser.add_argument("--first", type=int, default=0, help="the first fault to try, from 0")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no fault after so long")
    options = parser.parse_args()
    start, total, failed = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="assay-sweep-", dir=IN_MEMORY) as base:
        for case in CASES:
            if options.cases and not any(case.name.startswith(name) for name in options.cases):
                continue
            counts: collections.Counter[str] = collections.Counter()
            with Forks(case.imports) as forks:
                for fault, wrong in tried(case, forks, Path(base), options.every, options.first):
                    counts["faults"] += 1
                    counts.update({why.partition(":")[0] for why in wrong})
                    failed += bool(wrong)
                    for why in wrong:
                        print(f"  {case.name}: {fault}: {why}", flush=True)
                    if time.monotonic() - start > options.seconds:
                        break
            total += counts["faults"]
            print(f"{case.name}: " + ", ".join(f"{count} {what}" for what, count in counts.items()), flush=True)
    print(f"{total} faults, {failed} with failures, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
