"""Mean human judgement of each system from few judgements and proxy scores of all outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.estimate_differences import ROUNDING, differences_of, reach_together
from assay.meta.estimate_notes import shared_annotators, unjudged, unused
from assay.meta.estimate_win_rates import WinRate, win_rates
from assay.meta.joined_scores import columns_of, read_frame
from assay.meta.score_files import NEEDED, read_scores
from assay.records.types import Judgement
from assay.specs import did_you_mean
from assay.stats.bounded_mean import BoundedMeans, bounded_means, observed_ends
from assay.stats.prediction_powered import Estimates, Judged, Population, estimate_means
from assay.stats.validation import group_codes


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
    scale: tuple[float, float] | None = None
    """Ends of the scale (default: the lowest and highest judgement, if there are at most 11 different ones)."""


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


class EstimateReport(TypedDict):
    """The object of `assay study estimate --json`."""

    win_rates: NotRequired[list[WinRate]]

    criterion: str
    proxies: list[str]
    scale: list[float] | None
    """Ends of the scale that intervals respect; None if judgements have no ends."""
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
        raise AssayError(NEEDED)
    if frame.select("id", "system").is_duplicated().any():
        raise AssayError("The scores have two rows for the same id and system. Keep one of each.")
    criterion, rows = _rows(judgements, request.criterion)
    names = sorted({row.system for row in rows})
    notes = [*notes, *unused(judgements, rows, criterion), *unjudged(frame, names), *shared_annotators(rows)]
    frame = frame.filter(frame["system"].is_in(names))
    proxies, more = _proxies(frame, request)
    notes += more
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
    if people is not None and (single := _of_one_annotator(rows)):
        raise AssayError(
            f"--annotators: all judgements of {single} are by one annotator, who says nothing about others."
        )
    judged = Judged(text, values, people)
    drawn = _probability(frame, request.probability)
    stratum = None if request.stratum is None else group_codes(_column(frame, request.stratum).cast(str).to_numpy())
    scored = frame.select(proxies).to_numpy().astype(np.float64).reshape(len(frame), len(proxies))
    population = Population(scored, system, cluster, drawn, stratum)
    with_proxy = estimate_means(population, judged, request.finite)
    alone = estimate_means(population.without_proxies(), judged, request.finite)
    ends = _ends(values, request.scale)
    counts = {name: sum(row.system == name for row in rows) for name in names}
    means = _Means(with_proxy, alone, np.bincount(system), ends, request.finite)
    estimates: dict[str, SystemEstimate] = {}
    for number, name in enumerate(names):
        estimates[name], note = means.of(number, counts[name])
        notes = [*notes, f"{name}: {note}"] if note else notes
    differences, groups = differences_of(names, with_proxy, means.equal)
    report: EstimateReport = {
        "criterion": criterion, "proxies": proxies, "scale": None if ends is None else list(ends),
        "systems": estimates, "differences": differences, "groups": groups, "warnings": notes,
    }  # fmt: skip
    if request.win_rates:
        outputs = list(zip(frame["id"], frame["system"], strict=True))
        report["win_rates"], missing = win_rates(names, outputs, population, rows)
        report["warnings"] = [*notes, *missing]
    return report


class _Means:
    """The estimates of all systems as rows of the report: on a scale, intervals respect its ends."""

    def __init__(
        self, with_proxy: Estimates, alone: Estimates, sizes: NDArray[np.int64], ends: tuple[float, float] | None,
        finite: bool,
    ) -> None:  # fmt: skip
        self.with_proxy, self.alone, self.sizes, self.finite = with_proxy, alone, sizes, finite
        plain = [alone.mean(number) for number in range(len(sizes))]
        self.equal = [number for number, each in enumerate(plain) if each.error <= ROUNDING * abs(each.value)]
        """Systems whose judgements are all equal, or whose outputs were all judged."""
        self.reach = reach_together(with_proxy, self.equal)
        self.bounded: tuple[BoundedMeans, BoundedMeans] | None = None
        if ends is not None:
            self.bounded = bounded_means(with_proxy, alone, ends), bounded_means(alone, alone, ends)

    def of(self, number: int, judgements: int) -> tuple[SystemEstimate, str]:
        """Return the estimate of a system, and a note."""
        mean, plain = self.with_proxy.mean(number), self.alone.mean(number)
        value, note, worth = mean.value, "", None
        own: tuple[float | None, float | None] = (None, None)
        low, high = wide = own
        if number not in self.equal:
            low, high = mean.interval()
            wide = mean.value - self.reach * mean.error, mean.value + self.reach * mean.error
            own, worth = plain.interval(), judgements * self._gain(number)
        if self.bounded is not None and self.with_proxy.unit[number] > 0:
            with_proxy, alone = self.bounded
            used = alone if number in self.equal else with_proxy
            value, (low, high), own = (
                used.clipped(float(used.value[number])),
                used.interval(number),
                alone.interval(number),
            )
            wide = used.interval(number, used.reach_together(self.reach, len(self.equal)))
            if number in self.equal:
                note = "judgements are all equal; the interval is that of judgements alone, by the spread of others"
        if low is None:
            value = plain.value
            note = "no interval, since its judgements are all equal or all its outputs were judged"
        return {
            "value": value, "low": low, "high": high, "judgements": judgements, "worth": worth,
            "simultaneous": {"low": wide[0], "high": wide[1]},
            "alone": {"value": plain.value, "low": own[0], "high": own[1]},
        }, note  # fmt: skip

    def _gain(self, number: int) -> float:
        """Return for how many judgements without proxies one judgement counts."""
        ratio = (self.with_proxy.mean(number).error / self.alone.mean(number).error) ** 2
        drawn = int(self.alone.judged[number]) / int(self.sizes[number])
        return 1 / (ratio * (1 - drawn) + drawn) if self.finite else 1 / ratio


def _ends(values: NDArray[np.float64], scale: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the ends of the scale; None if judgements have none, or if all are equal and no scale is known."""
    if scale is None:
        return observed_ends(values)
    low, high = float(values.min()), float(values.max())
    if not scale[0] <= low <= high <= scale[1] or scale[0] == scale[1]:
        raise UsageError(f"--scale {scale[0]:g}-{scale[1]:g}: judgements are from {low:g} to {high:g}")
    return scale


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


def _proxies(frame: polars.DataFrame, request: EstimateRequest) -> tuple[list[str], list[str]]:
    """Return the proxies of judged systems that all outputs have, and notes on what is left out or of no use.

    Raises:
        AssayError: A proxy that was asked for by name has no score of some outputs, or there is none at all.
    """
    wanted, other = request.proxies, ("id", "system", request.probability, request.stratum)
    numeric = [name for name in frame.columns if name not in other and frame[name].dtype.is_numeric()]
    for name in wanted:
        if name not in numeric:
            raise UsageError(
                f"--proxy {name}: no such score{did_you_mean(name, numeric)}; there are {', '.join(numeric)}"
            )
    if not numeric:
        raise AssayError("The scores have no numeric column, so there is no proxy.")
    chosen, notes = list(dict.fromkeys(wanted)) or numeric, []
    for name in (name for name in chosen if frame[name].null_count()):
        without = frame.filter(frame[name].is_null())
        why = f"{name}: {len(without)} outputs have no score, of {', '.join(sorted({*without['system']}))}"
        left = [each for each in chosen if not frame[each].null_count()]
        if wanted or not left:
            raise AssayError(f"{why}. Score them{f', or use --proxy {chr(44).join(left)}' if left else ''}.")
        notes.append(f"{why}; not used")
    chosen = [name for name in chosen if not frame[name].null_count()]
    flat = [name for name in chosen if frame.group_by("system").agg(polars.col(name).n_unique())[name].max() == 1]
    notes += [f"{', '.join(flat)}: the same for all outputs of a system, so of no use as a proxy"] if flat else []
    return chosen, notes


def _of_one_annotator(rows: Sequence[Judgement]) -> str | None:
    """Return a system whose judgements are all by one annotator."""
    people: dict[str, set[str]] = {}
    for row in rows:
        people.setdefault(row.system, set()).add(row.annotator)
    return next((system for system, own in people.items() if len(own) == 1), None)


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
