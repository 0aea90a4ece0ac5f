"""`nli` next to the sources: time of 1,000 pairs, and whether a few sentences of evidence correlate with human
judgements as well as all sentences do.

python -m benchmarks entailment          # half an hour of one core; data by --data DIR
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.metrics import Dense, resolve
from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.nli import Nli
from assay.records import Example, Items
from benchmarks.released import MissingDataError, released
from benchmarks.support import auroc
from benchmarks.support_rows import DOMAINS, Floats
from benchmarks.timing import Result, timed
from benchmarks.workloads import as_items, workload_a

PAIRS, COLD, CACHED = 1000, 60.0, 1.0
"""Pairs that are timed, and processor seconds of both cores that are to be reached."""
NEAR = (0, 5, 3, 2)
"""Sentences of evidence; 0 is all of them, whose pairs include those of the others."""
MOST, RESAMPLES = 600, 1000
"""Texts of each set, because all sentences take seconds a text; resamples of the difference."""
SEED = 20_263


def run() -> Iterator[Result]:
    if why_not := Nli().why_not():
        raise MissingDataError(why_not)
    data = Path(released("frank/texts.jsonl")).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        yield from _time(Path(folder) / "time")
        context = Context(Cache(Path(folder) / "values"))
        for name, texts, sources, human, groups in (_frank(data), _summeval(data), *_summedits(data)):
            yield from _agreement(name, texts, sources, human, groups, context)


def _time(folder: Path) -> Iterator[Result]:
    items = as_items(Random(SEED).sample(workload_a(), PAIRS))
    metric = resolve("nli")[0].metric
    metric.compute(as_items(workload_a()[:8]), Context(Cache(folder / "first")))  # loads the model
    for name, target in (("cold", COLD), ("cached", CACHED)):
        seconds = timed(lambda: metric.compute(items, Context(Cache(folder / "values"))))[1]
        yield {"name": f"nli, 1,000 pairs with sources, {name}", "pairs": PAIRS, "seconds": seconds, "target": target}


def _frank(data: Path) -> tuple[str, list[str], list[str], Floats, list[str]]:
    """Return summaries of the validation part, each with its factuality and system."""
    human = {
        (row["hash"], row["model_name"]): float(row["Factuality"])
        for row in json.loads((data / "frank" / "human_annotations.json").read_text())
    }
    rows = [json.loads(line) for line in (data / "frank" / "texts.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["split"] == "valid" and (row["hash"], row["model_name"]) in human]
    rows = _some(rows)
    return (
        "FRANK, valid", [row["summary"] for row in rows], [row["article"] for row in rows],
        np.array([human[row["hash"], row["model_name"]] for row in rows]),
        [f"{row['dataset']} {row['model_name']}" for row in rows],
    )  # fmt: skip


def _summeval(data: Path) -> tuple[str, list[str], list[str], Floats, list[str]]:
    """Return summaries, each with its consistency and system."""
    rows = _some([json.loads(line) for line in (data / "summeval" / "summeval.jsonl").read_text().splitlines()])
    return (
        "SummEval, consistency", [row["output"] for row in rows], [row["source"] for row in rows],
        np.array([row["human"]["consistency"] for row in rows]), [row["system"] for row in rows],
    )  # fmt: skip


def _summedits(data: Path) -> Iterator[tuple[str, list[str], list[str], Floats, list[str]]]:
    """Yield the summaries of each domain, with 1 for consistent ones."""
    for domain in DOMAINS:
        rows = _some(json.loads((data / "summedits" / f"summedits_{domain}.json").read_text()), MOST // len(DOMAINS))
        labels = np.array([float(row["label"]) for row in rows])
        yield f"SummEdits, {domain}", [row["summary"] for row in rows], [row["doc"] for row in rows], labels, []


def _some(rows: list[dict[str, Any]], most: int = MOST) -> list[dict[str, Any]]:
    return Random(SEED).sample(rows, min(most, len(rows)))


def _agreement(
    name: str, texts: Sequence[str], sources: Sequence[str], human: Floats, groups: Sequence[str], context: Context
) -> Iterator[Result]:
    """Yield the partial correlation (systems held constant) or, of labels, the AUROC; and how it differs from that of
    all sentences."""
    items = Items(tuple(texts), tuple(Example(id=str(i), source=text) for i, text in enumerate(sources)))
    scores: dict[int, Floats] = {}
    for near in NEAR:
        made = resolve(f"nli:against=source:near={near}")[0].metric.compute(items, context)
        assert isinstance(made, Dense)
        scores[near] = made.values[:, 0]

    def value(near: int, chosen: NDArray[np.int64]) -> float:
        own, truth = scores[near][chosen], human[chosen]
        if not groups:
            return auroc(own[truth == 1], own[truth == 0])
        codes = np.unique(np.array(groups)[chosen], return_inverse=True)[1]
        sizes = np.bincount(codes)
        own, truth = (one - (np.bincount(codes, one) / sizes)[codes] for one in (own, truth))
        return float(np.corrcoef(own, truth)[0, 1])

    rng = np.random.default_rng(SEED)
    draws = [rng.integers(0, len(human), len(human)) for _ in range(RESAMPLES)]
    whole = np.array([value(0, drawn) for drawn in draws])
    everything = np.arange(len(human))
    for near in NEAR:
        found = {"value": round(value(near, everything), 3)}
        if near:
            low, high = np.percentile(np.array([value(near, drawn) for drawn in draws]) - whole, [2.5, 97.5])
            found |= {"low": round(float(low), 3), "high": round(float(high), 3)}
        yield {"name": f"nli, {name}, near={near}", "pairs": len(human), "values": found}
