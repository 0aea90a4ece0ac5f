"""`support` and `faithful` against n-gram precision and `nli.source`: SummEdits and FRANK, with paired intervals.

python -m benchmarks support_rivals          # 8 minutes of one core with the model; data by --data DIR

SummEdits: AUROC of the least supported sentence of a summary, with weights fitted on the other domains; summaries are
resampled. FRANK's test part: partial correlation with factuality, system held constant; articles are resampled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.metrics.semantic.nli import Entailed
from assay.metrics.support.checker import WITH_MODEL, why_not
from assay.metrics.support.entailment import WITH_ENTAILMENT
from assay.metrics.support.features import WORDS
from assay.metrics.support.weights import read_weights
from assay.models.context import Context
from assay.records import Example, Items
from assay.text.support import RUN, Source
from benchmarks.faithful_edits import ORDER, factors, overlaps
from benchmarks.released import released
from benchmarks.support import SEED, auroc
from benchmarks.support_rows import DOMAINS, Floats, Row, chances, fit, frank, frank_planted, summedits, with_entailment
from benchmarks.timing import Result

RESAMPLES = 1000
GRAMS = tuple(f"{n}-grams" for n in range(1, RUN + 1))
NLI = "nli.source"
Table = Mapping[str, Floats]


def run() -> Iterator[Result]:
    data = Path(released("frank/texts.jsonl")).parents[1]
    rows = [*summedits(data), *frank_planted(data, "valid"), *(row for row in frank(data) if row.part == "valid")]
    test = [row for row in frank(data) if row.part == "test"]
    if model := not why_not(WITH_MODEL):
        rows, test = with_entailment(rows), with_entailment(test)
    sources: dict[str, Source] = {}
    yield from _summedits(rows, sources, model)
    yield from _frank(test, rows, sources, model)


def _summedits(rows: Sequence[Row], sources: dict[str, Source], model: bool) -> Iterator[Result]:
    means: dict[str, list[float]] = defaultdict(list)
    drawn: dict[str, list[Floats]] = defaultdict(list)
    rng = np.random.default_rng(SEED)
    for domain in DOMAINS:
        own = [row for row in rows if row.group == "summedits" and row.part == domain]
        scores = _scores(own, [row for row in rows if row.part != domain], sources, model)
        places = _places(own)
        worst = {name: np.array([values[each].min() for each in places.values()]) for name, values in scores.items()}
        if model:
            worst[NLI] = _entailed(own, places)
        truth = np.array([own[each[0]].of_item for each in places.values()]) > 0.5
        samples = [rng.integers(0, len(truth), len(truth)) for _ in range(RESAMPLES)]
        for name, values in worst.items():
            means[name].append(auroc(values[truth], values[~truth]))
            drawn[name].append(np.array([_area(values[one], truth[one]) for one in samples]))
        yield {"name": f"SummEdits {domain}", "pairs": len(truth),
               "values": {name: round(each[-1], 3) for name, each in means.items()}}  # fmt: skip
    yield {"name": "SummEdits mean", "values": {name: round(float(np.mean(each)), 3) for name, each in means.items()}}
    yield from _differences(
        "SummEdits mean",
        {name: float(np.mean(each)) for name, each in means.items()},
        {name: np.mean(each, axis=0) for name, each in drawn.items()},
    )


def _frank(test: Sequence[Row], fitted_on: Sequence[Row], sources: dict[str, Source], model: bool) -> Iterator[Result]:
    places = _places(test)
    scores = _scores(test, None, sources, model)
    scores["faithful"] = scores["overlap"] * factors(test, scores[ORDER], _with_signs(fitted_on))
    means = {name: np.array([values[each].mean() for each in places.values()]) for name, values in scores.items()}
    if model:
        means[NLI] = _entailed(test, places)
    truth = np.array([test[each[0]].of_item for each in places.values()])
    names = np.array([item.split() for item in places])
    systems, articles = names[:, 1], names[:, 2]
    rng = np.random.default_rng(SEED)
    for part in ("all", *sorted(set(names[:, 0]))):
        chosen = np.flatnonzero((names[:, 0] == part) | (part == "all"))
        groups = [chosen[articles[chosen] == one] for one in sorted(set(articles[chosen]))]
        samples = [
            np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))]) for _ in range(RESAMPLES)
        ]
        values = {name: _partial(each[chosen], truth[chosen], systems[chosen]) for name, each in means.items()}
        drawn = {
            name: np.array([_partial(each[one], truth[one], systems[one]) for one in samples])
            for name, each in means.items()
        }
        yield {"name": f"FRANK test, {part}", "pairs": len(chosen),
               "values": {name: round(each, 3) for name, each in values.items()}}  # fmt: skip
        yield from _differences(f"FRANK test, {part}", values, drawn)


def _scores(
    rows: Sequence[Row], fitted_on: Sequence[Row] | None, sources: dict[str, Source], model: bool
) -> dict[str, Floats]:
    """Return the scores of sentences by each way; packaged weights unless there are rows to fit them on."""
    plain = [_overlaps(row, sources) for row in rows]
    scores = {name: np.array([each[name] for each in plain]) for name in (*GRAMS, "overlap", ORDER)}
    scores["support"] = chances(_model(fitted_on, WORDS, "rules"), rows, WORDS)
    if model:
        scores[WITH_MODEL] = chances(_model(fitted_on, WITH_ENTAILMENT, "entailment"), rows, WITH_ENTAILMENT)
    if fitted_on is not None:
        scores["faithful"] = scores["overlap"] * factors(rows, scores[ORDER], _with_signs(fitted_on))
    return scores


def _with_signs(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that the signs of `faithful` are fitted on."""
    return [row for row in rows if row.group != "frank"]


def _model(fitted_on: Sequence[Row] | None, names: Sequence[str], kind: str) -> Floats:
    if fitted_on is not None:
        return fit(fitted_on, names)
    weights = read_weights("rules" if kind == "rules" else "entailment")
    return np.array([weights.intercept, *(weights.costs[name] for name in names)])


def _overlaps(row: Row, sources: dict[str, Source]) -> dict[str, float]:
    if row.source not in sources:
        sources[row.source] = Source(row.source)
    return overlaps(row.claim.sentence.text, sources[row.source])


def _places(rows: Sequence[Row]) -> dict[str, list[int]]:
    """Return the rows of each summary."""
    found: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(row.item, []).append(i)
    return found


def _entailed(rows: Sequence[Row], places: Mapping[str, list[int]]) -> Floats:
    """Return `nli.source` of each summary, put together again from its sentences."""
    outputs = tuple(" ".join(rows[i].claim.sentence.text for i in each) for each in places.values())
    examples = tuple(Example(id=item, source=rows[each[0]].source) for item, each in places.items())
    metric = Entailed(against="source")
    return np.asarray(metric.per_example(metric.compute(Items(outputs, examples), Context()))[NLI])


def _area(values: Floats, truth: NDArray[np.bool_]) -> float:
    return auroc(values[truth], values[~truth]) if truth.any() and not truth.all() else float("nan")


def _partial(scores: Floats, truth: Floats, systems: NDArray[np.str_]) -> float:
    """Return the correlation with each system's means taken out."""
    codes = np.unique(systems, return_inverse=True)[1]
    sizes = np.bincount(codes)
    one, other = (each - (np.bincount(codes, each) / sizes)[codes] for each in (scores, truth))
    return float(np.corrcoef(one, other)[0, 1])


def _differences(where: str, values: Mapping[str, float], drawn: Table) -> Iterator[Result]:
    for name in ("faithful", "support", WITH_MODEL):
        for rival in (*GRAMS, NLI):
            if name in values and rival in values:
                low, high = np.nanpercentile(drawn[name] - drawn[rival], [2.5, 97.5])
                yield {"name": f"{where}, {name} - {rival}",
                       "values": {"difference": round(values[name] - values[rival], 3),
                                  "low": round(float(low), 3), "high": round(float(high), 3)}}  # fmt: skip
