"""Compare two source trees of assay: the same commands, the same numbers.

    python tools/same_numbers.py OLD NEW [--data DIR] [--words]

Each command runs once with the `src` of either tree first on the path. Keys, numbers, signatures and digests of the
JSON output must be equal; sentences may differ and are listed with `--words`. Command names of an older tree are
mapped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

METRICS = (
    "rouge,rouge:stemmer=true,rouge_more,bleu,sentence_bleu,chrf,chrf+,chrf++,ter,nist,cider,wer,levenshtein,"
    "local_recall,ngrams,msttr,ttr,yules_i,self_bleu,repetition,lengths,sari,fkgl,flesch,rewriting,novelty"
)
EXACT = ("signature", "id", "sha256", "digest", "metric", "system", "better", "verdict")
"""Keys whose texts must be equal; other texts are wording."""


def commands(sample: Path, data: Path | None) -> Iterator[list[str]]:
    """Yield the commands, as the new tree calls them."""
    outputs = sample / "outputs"
    systems = sorted(folder.name for folder in outputs.iterdir())
    for dataset in ("news", "places", "simple", "dialog"):
        examples = ["-e", str(sample / f"{dataset}.jsonl")]
        files = [str(outputs / system / f"{dataset}.jsonl") for system in systems]
        yield ["score", files[0], *examples, "-m", METRICS, "--ci", "200", "--json"]
        yield ["score", files[1], *examples, "--suite", "gem-light", "--by", "language", "--json"]
        yield ["compare", *files[:2], *examples, "-m", "rouge,bleu,chrf,ngrams,cider,msttr", "--json"]
        yield ["compare", *files, *examples, "-m", "rouge1,chrf,mean_length", "--json"]
        yield ["table", *files, *examples, "-m", "rouge,bleu", "--ci", "200", "--json"]
    news = ["-e", str(sample / "news.jsonl")]
    a, b = (str(outputs / system / "news.jsonl") for system in systems[:2])
    for test in ("bootstrap", "t", "wilcoxon", "sign"):
        yield ["compare", a, b, *news, "-m", "rouge1,chrf", "--test", test, "--json"]
    yield ["compare", a, b, *news, "-m", "rouge1,chrf", "--margin", "rouge1=5,chrf=5", "--bayes", "--json"]
    yield ["compare", a, b, *news, "-m", "rouge1", "--by", "language", "--cluster", "language", "--json"]
    yield ["check", b, "-b", a, *news, "-m", "rouge1,chrf", "--margin", "rouge1=15,chrf=15", "--json"]
    yield ["analyze", "groups", a, *news, "--by", "language", "-m", "rouge1,chrf", "--json"]
    yield ["analyze", "null-test", a, b, *news, "-m", "rouge1", "--draws", "50", "--json"]
    yield ["analyze", "agreement", str(sample / "judgements.jsonl"), "--json"]
    yield ["analyze", "power", "--sd", "1.5", "--effect", "0.4", "--json"]
    yield ["analyze", "slots", str(outputs / systems[0] / "places.jsonl"), "-e", str(sample / "places.jsonl"), "--json"]
    yield ["metric", "audit", a, b, *news, "-m", "rouge1,bleu", "--strength", "50", "--repeats", "2", "--json"]
    yield ["metric", "list", "--json"]
    yield ["data", "list", "--json"]
    yield ["system", "list", "--json"]
    yield ["challenge", "list", "--json"]
    if data is None:
        return
    frank = data / "frank"
    human, scores = frank / "human_annotations.json", frank / "baseline_factuality_metrics_outputs.json"
    yield ["metric", "correlate", "--human", str(human), "--scores", str(scores), "--json"]
    yield ["metric", "correlate", "--human", str(human), "--scores", str(scores), "--williams", "--ci", "100", "--json"]
    for name in ("frank", "eks", "tesa", "fomc", "narrative", "multiwoz", "pointer", "simplification"):
        yield ["metric", "reproduce", name, "--data", str(data), "--json"]
    predictions = sorted((data / "multiwoz" / "predictions").glob("*.json"))
    if predictions:
        yield ["analyze", "dialog", str(predictions[0]), "--databases", str(data / "multiwoz" / "database"), "--json"]


def spoken_by(tree: Path, arguments: list[str]) -> list[str]:
    """Return a command in the names of a tree, which may be older than the command tree."""
    if (tree / "src/assay/cli/tree.py").exists():
        return arguments
    sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
    from assay.cli.tree import RENAMED

    former = {tuple(new.split()): old for old, new in RENAMED.items()}
    old = former.get(tuple(arguments[:2]))
    return [old, *arguments[2:]] if old else arguments


def call(tree: Path, arguments: list[str], cwd: Path) -> tuple[int, Any]:
    """Run a command; return its exit code and its JSON."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "assay", *spoken_by(tree, arguments)],
        capture_output=True, text=True, env=environment, cwd=cwd, check=False,
    )  # fmt: skip
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {"stderr": done.stderr[-300:]}


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield what differs, and whether it is wording only."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in old or key not in new:
                yield f"{path}.{key}: only in the {'new' if key in new else 'old'} tree", False
            else:
                yield from differences(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif old != new:
        words = isinstance(old, str) and isinstance(new, str) and path.rpartition(".")[2] not in EXACT
        words = words and "|" not in f"{old}{new}"
        words = words or (isinstance(old, list) and isinstance(new, list) and ".warnings" in path)
        yield f"{path}: {str(old)[:160]!r} -> {str(new)[:160]!r}", words


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", type=Path, help="folder of released data; without it the sample alone is compared")
    parser.add_argument("--words", action="store_true", help="also list changed wording")
    options = parser.parse_args()
    trees = options.old.resolve(), options.new.resolve()
    listed = list(commands(trees[0] / "src/assay/sample", options.data.resolve() if options.data else None))
    different = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for arguments in listed:
            (code, before), (now, after) = pool.map(partial(call, arguments=arguments, cwd=Path(folder)), trees)
            changes = list(differences(before, after))
            refused = "stderr" in before, "stderr" in after
            if any(refused):
                changes.append((f"no JSON: {before if refused[0] else after}", all(refused)))
            if code != now:
                changes.append((f"exit code {code} -> {now}", False))
            numbers = [line for line, words in changes if not words]
            different += bool(numbers)
            print(f"{'DIFFERS' if numbers else 'equal  '} {' '.join(arguments)[:150]}", flush=True)
            for line, words in changes:
                if not words or options.words:
                    print(f"    {'words ' if words else ''}{line}")
    print(f"{len(listed)} commands: {len(listed) - different} equal, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
