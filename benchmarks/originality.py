"""How time and memory of originality grow: indexing n, 2n and 4n words, and holding outputs against them.

ASSAY_BENCH_WORDS sets the largest corpus (10 million words, which takes a minute or two to make).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import Result

LARGEST = int(os.environ.get("ASSAY_BENCH_WORDS", "10000000"))
SENTENCE, VOCABULARY, OUTPUTS = 25, 200_000, 1_000
GROWTH = 2.4
"""How much longer twice as many words may take."""

CHILD = """
import json, resource, sys, time
from pathlib import Path
from assay.metrics.diversity.fragment_index import add_to_index, read_corpus
from assay.metrics.diversity.originality import Originality
corpus, index, outputs = sys.argv[1:]
start = time.process_time()
contents = add_to_index(Path(index), read_corpus(Path(corpus)))
built = time.process_time()
built_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
found = Originality(corpus=index).examined(Path(outputs).read_text().splitlines())
rare = sum(bool(one.rare) for each in found for one in each)
print(json.dumps({
    "build": built - start, "ask": time.process_time() - built, "mb": built_mb, "words": contents.words, "rare": rare,
    "ask_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def run() -> Iterator[Result]:
    before: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in (LARGEST // 4, LARGEST // 2, LARGEST):
            corpus, outputs = _write(folder, words)
            command = [sys.executable, "-c", CHILD, str(corpus), str(folder / f"index-{words}"), str(outputs)]
            cost = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            note = {
                "build": f"{1e6 * cost['build'] / words:.2f} us a word",
                "ask": f"{OUTPUTS} outputs, {cost['rare']} with a fragment of one source",
            }
            for what, title in (("build", "indexing"), ("ask", "holding outputs against")):
                row: Result = {
                    "name": f"originality, {title} {words:,} words", "pairs": words, "seconds": cost[what],
                    "peak_mb": cost["mb" if what == "build" else "ask_mb"], "note": note[what],
                }  # fmt: skip
                if what in before:
                    row["target"] = GROWTH * before[what]
                    row["note"] += f", {cost[what] / before[what]:.2f} times half of them"
                before[what] = cost[what]
                yield row
            corpus.unlink()


def _write(folder: Path, words: int) -> tuple[Path, Path]:
    """Sentences of words as frequent as words are, and outputs of which a half are put together from two of them."""
    draw = np.random.default_rng(0)
    weights = 1 / np.arange(2, VOCABULARY + 2)
    ends = np.cumsum(weights / weights.sum())
    corpus, outputs = folder / f"corpus-{words}.txt", folder / "outputs.txt"
    kept: list[list[str]] = []
    with corpus.open("w", encoding="utf-8") as stream:
        for start in range(0, words, SENTENCE * 10_000):
            count = min(10_000, -(-(words - start) // SENTENCE))
            numbers = np.searchsorted(ends, draw.random((count, SENTENCE - 1)))
            lines = [[f"w{number}" for number in row] for row in numbers.tolist()]
            kept += lines[:: max(1, count // 100)] if len(kept) < 2 * OUTPUTS else []
            stream.writelines(" ".join(line) + " .\n" for line in lines)
    made = [kept[i % len(kept)][:9] + kept[-1 - i % len(kept)][-9:] if i % 2 else [f"x{i}"] * 9 for i in range(OUTPUTS)]
    outputs.write_text("".join(" ".join(line) + " .\n" for line in made), encoding="utf-8")
    return corpus, outputs
