"""`support` and `faithful` on sets that no weight or rule was fitted on: RTE and SICK, entailed or not.

python -m benchmarks untouched          # data by --data DIR
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import numpy as np

from assay.metrics.faithfulness.faithful import Faithful
from assay.metrics.support.claims import read_sentence
from assay.metrics.support.evidence import Document
from assay.metrics.support.features import read_claim
from assay.metrics.support.weights import read_weights
from assay.text.support import Source
from benchmarks.faithful_edits import overlaps
from benchmarks.released import released
from benchmarks.support import auroc
from benchmarks.support_rows import Floats
from benchmarks.timing import Result

PAIRS, RESAMPLES = 1500, 500
COMPARED = (("faithful", "overlap"), ("support", "1-grams"), ("support", "3-grams"), ("faithful", "3-grams"))


def run() -> Iterator[Result]:
    data = Path(released("nli/rte/train.csv")).parents[1]
    for name in ("rte", "sick"):
        with (data / name / "train.csv").open(encoding="utf-8", newline="") as stream:
            rows = Random(0).sample(list(csv.DictReader(stream)), PAIRS)
        entailed = np.array([row["label"] == "entailment" for row in rows])
        read = [_scores(row["premise"], row["hypothesis"]) for row in rows]
        values: Mapping[str, Floats] = {key: np.array([each[key] for each in read]) for key in read[0]}
        areas = {key: round(auroc(each[entailed], each[~entailed]), 3) for key, each in values.items()}
        yield {"name": f"untouched, {name}", "pairs": PAIRS, "values": areas}
        rng = np.random.default_rng(0)
        for one, other in COMPARED:
            gains = []
            for _ in range(RESAMPLES):
                drawn = rng.integers(0, PAIRS, PAIRS)
                true = entailed[drawn]
                a, b = (auroc(values[key][drawn][true], values[key][drawn][~true]) for key in (one, other))
                gains.append(a - b)
            low, high = np.percentile(gains, [2.5, 97.5])
            found = {"low": round(float(low), 3), "high": round(float(high), 3)}
            yield {"name": f"untouched, {name}, {one} - {other}", "values": found}


def _scores(premise: str, hypothesis: str) -> dict[str, float]:
    claim = read_claim(read_sentence(hypothesis), Document([("source", premise)]))
    whole = [one.value for one in Faithful().explain(premise, hypothesis)]
    return {
        "support": read_weights().probability(claim.features), "faithful": float(np.mean(whole)) if whole else 0.0,
        **overlaps(hypothesis, Source(premise)),
    }  # fmt: skip
