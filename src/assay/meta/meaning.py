"""What a difference of a metric is worth: how often annotators agree with its sign, from judged systems.

Every two systems of a judged data set are one observation: the difference of their scores, and whether annotators
prefer the system with the better score. The share of agreement is a logistic function of the difference that is one
half at zero. Pairs that share a system are not independent, so its error is a jackknife over systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.directions import known_directions
from assay.meta.joined_scores import join_scores
from assay.records.documents import parse_json
from assay.specs import did_you_mean
from assay.stats.distributions import t_quantile

Values = NDArray[np.float64]
FEWEST_SYSTEMS = 5
NEAR = 2.0
"""Pairs whose difference is at most this many times larger or smaller are like the one in question."""
FEWEST_NEAR = 10
MISSED = 0.1
"""Error of predictions for systems left out above which the answer has a warning."""

if TYPE_CHECKING:
    from assay.results.comparison import Comparison

WANTED = 0.9


@dataclass(frozen=True)
class JudgedSystems:
    """Mean judgement and score of the systems of one data set, on one criterion."""

    name: str
    task: str
    language: str
    criterion: str
    human: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Pairs:
    """Differences between systems, and whether annotators agree with their sign."""

    difference: Values
    agree: Values
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    systems: int


@dataclass(frozen=True)
class Meaning:
    """How far annotators agree with the sign of a difference."""

    metric: str
    difference: float
    share: float
    low: float
    high: float
    enough: float | None
    """Difference from which on 90 % agree; None if the evidence does not reach it."""
    near: int
    pairs: int
    systems: int
    sets: list[str]
    left_out: dict[str, float]
    """Mean prediction and observed share for pairs like this one, each predicted without one of its systems."""
    warnings: list[str]

    def sentence(self) -> str:
        """Return the answer in words."""
        reach = (
            f"{WANTED:.0%} from {self.enough:+.2g} on" if self.enough is not None
            else f"no difference in this evidence reaches {WANTED:.0%}"
        )  # fmt: skip
        return (
            f"{self.metric} {self.difference:+g}: annotators agree with the sign in {self.share:.0%} "
            f"[{self.low:.0%}, {self.high:.0%}] of pairs of systems; {reach}"
        )


@cache
def stored_evidence() -> tuple[dict[str, Any], ...]:
    """Return the judged systems that are part of the package (`tools/make_meaning.py`)."""
    path = files("assay.meta") / "evidence" / "meaning.json"
    evidence: Any = parse_json(path.read_text(encoding="utf-8"), "meaning.json")
    return tuple(evidence)


def tasks() -> list[str]:
    """Return the tasks of the stored evidence."""
    return sorted({each["task"] for each in stored_evidence()})


def evidence_like(
    task: str, metric: str, language: str | None = None, criterion: str | None = None
) -> list[JudgedSystems]:
    """Return the stored evidence of a task.

    Raises:
        UsageError: there is no such task, or no evidence of this metric, language or criterion.
    """
    if task not in tasks():
        raise UsageError(f"--like {task}: no evidence{did_you_mean(task, tasks())}; there is {', '.join(tasks())}")
    rows = [each for each in stored_evidence() if each["task"] == task]
    for name, wanted in (("language", language), ("criterion", criterion)):
        known = sorted({each[name] for each in rows})
        rows = [each for each in rows if wanted in (None, each[name])]
        if not rows:
            raise UsageError(f"--{name} {wanted}: no evidence for {task}; there is {', '.join(known)}")
    metrics = sorted({name for each in rows for system in each["systems"].values() for name in system["scores"]})
    if metric not in metrics:
        raise UsageError(
            f"{metric}: no evidence for {task}{did_you_mean(metric, metrics)}; there is {', '.join(metrics)}"
        )
    return [
        JudgedSystems(
            each["set"], task, each["language"], each["criterion"],
            {name: system["human"] for name, system in each["systems"].items()},
            {name: system["scores"][metric] for name, system in each["systems"].items()},
        )
        for each in rows
    ]  # fmt: skip


def evidence_of_files(human: Any, scores: Any, metric: str, criterion: str | None = None) -> list[JudgedSystems]:
    """Return the user's own evidence: judgements and scores of the same texts by several systems."""
    joined = join_scores(human, scores, allow_missing=True)
    by = "system" if "system" in joined.key else "model_name"
    if by not in joined.key:
        raise AssayError("the judgements and scores name no systems; a difference between systems needs `system`")
    if metric not in joined.metrics:
        raise UsageError(
            f"{metric}: no such score{did_you_mean(metric, joined.metrics)}; there is {', '.join(joined.metrics)}"
        )
    numeric = [
        name for name in joined.frame.columns
        if name not in (*joined.key, *joined.metrics) and joined.frame[name].dtype.is_numeric()
    ]  # fmt: skip
    if criterion is not None and criterion not in numeric:
        raise UsageError(f"--criterion {criterion}: no such column; there is {', '.join(numeric)}")
    made = []
    for name in [criterion] if criterion else numeric:
        means = (
            joined.frame.drop_nulls([name, metric])
            .group_by(by, maintain_order=True)
            .agg(polars.col(name, metric).mean())
        )
        human_means = dict(zip(means[by], means[name], strict=True))
        made.append(
            JudgedSystems(
                "your judgements", "", "", name, human_means, dict(zip(means[by], means[metric], strict=True))
            )
        )
    return made


def meaning(metric: str, difference: float, evidence: Sequence[JudgedSystems]) -> Meaning:
    """Return what annotators say about a difference of this size.

    Raises:
        AssayError: there are too few systems, or no pairs with a difference of about this size.
    """
    size = abs(difference)
    if not size:
        raise UsageError(f"{metric}={difference:g}: a difference of zero has no sign")
    pairs = pairs_of(metric, evidence)
    if pairs.systems < FEWEST_SYSTEMS:
        raise AssayError(f"{pairs.systems} judged systems; {FEWEST_SYSTEMS} are needed")
    like = (pairs.difference >= size / NEAR) & (pairs.difference <= size * NEAR)
    if like.sum() < FEWEST_NEAR:
        raise AssayError(
            f"{metric} {difference:+g}: {int(like.sum()) or 'no'} pairs of judged systems differ by about that "
            f"({size / NEAR:g} to {size * NEAR:g}); {FEWEST_NEAR} are needed; "
            f"the largest difference is {pairs.difference.max():.3g}. No evidence."
        )
    slope = _fit(pairs.difference, pairs.agree)
    reach = t_quantile(0.975, pairs.systems - 1) * _error(pairs)
    low, high = (float(_share(slope + end, size)) for end in (-reach, reach))
    enough = float(np.log(WANTED / (1 - WANTED)) / slope) if slope > 0 else None
    if enough is not None and enough > pairs.difference.max():
        enough = None
    left = _left_out(pairs, like)
    off = abs(left["predicted"] - left["observed"])
    warnings = [f"predictions for systems left out are off by {100 * off:.0f} points; use the share with care"]
    return Meaning(
        metric, difference, float(_share(slope, size)), low, high, enough, int(like.sum()), len(pairs.agree),
        pairs.systems, list(dict.fromkeys(f"{each.name} ({each.criterion})" for each in evidence)), left,
        warnings if off > MISSED else [],
    )  # fmt: skip


def pairs_of(metric: str, evidence: Sequence[JudgedSystems]) -> Pairs:
    """Return all pairs of systems; equal judgements or equal scores have no sign."""
    sign = -1.0 if known_directions().get(metric.casefold()) == "lower" else 1.0
    names = list(dict.fromkeys((each.name, each.language, system) for each in evidence for system in each.human))
    number = {name: place for place, name in enumerate(names)}
    rows = list(_rows(evidence, sign, number))
    if not rows:
        raise AssayError("no two judged systems differ in score and judgement")
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Pairs(columns[0], columns[1].astype(np.float64), columns[2], columns[3], len(names))


def _rows(
    evidence: Sequence[JudgedSystems], sign: float, number: Mapping[tuple[str, str, str], int]
) -> Iterator[tuple[float, bool, int, int]]:
    for each in evidence:
        for a, b in combinations(each.human, 2):
            score, human = sign * (each.scores[a] - each.scores[b]), each.human[a] - each.human[b]
            if score and human:
                place = number[each.name, each.language, a], number[each.name, each.language, b]
                yield abs(score), (score > 0) == (human > 0), *place


def _share(slope: float | Values, size: float | Values) -> Any:
    return 1 / (1 + np.exp(-np.clip(slope * size, -30, 30)))


def _fit(x: Values, y: Values) -> float:
    """Return the slope of a logistic regression through one half at zero; a weak prior keeps it finite."""
    scale = float(x.mean())
    z, slope = x / scale, 0.0
    for _ in range(50):
        p = _share(slope, z)
        gradient = float(((y - p) * z).sum()) - slope / 100
        step = gradient / (float((p * (1 - p) * z * z).sum()) + 1 / 100)
        slope += float(np.clip(step, -5, 5))
        if abs(step) < 1e-10:
            break
    return slope / scale


def _error(pairs: Pairs) -> float:
    """Return the standard error of the slope by a jackknife over systems: pairs that share one are not independent."""
    slopes = []
    for system in range(pairs.systems):
        kept = (pairs.a != system) & (pairs.b != system)
        slopes.append(_fit(pairs.difference[kept], pairs.agree[kept]))
    spread = float(((np.array(slopes) - np.mean(slopes)) ** 2).sum())
    return float(np.sqrt((pairs.systems - 1) / pairs.systems * spread))


def _left_out(pairs: Pairs, like: NDArray[np.bool_]) -> dict[str, float]:
    predicted, observed = [], []
    for system in range(pairs.systems):
        own = (pairs.a == system) | (pairs.b == system)
        if not (own & like).any() or own.all():
            continue
        slope = _fit(pairs.difference[~own], pairs.agree[~own])
        predicted += [float(_share(slope, float(each))) for each in pairs.difference[own & like]]
        observed += pairs.agree[own & like].tolist()
    return {"predicted": float(np.mean(predicted)), "observed": float(np.mean(observed)), "pairs": len(observed) / 2}


def meanings_of(comparison: Comparison, task: str) -> dict[str, Meaning | str]:
    """Return what the differences of a comparison mean by the stored evidence of a task, or why there is none.

    Only metrics with default options are looked up: the evidence has no other.
    """
    if task not in tasks():
        raise UsageError(f"--like {task}: no evidence{did_you_mean(task, tasks())}; there is {', '.join(tasks())}")
    known: dict[str, Meaning | str] = {}
    for name, row in comparison.items():
        if row.label != name or not row.difference:
            continue
        try:
            size = row.difference * comparison.a.parts[name][1].scale
            known[name] = meaning(name, size, evidence_like(task, name))
        except AssayError as why:
            known[name] = str(why)
    return known
