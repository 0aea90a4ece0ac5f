"""Metrics of meaning beside people: SummEval's four criteria, FRANK's factuality, held-out pairs of entailment.

python -m benchmarks meaning                   # about two hours on one core; what was read once is kept
ARTICLES=25 python -m benchmarks meaning       # on so many articles of SummEval and of FRANK's test part, by chance
PARTS=nli,frank python -m benchmarks meaning   # some of nli, summeval, frank
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.datasets import dataset
from assay.execution.training.pair_report import entailment_report
from assay.metrics import Context, resolve
from assay.models.nli import Nli
from assay.records import Example, Items
from assay.stats.correlation import averaged_within, of_group_means
from assay.stats.partial import partial
from benchmarks.released import MissingDataError, released

CRITERIA = ("consistency", "coherence", "fluency", "relevance")
LEXICAL = {"rouge1": "rouge1:stemmer=true", "rouge2": "rouge2:stemmer=true", "rougeL": "rougeL:stemmer=true"}
MEANING = {"bertscore.f1": "bertscore", "embedding": "embedding"}
ARTICLE = {
    "bertscore.precision": "bertscore:against=source",
    "nli.source": "nli:against=source",
    "bartscore": "bartscore",
    "faithful": "faithful",
}
CONTRAST = {"nli.source": "nli:against=source:formula=e-c"}
Column = NDArray[np.float64]


def write() -> None:
    """Print every table."""
    if why_not := Nli().why_not():
        raise MissingDataError(why_not)
    parts = os.environ.get("PARTS", "nli,summeval,frank").split(",")
    for name, part in (("nli", _held_out), ("summeval", _summeval), ("frank", _frank)):
        if name in parts:
            part(released(name))


def _held_out(folder: Path) -> None:
    read = dataset("nli:sets=mnli+snli+scitail+sick+mpe+rte+add_one_rte")
    test, train = (list(read.read(folder, split)) for split in ("test", "train"))
    print("\nentailment, premises that are in no training part; of SICK, MPE, RTE and add-one-RTE nothing was learned")
    for row in entailment_report("assay-nli", test, train):
        three = (
            f"{row['accuracy']:.3f} ({row['accuracy_low']:.3f}-{row['accuracy_high']:.3f})"
            if "accuracy" in row
            else "-"
        )
        two = f"{row['two_way']:.3f} ({row['two_way_low']:.3f}-{row['two_way_high']:.3f})"
        print(f"  {row['set']:<12} n {row['n']:<5} three-way {three:<22} two-way {two}   "
              f"majority {row['majority']:.3f}   hypothesis only {row['hypothesis_only']:.3f}")  # fmt: skip


def _summeval(folder: Path) -> None:
    examples = _some(list(dataset("summeval").read(folder)), "article")
    articles, systems = ([example.tags[tag] for example in examples] for tag in ("article", "system"))
    print(f"\nSummEval, {len(examples)} summaries: tau-b within articles, of system means; {', '.join(CRITERIA)}")
    for specs in (LEXICAL, MEANING, ARTICLE):
        for name, spec in specs.items():
            found = _column(name, spec, examples)
            row = []
            for criterion in CRITERIA:
                people = np.array([float(_human(example)[criterion]) for example in examples])
                row.append(averaged_within(found, people, articles, "kendall-b").r)
                row.append(of_group_means(found, people, systems, "kendall-b").r)
            print(f"  {spec:<34} " + "  ".join(f"{a:6.3f} {b:6.3f}" for a, b in zip(row[::2], row[1::2], strict=True)))


def _frank(folder: Path) -> None:
    examples = _some(list(dataset("frank").read(folder, "test")), "hash")
    print(f"\nFRANK test, {len(examples)} summaries: partial Pearson, system held constant; all, CNN/DM, XSum")
    for specs in (LEXICAL, ARTICLE, CONTRAST):
        for name, spec in specs.items():
            found = _column(name, spec, examples)
            row = []
            for kept in (("cnndm", "bbc"), ("cnndm",), ("bbc",)):
                here = [i for i, example in enumerate(examples) if example.tags["dataset"] in kept]
                people = [float(_human(examples[i])["Factuality"]) for i in here]
                row.append(partial(found[here], people, [examples[i].tags["system"] for i in here]).r)
            print(f"  {spec:<34} " + "  ".join(f"{r:6.3f}" for r in row))


def _some(examples: list[Example], tag: str) -> list[Example]:
    most = int(os.environ.get("ARTICLES") or 0)
    articles = list(dict.fromkeys(example.tags[tag] for example in examples))
    kept = set(random.Random(0).sample(articles, most) if 0 < most < len(articles) else articles)
    return [example for example in examples if example.tags[tag] in kept]


def _human(example: Example) -> dict[str, float]:
    held = (example.input or {})["human"]
    assert isinstance(held, dict)
    return held


def _column(name: str, spec: str, examples: Sequence[Example]) -> Column:
    """One number of every summary."""
    summaries = tuple(str((example.input or {})["summary"]) for example in examples)
    (request,) = resolve(spec)
    rows = request.metric.compute(Items(summaries, tuple(examples)), Context())
    return np.asarray(request.metric.per_example(rows)[name])
