"""`faithful` against n-gram precision on SummEdits and planted edits, with paired intervals over summaries.

python -m benchmarks faithful_edits          # some minutes; data by --data DIR
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.metrics.faithfulness.faithful_signs import STRENGTH
from assay.metrics.faithfulness.faithful_weights import read_weights
from assay.metrics.support.features import SIGNS
from assay.metrics.support.weights import Weights
from assay.text.support import RUN, WAYS, Source, sentences_of
from benchmarks.planted import TRUE
from benchmarks.released import released
from benchmarks.support import SEED, auroc
from benchmarks.support_rows import DOMAINS, Floats, Row, fit, frank_planted, summedits
from benchmarks.timing import Result

RESAMPLES = 1000
ORDER = "order"
RIVALS = ("overlap", *(f"{n}-grams" for n in range(1, RUN + 1)))
"""The score without signs, and the share of n-grams (stems) that are in the document."""


def overlaps(claim: str, source: Source) -> dict[str, float]:
    """Return the score of a sentence by `faithful:overlap`, its n-gram precisions, and its words in order."""
    weights = read_weights(None)
    pieces = list(sentences_of(claim))
    if not pieces or not source.sentences:
        return dict.fromkeys((*RIVALS, ORDER), 0.0)
    supports = [source.support(words) for words in pieces]
    values = [weights.value({way: 1 - one.shares[way] for way in WAYS}, one.copied) for one in supports]
    forms = [word.form for words in pieces for word in words]
    grams = {}
    for n in range(1, RUN + 1):
        runs = list(zip(*(forms[i:] for i in range(n)), strict=False))
        grams[f"{n}-grams"] = float(np.mean([run in source.runs[n] for run in runs])) if runs else 0.0
    order = float(np.mean([one.shares[ORDER] for one in supports]))
    return {"overlap": float(np.mean(values)), **grams, ORDER: order}


def factors(rows: Sequence[Row], order: Floats, fitted_on: Sequence[Row]) -> Floats:
    """Return the factor of signs of each row, with weights fitted on other rows."""
    intercept, *costs = fit(fitted_on, SIGNS).tolist()
    weights = Weights(intercept, dict(zip(SIGNS, costs, strict=True)))
    none = weights.probability(dict.fromkeys(SIGNS, 0.0))
    ratios = np.array([min(1.0, weights.probability(row.claim.features) / none) for row in rows])
    return np.asarray(ratios ** (STRENGTH * order))


def run() -> Iterator[Result]:
    data = Path(released("frank/texts.jsonl")).parents[1]
    rows = [*summedits(data), *frank_planted(data, "valid")]
    test = list(frank_planted(data, "test", SEED))
    sources: dict[str, Source] = {}

    def read(row: Row) -> dict[str, float]:
        if row.source not in sources:
            sources[row.source] = Source(row.source)
        return overlaps(row.claim.sentence.text, sources[row.source])

    yield from compared(rows, [read(row) for row in rows], test, [read(row) for row in test])


def compared(
    rows: Sequence[Row],
    plain: Sequence[Mapping[str, float]],
    test: Sequence[Row],
    plain_test: Sequence[Mapping[str, float]],
) -> Iterator[Result]:
    """Yield AUROC by domain of SummEdits and by kind of planted edit, with differences to each rival."""
    areas: dict[str, list[float]] = defaultdict(list)
    differences: dict[str, list[Floats]] = defaultdict(list)
    rng = np.random.default_rng(SEED)
    for domain in DOMAINS:
        places = [i for i, row in enumerate(rows) if row.group == "summedits" and row.part == domain]
        own = [rows[i] for i in places]
        order = np.array([plain[i][ORDER] for i in places])
        kept = factors(own, order, [row for row in rows if row.part != domain])
        scores = {name: np.array([plain[i][name] for i in places]) for name in RIVALS}
        scores["faithful"] = scores["overlap"] * kept
        items: dict[str, list[int]] = {}
        labels: dict[str, float] = {}
        for k, row in enumerate(own):
            items.setdefault(row.item, []).append(k)
            labels[row.item] = row.of_item
        truth = np.array(list(labels.values())) > 0.5
        worst = {name: np.array([values[each].min() for each in items.values()]) for name, values in scores.items()}
        for name, values in worst.items():
            areas[name].append(auroc(values[truth], values[~truth]))
        drawn = [rng.integers(0, len(truth), len(truth)) for _ in range(RESAMPLES)]
        for name in RIVALS:
            gains = [_gain(worst["faithful"], worst[name], truth, chosen) for chosen in drawn]
            differences[name].append(np.array(gains))
        yield {"name": f"faithful, SummEdits {domain}", "pairs": len(truth),
               "values": {name: round(each[-1], 3) for name, each in areas.items()}}  # fmt: skip
    means = {name: round(float(np.mean(each)), 3) for name, each in areas.items()}
    yield {"name": "faithful, SummEdits mean", "values": means}
    for name in RIVALS:
        low, high = np.nanpercentile(np.mean(differences[name], axis=0), [2.5, 97.5])
        yield {"name": f"faithful - {name}, SummEdits mean",
               "values": {"difference": round(float(np.mean(areas["faithful"]) - np.mean(areas[name])), 3),
                          "low": round(float(low), 3), "high": round(float(high), 3)}}  # fmt: skip
    kinds = np.array([row.kind for row in test])
    scores = {name: np.array([each[name] for each in plain_test]) for name in RIVALS}
    scores["faithful"] = scores["overlap"] * factors(test, np.array([each[ORDER] for each in plain_test]), rows)
    true = np.isin(kinds, TRUE)
    for kind in dict.fromkeys(kinds[~true].tolist()):
        found = {name: round(auroc(values[true], values[kinds == kind]), 3) for name, values in scores.items()}
        yield {"name": f"faithful, planted: {kind}", "pairs": int((kinds == kind).sum()), "values": found}


def _gain(one: Floats, other: Floats, truth: NDArray[np.bool_], chosen: NDArray[np.int64]) -> float:
    drawn = truth[chosen]
    if drawn.all() or not drawn.any():
        return float("nan")
    return auroc(one[chosen][drawn], one[chosen][~drawn]) - auroc(other[chosen][drawn], other[chosen][~drawn])
