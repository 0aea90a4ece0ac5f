"""The whole command, from the shell to the files: the gem-light suite with import, reading and writing; and what
intervals and comparisons add."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

from assay import compare_all, score_all
from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.results.result import Result as Scored
from benchmarks.timing import Result, timed
from benchmarks.workloads import Row, as_items, workload_a, write

LIGHT_SUITE = 125.5 / 22.0
"""GEM-metrics' whole light suite, in units of rouge_score with stemmer on the same pairs and machine (cpu)."""
SYSTEMS, ITEMS = 20, 209
SMALL = 200
GOES = 3
SHORT_GOES = 10
"""Of what takes milliseconds, which a busy moment spoils; the peer has as many."""


def run() -> Iterator[Result]:
    rows = workload_a()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yardstick = _yardstick(rows)
        small = _command(folder, "a", rows)
        yield {
            "name": "gem-light, whole command",
            "pairs": len(rows),
            "seconds": small[0],
            "peer": "GEM-metrics light suite",
            "peer_seconds": yardstick * LIGHT_SUITE,
            "ratio": yardstick * LIGHT_SUITE / small[0],
            "target": 100,
            "peak_mb": small[1],
            "note": "peer by the yardstick of rouge_score",
        }
        yield {
            "name": "assay score -m bleu, whole command",
            "pairs": SMALL,
            "seconds": _command(folder, "start", rows[:SMALL], ["-m", "bleu"], SHORT_GOES)[0],
            "target": 0.35,
            "note": "mostly importing",
        }
        yield _intervals(rows)
        yield from _comparisons(rows)


def _yardstick(rows: list[Row]) -> float:
    """cpu seconds of rouge_score with stemmer, from a tenth of the pairs."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True)
    some = rows[::10]
    seconds = timed(lambda: [scorer.score(row.references[0], row.output) for row in some])[1]
    return seconds * len(rows) / len(some)


def _command(
    folder: Path, name: str, rows: list[Row], options: Sequence[str] = (), goes: int = GOES
) -> tuple[float, float]:
    """cpu seconds and peak megabytes of `assay score` in a process of its own: of the suite with a run folder, or with
    other options."""
    outputs, examples = write(rows, folder, name)
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL); used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    command = [sys.executable, "-m", "assay", "score", str(outputs), "-e", str(examples), "--json"]
    suite = ["--suite", "gem-light", "--ci", "0", "--save"]
    # as an installed program: its modules are compiled once, and kept
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    best = [
        subprocess.run(
            [sys.executable, "-c", code, *command, *(options or [*suite, str(folder / f"{name}.{go}.run")])],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        ).stdout.split()
        for go in range(goes)
    ]
    for status, _, _ in best:
        if status != "0":
            raise RuntimeError(f"assay score ended with {status}")
    return min((float(seconds), float(peak)) for _, seconds, peak in best)


def _intervals(rows: list[Row]) -> Result:
    """1,000 resamples for every number of the suite, beside the scoring of the texts."""
    items = as_items(rows)

    def scored() -> Scored:
        result = score_items(items, choose(None, "gem-light"))
        _ = result.scores
        return result

    result, scoring = timed(scored)
    adding = timed(lambda: result.with_intervals(1000, 0).scores)[1]
    return {
        "name": "1,000 resamples for the whole suite",
        "pairs": len(rows),
        "seconds": adding,
        "target": scoring,
        "note": f"scoring itself takes {scoring:.2f} s",
    }


def _comparisons(rows: list[Row]) -> Iterator[Result]:
    """Each of twenty systems against the first, BLEU, 1,000 resamples: each test against the same test of sacrebleu,
    which gives no interval of the difference."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    systems = [rows[k * ITEMS : (k + 1) * ITEMS] for k in range(SYSTEMS)]
    references = [row.references for row in systems[0]]
    named = {f"s{k}": [row.output for row in system] for k, system in enumerate(systems)}
    streams = [list(stream) for stream in zip_longest(*references)]

    def ours(test: str) -> list[float | None]:
        scored = list(score_all(named, references, metrics="bleu").values())
        compared = compare_all(scored[0], scored[1:], samples=1000, test=test, family="pair")  # as sacrebleu, no others
        return [each["bleu"].p for each in compared]

    def theirs(test: str) -> object:
        return PairedTest(list(named.items()), {"BLEU": BLEU(references=streams)}, None, test, 1000, 1)()

    tests: tuple[tuple[str, str], ...] = (("bootstrap", "bs"), ("permutation", "ar"))
    for test, peer_test in tests:
        mine = timed(partial(ours, test), SHORT_GOES)[1]
        peer = timed(partial(theirs, peer_test), SHORT_GOES)[1]
        yield {
            "name": f"paired {test}, {SYSTEMS} systems",
            "pairs": SYSTEMS * ITEMS,
            "seconds": mine,
            "peer": f"sacrebleu {peer_test}",
            "peer_seconds": peer,
            "ratio": peer / mine,
            "target": 100,
        }
