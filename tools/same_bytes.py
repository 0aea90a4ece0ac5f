"""Whether two source trees of assay print and store the same bytes: `python tools/same_bytes.py OLD NEW [--data DIR]`.

Every command runs once with each tree's `src` in front of the path; what differs is named, and the exit code says
whether anything does. Times, and the log that holds them, are left out.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

METRICS = (
    "rouge,rouge:stemmer=true,rouge_more,bleu,sentence_bleu,chrf,chrf+,chrf++,ter,nist,cider,wer,levenshtein,"
    "local_recall,ngrams,msttr,ttr,yules_i,self_bleu,repetition,lengths,sari,fkgl,flesch,rewriting,"
    "lexical_complexity,novelty"
)
DATASETS = ("news", "places", "simple", "dialog")
SYSTEMS = ("copy", "lead", "noisy", "template")
TIMED = ("log.jsonl",)


def commands(sample: Path, data: Path | None) -> list[list[str]]:
    """What is called, with the embedded sample of the first tree and, where there is any, released data."""
    listed = []
    for dataset in DATASETS:
        examples = ["--examples", str(sample / f"{dataset}.jsonl")]
        outputs = {system: str(sample / "outputs" / system / f"{dataset}.jsonl") for system in SYSTEMS}
        for path in outputs.values():
            listed.append(["score", path, *examples, "-m", METRICS, "--ci", "100", "--json"])
            listed.append(["score", path, *examples, "--suite", "gem-light", "--json", "--by", "language"])
        for a, b in combinations(outputs.values(), 2):
            listed.append(["compare", a, b, *examples, "-m", "rouge,bleu,chrf,ngrams,cider", "--json"])
            listed.append(["compare", a, b, *examples, "-m", "rouge1,bleu", "--test", "permutation", "--json"])
    for name in ("metrics", "datasets", "systems"):
        listed.append([name, "--json"])
    if data is not None:
        listed.append(["metric", "reproduce", "--all", "--data", str(data), "--json"])
        for name in ("frank", "eks", "narrative", "e2e", "webnlg"):
            listed.append(["metric", "reproduce", name, "--all", "--data", str(data), "--json"])
        human, scores = (
            data / "frank" / name for name in ("human_annotations.json", "baseline_factuality_metrics_outputs.json")
        )
        if human.exists() and scores.exists():
            listed.append(["metric", "correlate", "--human", str(human), "--scores", str(scores), "--json"])
    return listed


def call(tree: Path, arguments: list[str], cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "assay", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cwd,
        check=False,
    )
    return f"{done.stdout}\n-- stderr\n{done.stderr}\n-- exit {done.returncode}\n"


def stored(folder: Path) -> dict[str, str]:
    """Digests of all files of a folder, by name."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name not in TIMED
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    old, new = options.old.resolve(), options.new.resolve()
    data = options.data.resolve() if options.data else None
    different = 0
    with tempfile.TemporaryDirectory() as there:
        folders = {}
        for name, tree in (("old", old), ("new", new)):
            cwd = Path(there, name)
            cwd.mkdir()
            call(tree, ["run", "sample", "-o", "results"], cwd)
            folders[name] = stored(cwd / "results")
        for file in sorted(folders["old"].keys() | folders["new"].keys()):
            if folders["old"].get(file) != folders["new"].get(file):
                different += 1
                print(f"differs: results of the sample: {file}")
        called = commands(old / "src" / "assay" / "sample", data)
        for arguments in called:
            before, after = (call(tree, arguments, Path(there)) for tree in (old, new))
            if before != after:
                different += 1
                print(f"differs: assay {' '.join(arguments)}")
                lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "old", "new", lineterm="", n=0)
                for line in list(lines)[:12]:
                    print(f"    {line[:200]}")
    print(f"{len(called)} commands and {len(folders['old'])} files compared, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    raise SystemExit(main())
