"""Mean human judgement of each system from few judgements and proxy scores of all outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NotRequired, TypedDict

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.joined_scores import columns_of, read_frame
from assay.meta.score_files import read_scores
from assay.records.types import Judgement
from assay.specs import did_you_mean
from assay.stats.all_pairs import critical_value, step_down, tied_groups
from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.interval import rate_interval
from assay.stats.prediction_powered import Estimates, Judged, Population, estimate_means
from assay.stats.simultaneous import null_of_contrasts
from assay.stats.validation import group_codes

LEVEL = 0.05
SMALLEST = 1e-15
FEWEST_PAIRS = 10
"""Inputs judged for both systems below which there is no win rate."""
"""Smallest p whose t is looked up."""
ROUNDING = 1e-12
"""Standard error of equal judgements, relative to their mean: sums of equal numbers are rounded."""


@dataclass(frozen=True)
class EstimateRequest:
    """Which judgements and proxies are used: the options of `assay study estimate`."""

    proxies: tuple[str, ...] = ()
    """Columns of the scores (default: all numeric ones)."""
    criterion: str | None = None
    finite: bool = False
    """The means of exactly these outputs, not of others like them."""
    annotators: bool = False
    """The means that other annotators like these would give."""
    probability: str | None = None
    """Column of the scores: the probability with which an output was drawn to be judged."""
    stratum: str | None = None
    """Column of the scores: the stratum from which an output was drawn."""
    win_rates: bool = False
    """How often annotators rate one system above another."""


class SystemEstimate(TypedDict):
    """The estimate of one system."""

    value: float
    low: float | None
    high: float | None
    judgements: int
    worth: float | None
    simultaneous: dict[str, float | None]
    """Interval that holds for all systems together."""
    alone: dict[str, float | None]


class WinRate(TypedDict):
    """How often annotators rate the output of `a` above that of `b`, ties divided."""

    a: str
    b: str
    value: float
    low: float
    high: float
    items: int
    worth: float | None


class EstimateReport(TypedDict):
    """The object of `assay study estimate --json`."""

    win_rates: NotRequired[list[WinRate]]

    criterion: str
    proxies: list[str]
    systems: dict[str, SystemEstimate]
    differences: list[dict[str, Any]]
    groups: list[list[str]]
    warnings: list[str]


def estimate_systems(
    judgements: Sequence[Judgement], scores: Sequence[Any], request: EstimateRequest
) -> EstimateReport:
    """Estimate the mean judgement of each system.

    Judged outputs must be a random sample of each system's outputs in `scores`.

    Raises:
        AssayError: A judged output has no scores, a proxy is missing, or a system has fewer than two judged outputs.
    """
    table, notes = read_scores(scores)
    frame = read_frame(table, "scores")
    if not {"id", "system"} <= {*frame.columns}:
        raise AssayError("The scores need the columns `id` and `system`, one row for each output.")
    proxies = _proxies(frame, request)
    if frame.select("id", "system").is_duplicated().any():
        raise AssayError("The scores have two rows for the same id and system. Keep one of each.")
    criterion, rows = _rows(judgements, request.criterion)
    names = sorted({row.system for row in rows})
    notes = [*notes, *_unused(judgements, rows, criterion), *_unjudged(frame, names)]
    frame = frame.filter(frame["system"].is_in(names))
    if (empty := [name for name in proxies if frame[name].null_count()]) and len(frame):
        raise AssayError(f"{empty[0]}: {frame[empty[0]].null_count()} outputs have no score. Score all of them.")
    place = {pair: row for row, pair in enumerate(zip(frame["id"], frame["system"], strict=True))}
    if lost := next((row for row in rows if (row.id, row.system) not in place), None):
        raise AssayError(f"id {lost.id}, system {lost.system}: judged, but not in the scores. Score all outputs.")
    text = np.array([place[row.id, row.system] for row in rows], dtype=np.int64)
    for name in names:
        if (few := len({row.id for row in rows if row.system == name})) < 2:
            raise AssayError(f"{name}: {few} judged outputs; an interval needs at least 2. Judge more of this system.")
    system = np.array([names.index(name) for name in frame["system"]], dtype=np.int64)
    cluster = group_codes(frame["id"].to_numpy())
    values = np.array([float(row.value) for row in rows])
    people = group_codes([row.annotator for row in rows]) if request.annotators else None
    if people is not None and people.max() == 0:
        raise AssayError("--annotators: all judgements are by one annotator, who says nothing about others.")
    judged = Judged(text, values, people)
    drawn = _probability(frame, request.probability)
    stratum = None if request.stratum is None else group_codes(_column(frame, request.stratum).cast(str).to_numpy())
    scored = frame.select(proxies).to_numpy().astype(np.float64).reshape(len(frame), len(proxies))
    with_proxy = estimate_means(Population(scored, system, cluster, drawn, stratum), judged, request.finite)
    alone = estimate_means(Population(scored[:, :0], system, cluster, drawn, stratum), judged, request.finite)
    sizes = np.bincount(system)
    counts = {name: sum(row.system == name for row in rows) for name in names}
    estimates: dict[str, SystemEstimate] = {}
    equal: list[int] = []
    binary = bool(np.isin(values, (0, 1)).all())
    together = _together(with_proxy, alone)
    for number, name in enumerate(names):
        mean, plain = with_proxy.mean(number), alone.mean(number)
        if plain.error <= ROUNDING * abs(plain.value):
            equal.append(number)
            if binary and not request.finite:
                notes = [
                    *notes,
                    f"{name}: judgements are all {plain.value:g}; the interval is that of judgements alone",
                ]
                share = float(round(plain.value))
                own = rate_interval(share, int(with_proxy.shared[:, number].sum()))
                estimates[name] = {
                    "value": share, "low": own[0], "high": own[1], "judgements": counts[name], "worth": None,
                    "simultaneous": {"low": None, "high": None},
                    "alone": {"value": share, "low": own[0], "high": own[1]},
                }  # fmt: skip
                continue
            notes = [*notes, f"{name}: no interval, since its judgements are all equal or all its outputs were judged"]
            estimates[name] = {
                "value": plain.value, "low": None, "high": None, "judgements": counts[name], "worth": None,
                "simultaneous": {"low": None, "high": None}, "alone": {"value": plain.value, "low": None, "high": None},
            }  # fmt: skip
            continue
        low, high = mean.interval()
        n, total = int(alone.judged[number]), int(sizes[number])
        ratio = (mean.error / plain.error) ** 2
        gain = 1 / (ratio * (1 - n / total) + n / total) if request.finite else 1 / ratio
        own_low, own_high = plain.interval()
        value, wide = mean.value, (mean.value - together * mean.error, mean.value + together * mean.error)
        if binary and not request.finite:
            value, size = min(1.0, max(0.0, value)), plain.value * (1 - plain.value) / plain.error**2
            own_low, own_high = rate_interval(plain.value, size, plain.df)
            low, high = rate_interval(value, size / ratio, mean.df)
            wide = rate_interval(value, size / ratio, reach=together)
        estimates[name] = {
            "value": value, "low": low, "high": high, "judgements": counts[name], "worth": counts[name] * gain,
            "simultaneous": {"low": wide[0], "high": wide[1]},
            "alone": {"value": plain.value, "low": own_low, "high": own_high},
        }  # fmt: skip
    differences, groups = _differences(names, with_proxy, equal)
    report: EstimateReport = {
        "criterion": criterion, "proxies": proxies, "systems": estimates, "differences": differences, "groups": groups,
        "warnings": notes,
    }  # fmt: skip
    if request.win_rates:
        if request.probability or request.stratum:
            raise UsageError("--win-rates: for simple random samples only. Leave --probability and --stratum out.")
        report["win_rates"], missing = _win_rates(names, frame, scored, rows)
        report["warnings"] = [*notes, *missing]
    return report


def _win_rates(
    names: Sequence[str], frame: polars.DataFrame, scored: NDArray[np.float64], rows: Sequence[Judgement]
) -> tuple[list[WinRate], list[str]]:
    """Return the win rates of all pairs. The proxies of a pair are the differences of the proxies and their signs."""
    place = {pair: row for row, pair in enumerate(zip(frame["id"], frame["system"], strict=True))}
    by_annotator = {(row.id, row.system, row.annotator): float(row.value) for row in rows}
    wins: list[WinRate] = []
    missing = []
    for a, b in combinations(names, 2):
        ids = [id for id in dict.fromkeys(frame["id"]) if (id, a) in place and (id, b) in place]
        number = {id: place for place, id in enumerate(ids)}
        won = [
            (number[id], float(np.sign(value - by_annotator[id, b, who]) + 1) / 2)
            for (id, system, who), value in by_annotator.items()
            if system == a and (id, b, who) in by_annotator
        ]
        if len({item for item, _ in won}) < FEWEST_PAIRS:
            missing.append(f"{a} and {b}")
            continue
        apart = np.array([scored[place[id, a]] - scored[place[id, b]] for id in ids])
        proxies = np.column_stack([apart, np.sign(apart)])
        judged = Judged(np.array([item for item, _ in won], dtype=np.int64), np.array([value for _, value in won]))
        one = np.zeros(len(ids), dtype=np.int64)
        mean = estimate_means(Population(proxies, one, np.arange(len(ids))), judged).mean(0)
        plain = estimate_means(Population(proxies[:, :0], one, np.arange(len(ids))), judged).mean(0)
        items = len({item for item, _ in won})
        if plain.error <= ROUNDING:
            value, size, ratio = plain.value, float(items), None
        else:
            value, ratio = min(1.0, max(0.0, mean.value)), (mean.error / plain.error) ** 2
            size = plain.value * (1 - plain.value) / plain.error**2 / ratio
        low, high = rate_interval(value, size, mean.df)
        worth = None if ratio is None else items / ratio
        wins.append({"a": a, "b": b, "value": value, "low": low, "high": high, "items": items, "worth": worth})
    few = f"fewer than {FEWEST_PAIRS} inputs judged for both by one annotator"
    pairs = len(names) * (len(names) - 1) // 2
    notes = [f"no win rate for {len(missing)} of {pairs} pairs (first {missing[0]}): {few}"] if missing else []
    return wins, notes


def _differences(
    names: Sequence[str], estimates: Estimates, equal: Sequence[int]
) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Return all differences, with p and intervals that hold for all pairs together (max-T), and groups of systems
    without a significant one."""
    pairs = list(combinations(range(len(names)), 2))
    pairs = [pair for pair in pairs if not {*pair} & {*equal}]
    unit = np.eye(len(names))
    contrasts = [estimates.contrast(unit[a] - unit[b]) for a, b in pairs]
    raw = [t_two_sided(each.value / each.error, each.df) if each.error else 1.0 for each in contrasts]
    rows = np.array([unit[a] - unit[b] for a, b in pairs]).reshape(len(pairs), len(names))
    adjusted, reach = [1.0] * len(pairs), 0.0
    if pairs:
        df = min(each.df for each in contrasts)
        null = null_of_contrasts(estimates.covariance(), rows, df)
        # Each pair has its own degrees of freedom; its p is turned into the t of the common ones.
        observed = np.array([t_quantile(1 - max(p, SMALLEST) / 2, df) for p in raw])
        adjusted = [max(p, float(q)) for p, q in zip(raw, step_down(observed, null), strict=True)]
        reach = critical_value(null, LEVEL)
    differences = [
        {"a": names[a], "b": names[b], "difference": each.value, "low": each.interval()[0], "high": each.interval()[1],
         "simultaneous": {"low": each.value - reach * each.error, "high": each.value + reach * each.error},
         "p": p, "p_adjusted": q}
        for (a, b), each, p, q in zip(pairs, contrasts, raw, adjusted, strict=True)
    ]  # fmt: skip
    order = [names[number] for number in np.argsort(-estimates.value, kind="stable")]
    apart = dict.fromkeys(combinations(names, 2), False)
    apart |= {(names[a], names[b]): q < LEVEL for (a, b), q in zip(pairs, adjusted, strict=True)}
    return differences, tied_groups(order, apart)


def _together(estimates: Estimates, alone: Estimates) -> float:
    """Return the critical value of intervals of all means together; systems with equal judgements do not count."""
    units = np.eye(len(estimates.value))
    certain = [n for n in range(len(units)) if alone.mean(n).error > ROUNDING * abs(alone.value[n])]
    if not certain:
        return 0.0
    df = min(estimates.mean(n).df for n in certain)
    return critical_value(null_of_contrasts(estimates.covariance(), units[certain], df), LEVEL)


def _column(frame: polars.DataFrame, name: str) -> polars.Series:
    column = frame[columns_of(frame, [name], "scores, column")[0]]
    if column.null_count():
        raise AssayError(f"{name}: {column.null_count()} outputs have no value. Every output needs one.")
    return column


def _probability(frame: polars.DataFrame, name: str | None) -> NDArray[np.float64] | None:
    if name is None:
        return None
    column = _column(frame, name)
    values = column.to_numpy().astype(np.float64) if column.dtype.is_numeric() else np.zeros(len(column))
    if not ((values > 0) & (values <= 1)).all():
        raise AssayError(f"--probability {name}: values must be above 0 and at most 1, for every output.")
    return values


def _proxies(frame: polars.DataFrame, request: EstimateRequest) -> list[str]:
    wanted, other = request.proxies, ("id", "system", request.probability, request.stratum)
    numeric = [name for name in frame.columns if name not in other and frame[name].dtype.is_numeric()]
    for name in wanted:
        if name not in numeric:
            raise UsageError(
                f"--proxy {name}: no such score{did_you_mean(name, numeric)}; there are {', '.join(numeric)}"
            )
    if not numeric:
        raise AssayError("The scores have no numeric column, so there is no proxy.")
    return list(dict.fromkeys(wanted)) or numeric


def _unused(judgements: Sequence[Judgement], rows: Sequence[Judgement], criterion: str) -> list[str]:
    """Say how many judgements of the criterion are not used."""
    seen = sum(row.criterion == criterion and row.suggested for row in judgements)
    unused = sum(row.criterion == criterion for row in judgements) - len(rows) - seen
    notes = (
        [f"{unused} judgements of {criterion} not used: of a pilot, of parts of outputs, or labels"] if unused else []
    )
    return notes + ([f"{seen} judgements not used: their annotators saw a model's suggestion"] if seen else [])


def _unjudged(frame: polars.DataFrame, names: Sequence[str]) -> list[str]:
    missing = sorted({*frame["system"]} - {*names})
    return [f"no judgements, so no estimate: {', '.join(missing)}"] if missing else []


def _rows(judgements: Sequence[Judgement], wanted: str | None) -> tuple[str, list[Judgement]]:
    """Return the judgements of whole outputs on one criterion, without those of a pilot."""
    rows = [
        row for row in judgements
        if row.unit == "summary" and not row.pilot and not row.suggested and not isinstance(row.value, str)
    ]  # fmt: skip
    criteria = list(dict.fromkeys(row.criterion for row in rows))
    if not criteria:
        raise AssayError("no numeric judgements of whole outputs. Give ratings or 0 and 1.")
    if wanted is None and len(criteria) > 1:
        raise UsageError(f"several criteria: {', '.join(criteria)}. Choose one with --criterion.")
    if wanted is not None and wanted not in criteria:
        raise UsageError(f"--criterion {wanted}: no such criterion; there are {', '.join(criteria)}")
    criterion = wanted or criteria[0]
    return criterion, [row for row in rows if row.criterion == criterion]
