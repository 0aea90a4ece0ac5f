"""Pairs of processes on one folder: nothing may be lost, replaced or mixed without anybody being told.

python -m benchmarks.pairs           # 200 pairs
python -m benchmarks.pairs 1000 7    # so many, from a seed

Two processes are given their commands, wait for the same moment and begin. Whoever ends well must find its work in the
folder; whoever does not must have said in one line who was first, or why it was refused.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import assay
from assay.store.verify import check

WORKER = """
import contextlib, io, json, sys, time
from assay.cli import main
import assay, assay.execution.run_config, assay.store.run_folder, polars
said = sys.stdout
for line in sys.stdin:
    job = json.loads(line)
    out, err, code = io.StringIO(), io.StringIO(), 0
    time.sleep(max(0.0, job["at"] - time.time()))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(job["arguments"])
        except SystemExit as end:
            code = int(end.code or 0)
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=said, flush=True)
"""
BUSY = "is being written by"
GAP = 0.03
"""Seconds that one of the two may begin later."""
CONFIG = """
name = "tiny"
ci = 0
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1"]
[[systems]]
name = "a"
outputs = "a.jsonl"
[[systems]]
name = "b"
outputs = "b.jsonl"
[[systems]]
name = "mine"
system = "lead"
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class Worker:
    """A process that runs commands as they are given to it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def begin(self, at: float, arguments: Sequence[object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"at": at, "arguments": list(map(str, arguments))}) + "\n")
        self.process.stdin.flush()

    def end(self) -> Ended:
        assert self.process.stdout is not None
        return Ended(*json.loads(self.process.stdout.readline()))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


Commands = tuple[Sequence[object], Sequence[object]]


class Kind(NamedTuple):
    """What two processes do to one folder, and what is wrong after it."""

    commands: Callable[[Path], Commands]
    wrong: Callable[[Path, tuple[Ended, Ended]], list[str]]


def _score(folder: Path, system: str, metric: str, *more: str) -> list[object]:
    return [
        "score",
        folder / f"{system}.jsonl",
        "-e",
        folder / "e.jsonl",
        "-m",
        metric,
        "--save",
        folder / "run",
        *more,
    ]


def _run(folder: Path, *more: str) -> list[object]:
    return ["run", folder / "c.toml", "-o", folder / "out", *more]


def _generate(folder: Path, system: str) -> list[object]:
    return ["system", "generate", folder / "e.jsonl", "--system", system, "-o", folder / "o.jsonl"]


def _metrics_lost(folder: Path, ended: tuple[Ended, Ended]) -> list[str]:
    held = assay.load_run(folder / "run").values
    wanted = [name for one, name in zip(ended, ("rouge1", "chrf"), strict=True) if one.code == 0]
    return [f"{name} is not in the folder" for name in wanted if name not in held]


def _systems_mixed(folder: Path, ended: tuple[Ended, Ended], forced: bool) -> list[str]:
    done = [name for one, name in zip(ended, "ab", strict=True) if one.code == 0]
    held = assay.load_run(folder / "run").system
    texts = {json.loads(line)["system"] for line in (folder / "run/outputs.jsonl").read_text().splitlines()}
    wrong = [] if texts == {held} else [f"numbers of {held} beside texts of {texts}"]
    wrong += [] if held in done else [f"holds {held}, and those who ended well are {done}"]
    return wrong + (["one has replaced the other unasked"] if len(done) > 1 and not forced else [])


def _entries_lost(folder: Path, ended: tuple[Ended, Ended], systems: Sequence[Sequence[str]]) -> list[str]:
    entries = json.loads((folder / "out/results.json").read_text())["entries"]
    held = {entry["system"] for entry in entries if entry["why"] is None}
    wanted = {name for one, names in zip(ended, systems, strict=True) if one.code == 0 for name in names}
    return [f"{name} is not in results.json" for name in sorted(wanted - held)]


def _answers_mixed(folder: Path, ended: tuple[Ended, Ended]) -> list[str]:
    done = [name for one, name in zip(ended, ("lead", "copy"), strict=True) if one.code == 0]
    held = {json.loads(line)["system"] for line in (folder / "o.jsonl").read_text().splitlines()}
    return (
        [] if len(held) == 1 and held <= {*done} else [f"holds answers of {held}, and those who ended well are {done}"]
    )


KINDS: dict[str, Kind] = {
    "metrics of one run": Kind(lambda f: (_score(f, "a", "rouge1"), _score(f, "a", "chrf")), _metrics_lost),
    "two systems": Kind(
        lambda f: (_score(f, "a", "rouge1"), _score(f, "b", "rouge1")), lambda f, e: _systems_mixed(f, e, False)
    ),
    "two systems by force": Kind(
        lambda f: (_score(f, "a", "rouge1", "--force"), _score(f, "b", "rouge1", "--force")),
        lambda f, e: _systems_mixed(f, e, True),
    ),
    "systems of one benchmark": Kind(
        lambda f: (_run(f, "--only", "a"), _run(f, "--only", "b")), lambda f, e: _entries_lost(f, e, ("a", "b"))
    ),
    "the same benchmark twice": Kind(
        lambda f: (_run(f), _run(f)), lambda f, e: _entries_lost(f, e, (("a", "b", "mine"),) * 2)
    ),
    "answers of two systems": Kind(lambda f: (_generate(f, "lead"), _generate(f, "copy")), _answers_mixed),
}


def corpus(folder: Path) -> None:
    folder.mkdir(parents=True)
    texts = [f"the cat number {i} sat on the mat" for i in range(8)]
    rows: dict[str, list[dict[str, Any]]] = {
        "e": [{"id": str(i), "references": [text], "source": f"{text}. More."} for i, text in enumerate(texts)],
        "a": [{"id": str(i), "output": text[:20], "system": "a"} for i, text in enumerate(texts)],
        "b": [{"id": str(i), "output": text[4:], "system": "b"} for i, text in enumerate(texts)],
    }
    for name, held in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
    (folder / "c.toml").write_text(CONFIG, encoding="utf-8")


def unclear(ended: Ended) -> list[str]:
    """A refusal is one line with a reason."""
    lines = [line for line in ended.err.splitlines() if line.startswith("assay: ")]
    if "Traceback" in ended.err or ended.code not in (0, 1) or (ended.code and len(lines) != 1):
        return [f"ended with {ended.code}: {ended.err[-300:]}"]
    return []


def run_pairs(count: int, seed: int, base: Path) -> tuple[Counter[str], list[str]]:
    """So many pairs, kinds in turn; how they ended, and what was wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    rng = random.Random(seed)
    with Worker() as first, Worker() as second:
        for number in range(count):
            name, kind = list(KINDS.items())[number % len(KINDS)]
            folder = base / f"pair-{number}"
            corpus(folder)
            at = time.time() + 0.05
            for worker, arguments in zip((first, second), kind.commands(folder), strict=True):
                worker.begin(at + rng.random() * GAP, arguments)
            ended = (first.end(), second.end())
            said = [why for one in ended for why in unclear(one)]
            if all(one.code for one in ended):
                said.append("neither has done its work")
            else:
                said += kind.wrong(folder, ended)
                stored = folder / (
                    "run" if (folder / "run").exists() else "out" if (folder / "out").exists() else "o.jsonl"
                )
                said += [f"{f.file}: {f.problem}" for checked in check(stored) for f in checked.findings]
            counts[name] += 1
            counts["refused"] += sum(one.code != 0 for one in ended)
            wrong += [f"pair {number} ({name}): {why} {[one.err for one in ended]}" for why in said]
            shutil.rmtree(folder)
    return counts, wrong


def main() -> int:
    count, seed = (int(one) for one in (sys.argv[1:] + ["200", "0"][len(sys.argv) - 1 :])[:2])
    with tempfile.TemporaryDirectory(prefix="assay-pairs-") as base:
        counts, wrong = run_pairs(count, seed, Path(base))
    print(f"{count} pairs: {len(wrong)} wrong; " + ", ".join(f"{name} {number}" for name, number in counts.items()))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
