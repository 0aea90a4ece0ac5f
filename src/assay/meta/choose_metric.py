"""Which metric orders texts and systems as annotators do: pairwise accuracy with intervals, ranks and the ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.directions import Better, known_directions
from assay.meta.joined_scores import JoinedScores, join_scores
from assay.meta.metric_levels import FEWEST_INPUTS, Average, ChoiceRequest, SystemLevel, TextLevel
from assay.meta.score_files import read_scores, without_scores
from assay.specs import did_you_mean
from assay.stats.pairwise_accuracy import (
    one_sided_p,
    random_flips,
    soft_pairwise_accuracy,
    text_pairs,
)
from assay.stats.validation import UndefinedStatistic

MOST_PAIRS = 20_000_000


class Accuracy(NamedTuple):
    """Accuracy of one metric."""

    texts: float
    """Share of pairs of texts that are ordered as by annotators, with the threshold for ties that fits best."""
    held_out: float
    """The same with the threshold of other inputs."""
    low: float | None
    high: float | None
    threshold: float
    rank: int
    """1 + the number of metrics that are significantly better on texts."""
    systems: float | None
    """Soft pairwise accuracy of systems."""
    hard: float | None
    """Share of pairs of systems with the same sign."""
    system_rank: int | None


class Choice(NamedTuple):
    """The metrics by accuracy, and what annotators reach."""

    criterion: str
    average: Average
    metrics: dict[str, Accuracy]
    ceiling: dict[str, float | None]
    """Mean accuracy of single annotators against the mean of the others, of texts and systems."""
    texts: int
    inputs: int
    systems: int
    pairs: int
    tests: list[dict[str, Any]]
    notes: list[str]

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {**self._asdict(), "metrics": {name: each._asdict() for name, each in self.metrics.items()},
                "sentence": self.sentence()}  # fmt: skip

    def sentence(self) -> str:
        """Return the answer in words."""
        level, rank = ("systems", "system_rank") if self._has_systems else ("texts", "rank")
        best = [name for name, each in self.metrics.items() if getattr(each, rank) == 1]
        first = self.metrics[best[0]]
        value = first.systems if level == "systems" else first.held_out
        if len(best) == 1:
            return f"{best[0]} orders {level} best ({value:.3f}); all others are significantly worse"
        others = ", ".join(best[1:])
        return f"{best[0]} orders {level} best ({value:.3f}); not significantly worse: {others}"

    @property
    def _has_systems(self) -> bool:
        return all(each.systems is not None for each in self.metrics.values())


def choose_metric(human: Any, scores: Sequence[Any], request: ChoiceRequest) -> Choice:
    """Return how well each metric orders texts and systems as annotators do.

    Args:
        human: Judgements, or human scores of texts.
        scores: Metric scores of the same texts; several tables add systems or metrics.

    Raises:
        AssayError: The tables have no texts in common, or no two texts can be compared.
    """
    table, notes = read_scores(scores, allow_missing=True)
    joined = join_scores(human, table, allow_missing=True)
    criterion, frame = _criterion(joined, request)
    lost = without_scores(frame, joined.metrics, "left out for all metrics, which need the same texts")
    frame = frame.drop_nulls(joined.metrics)
    if frame.is_empty():
        raise AssayError(f"No text has all scores. {lost[0]}.")
    item, system = _columns(frame, joined)
    y = frame[criterion].to_numpy().astype(np.float64) * _sign(criterion, request.directions)
    group = {"item": item, "system": system, "global": np.zeros(len(frame), dtype=np.int64)}[request.average]
    pairs = sum(size * (size - 1) // 2 for size in np.unique(group, return_counts=True)[1])
    if pairs > MOST_PAIRS:
        raise UsageError(f"--average {request.average}: {pairs:,} pairs of texts, at most {MOST_PAIRS:,}. Use item.")
    names = [name for name in joined.metrics if frame[name].n_unique() > 1]
    constant = [f"{name} is constant and left out" for name in joined.metrics if name not in names]
    notes = [*joined.notes, *notes, *lost, *constant]
    if not names:
        raise AssayError("No metric differs between the texts, so there is nothing to choose.")
    x = {name: frame[name].to_numpy().astype(np.float64) * _sign(name, request.directions) for name in names}
    level = TextLevel({name: text_pairs(x[name], y, group) for name in names}, request)
    crossed = _crossed(item, system)
    if crossed is None:
        notes.append("no system accuracy: too few inputs with all systems, or one system only")
    of_systems = None if crossed is None else SystemLevel({n: v[crossed] for n, v in x.items()}, y[crossed], request)
    notes += level.notes
    metrics = {}
    for name in names:
        soft, hard, place = (None, None, None) if of_systems is None else of_systems.accuracy(name)
        metrics[name] = Accuracy(*level.accuracy(name), level.ranks[name], soft, hard, place)
    order = sorted(metrics, key=lambda name: (-(metrics[name].systems or 0), -metrics[name].held_out))
    tests = level.tests + ([] if of_systems is None else of_systems.tests)
    return Choice(
        criterion, request.average, {name: metrics[name] for name in order}, _ceiling(joined, criterion, request),
        len(frame), len(set(item.tolist())), len(set(system.tolist())), int(pairs), tests, notes,
    )  # fmt: skip


def _criterion(joined: JoinedScores, request: ChoiceRequest) -> tuple[str, polars.DataFrame]:
    other = (*joined.key, *joined.metrics)
    known = [name for name in joined.frame.columns if name not in other and joined.frame[name].dtype.is_numeric()]
    wanted = request.criterion
    if not known:
        raise UsageError("the judgements have no numeric values. Give --human a file of judgements or ratings.")
    if wanted is None and len(known) > 1:
        raise UsageError(f"several criteria: {', '.join(known)}. Choose one with --criterion.")
    if wanted is not None and wanted not in known:
        close = did_you_mean(wanted, known)
        raise UsageError(f"--criterion {wanted}: no such criterion{close}; there is {', '.join(known)}")
    criterion = wanted or known[0]
    for name in request.directions:
        if name not in (*joined.metrics, criterion):
            raise UsageError(f"--direction {name}: no such metric{did_you_mean(name, joined.metrics)}")
    return criterion, joined.frame.drop_nulls([criterion])


def _columns(frame: polars.DataFrame, joined: JoinedScores) -> tuple[NDArray[Any], NDArray[Any]]:
    if len(joined.key) < 2:
        raise AssayError("The judgements and scores name no systems. Give both `id` and `system`.")
    return frame[joined.key[0]].to_numpy(), frame[joined.key[1]].to_numpy()


def _sign(name: str, directions: Mapping[str, Better]) -> float:
    better = directions.get(name) or known_directions().get(name.casefold())
    return -1.0 if better == "lower" else 1.0


def _crossed(item: NDArray[Any], system: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the rows of inputs that all systems answered, inputs x systems."""
    names = sorted(set(system.tolist()))
    place = {pair: row for row, pair in enumerate(zip(item.tolist(), system.tolist(), strict=True))}
    rows = [[place[i, s] for s in names] for i in dict.fromkeys(item.tolist()) if all((i, s) in place for s in names)]
    return np.array(rows, dtype=np.int64) if len(names) > 1 and len(rows) >= FEWEST_INPUTS else None


def _ceiling(joined: JoinedScores, criterion: str, request: ChoiceRequest) -> dict[str, float | None]:
    """Return how well single annotators order texts and systems as the mean of the others does."""
    none: dict[str, float | None] = {"texts": None, "systems": None, "annotators": None}
    rows = joined.judgements
    if rows is None or len(joined.key) < 2:
        return none
    rows = rows.filter(rows["criterion"] == criterion)
    wide = rows.pivot("annotator", index=list(joined.key), values="value", aggregate_function="mean").sort(joined.key)
    people = [name for name in wide.columns if name not in joined.key]
    accuracies: dict[str, list[float]] = {"texts": [], "systems": []}
    for name in people if len(people) > 1 else []:
        others = wide.select(polars.mean_horizontal([each for each in people if each != name])).to_series()
        kept = wide.with_columns(others.alias("the others")).drop_nulls([name, "the others"])
        item, system = kept[joined.key[0]].to_numpy(), kept[joined.key[1]].to_numpy()
        x, y = (kept[column].to_numpy().astype(np.float64) for column in (name, "the others"))
        group = {"item": item, "system": system, "global": np.zeros(len(kept), dtype=np.int64)}[request.average]
        try:
            accuracies["texts"].append(text_pairs(x, y, group).calibrated()[1])
        except UndefinedStatistic:
            continue
        if (crossed := _crossed(item, system)) is not None:
            flips = random_flips(request.permutations, len(crossed), request.seed)
            p, of_others = (one_sided_p(each[crossed], flips) for each in (x, y))
            accuracies["systems"].append(soft_pairwise_accuracy(p, of_others))
    means: dict[str, float | None] = {level: float(np.mean(own)) if own else None for level, own in accuracies.items()}
    return means | {"annotators": float(len(accuracies["texts"])) or None}
