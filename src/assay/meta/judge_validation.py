"""May a judge replace annotators here? Agreement next to that of annotators, error rates, biases, and one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.meta.judge_biases import Bias, judge_biases
from assay.meta.judge_errors import calibration_of, confusion_of, correlation_of, repeatability_of, systems_of
from assay.meta.judge_labels import Cell, Label, Labels, once, read_labels
from assay.records.types import Judgement
from assay.stats.agreement import krippendorff, tabulate
from assay.stats.alternative_annotator import AlternativeAnnotator, Scoring, alternative_annotator_test
from assay.stats.interval import percentile
from assay.stats.validation import UndefinedStatistic

Answer = Literal["yes", "no", "inconclusive"]
MOST_REASONS = 3
"""Biases named in the reasons of an answer; all are in the table."""
MOST_PAIRS = 60
"""Pairs of annotators up to which intervals of agreement are computed."""


@dataclass(frozen=True, kw_only=True)
class ValidationRequest:
    """What a judge is measured against.

    Attributes:
        judges: Names of the judges (default: annotators with the method `judge`).
        criterion: Criterion to use (default: all together).
        epsilon: Cost-benefit margin of the alternative annotator test: 0.2 for experts, 0.15 for skilled annotators,
            0.1 for crowd workers.
        tolerance: Largest bias, in points of the scale, that changes no conclusion; then yes needs intervals of all
            biases within it (default: yes if no bias is significant).
        scoring: Alignment with annotators: accuracy for labels, rmse for ratings (default: by the values).
        own: System written by the judge's own model.
        texts: Judged text by id and system, for length and format.
        samples: Bootstrap resamples of items for the intervals of agreement.
        seed: Random seed.
    """

    judges: tuple[str, ...] = ()
    criterion: str | None = None
    epsilon: float = 0.2
    tolerance: float | None = None
    scoring: Scoring | None = None
    own: str | None = None
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    samples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise AssayError(f"epsilon={self.epsilon:g}: use 0 to below 1, e.g. 0.2 for experts.")
        if self.tolerance is not None and not self.tolerance > 0:
            raise AssayError(f"tolerance={self.tolerance:g}: use a number above 0, in points of the scale.")


@dataclass(frozen=True)
class JudgeValidation:
    """Everything that was measured about one judge, and the answer."""

    judge: str
    n: int
    agreement: float | None
    human_agreement: float | None
    difference: tuple[float, float] | None
    """Interval of agreement minus human agreement."""
    test: AlternativeAnnotator | None
    clustered: AlternativeAnnotator | None
    """The same test where outputs of an item are not independent; None if each item has one output."""
    biases: list[Bias]
    confusion: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    calibration: list[dict[str, Any]]
    correlation: dict[str, Any]
    repeatability: dict[str, Any] | None
    answer: Answer
    reasons: list[str]
    notes: list[str]

    def record(self) -> dict[str, Any]:
        """Return the JSON object of the judge."""
        test = self.test
        return {
            "n": self.n, "agreement": self.agreement, "human_agreement": self.human_agreement,
            "difference": None if self.difference is None else {"low": self.difference[0], "high": self.difference[1]},
            "winning_rate": None if test is None else test.winning_rate,
            "advantage_probability": None if test is None else test.advantage_probability,
            "clustered_winning_rate": None if self.clustered is None else self.clustered.winning_rate,
            "epsilon": None if test is None else test.epsilon,
            "annotators": [] if test is None else [vars(each) for each in test.annotators],
            "biases": {bias.name: bias.record() for bias in self.biases}, "confusion": self.confusion,
            "systems": self.systems, "calibration": self.calibration, "correlation": self.correlation,
            "repeatability": self.repeatability, "verdict": self.answer, "reasons": self.reasons, "notes": self.notes,
        }  # fmt: skip


def validate_judges(judgements: Sequence[Judgement], request: ValidationRequest) -> dict[str, JudgeValidation]:
    """Measure each judge against the annotators of the same outputs."""
    labels = read_labels(judgements, request.judges, request.criterion)
    return {name: _validate(labels, name, request) for name in labels.judges}


def _validate(labels: Labels, judge: str, request: ValidationRequest) -> JudgeValidation:
    own = labels.judges[judge]
    pairs_once, people = once(own), {name: once(each) for name, each in labels.humans.items()}
    judged = {cell for each in labels.humans.values() for cell in each}
    shared = [cell for cell in own if cell in judged]
    if not shared:
        raise AssayError(f"{judge}: no output that an annotator judged too; ids, systems and criteria must be equal")
    n = len(once(dict.fromkeys(shared, 0.0)))
    notes = [f"{len(own) - len(shared)} judgements have no human judgement"] if len(own) > len(shared) else []
    if labels.seen:
        notes.append(f"{labels.seen} judgements by annotators who saw a model's suggestion are left out")
    agreement, human, difference = _agreement(labels, own, request)
    test = clustered = None
    try:
        many = labels.numeric and len(labels.classes) > 2
        scoring = request.scoring or ("rmse" if many else "accuracy")
        test = alternative_annotator_test(pairs_once, people, scoring, request.epsilon)
        if len({cell.id for cell in shared}) < n:
            clustered = alternative_annotator_test(
                pairs_once, people, scoring, request.epsilon, clusters=lambda cell: cell.id
            )
        if test.skipped:
            notes.append(f"{len(test.skipped)} annotators have fewer than 30 shared items and are left out of the test")
    except UndefinedStatistic as why:
        notes.append(f"no alternative annotator test: {why}")
    biases, more = judge_biases(labels, judge, request.texts, request.own)
    answer, reasons = _answer(test, clustered, biases, request.tolerance, len(labels.humans))
    return JudgeValidation(
        judge, n, agreement, human, difference, test, clustered, biases, confusion_of(labels, own),
        systems_of(labels, own), calibration_of(labels, own), correlation_of(labels, own, request.texts),
        repeatability_of(labels.draws[judge]), answer, reasons, [*notes, *more],
    )  # fmt: skip


def _answer(
    test: AlternativeAnnotator | None, clustered: AlternativeAnnotator | None, biases: Sequence[Bias],
    tolerance: float | None, people: int,
) -> tuple[Answer, list[str]]:  # fmt: skip
    """Return the answer to: may this judge replace annotators here?"""
    significant = [bias for bias in biases if bias.significant and bias.exceeds(tolerance)]
    possible = [bias for bias in biases if bias.may_exceed(tolerance) and bias not in significant]
    reasons = [*_named(significant, "more biases"), *_named(possible, "more may be too large", " may be too large")]
    if test is None:
        return "no" if significant else "inconclusive", [
            *reasons,
            "too few shared items for the alternative annotator test" if people > 1
            else "the alternative annotator test needs two or more annotators",
        ]  # fmt: skip
    wins = f"wins against {sum(each.rejected for each in test.annotators)} of {len(test.annotators)} annotators"
    reasons.insert(0, f"{wins} (winning rate {test.winning_rate:.2f}, needed .50; epsilon {test.epsilon:g})")
    dependent = test.passes and clustered is not None and not clustered.passes
    if dependent and clustered is not None:
        reasons.insert(1, f"winning rate {clustered.winning_rate:.2f} where outputs of an item are not independent")
    if test.undecided:
        fewest = min(each.n for each in test.annotators)
        reasons.insert(1, f"within epsilon by the estimates, not significantly ({fewest} items): label more")
    if significant or not (test.passes or test.undecided):
        return "no", reasons
    return "inconclusive" if test.undecided or dependent or possible else "yes", reasons


def _named(biases: Sequence[Bias], more: str, what: str = "") -> list[str]:
    """Return the largest biases in words, and how many more there are."""
    largest = sorted(biases, key=lambda bias: -abs(bias.value))[:MOST_REASONS]
    named = [f"{bias.name} {bias.value:+.2f} (95 % CI {bias.low:.2f} to {bias.high:.2f}){what}" for bias in largest]
    return named + ([f"{len(biases) - len(largest)} {more}"] if len(biases) > len(largest) else [])


def _agreement(
    labels: Labels, own: Mapping[Cell, Label], request: ValidationRequest
) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Return the mean Krippendorff alpha of the judge with each annotator, that of annotators with each other, and the
    interval of their difference from resampled items."""
    cells = sorted({cell for each in labels.humans.values() for cell in each if cell in own})
    codes = {label: float(i) if not labels.numeric else float(label) for i, label in enumerate(labels.classes)}
    columns = [
        np.array([codes[each[cell]] if cell in each else np.nan for cell in cells])
        for each in (own, *labels.humans.values())
    ]
    level: Literal["nominal", "ordinal"] = "ordinal" if labels.numeric and len(labels.classes) > 2 else "nominal"
    pairs = list(combinations(range(len(columns)), 2))
    tables = {pair: np.column_stack([columns[i] for i in pair]) for pair in pairs}
    usable = {pair: table for pair, table in tables.items() if (~np.isnan(table).any(axis=1)).sum() >= 2}
    ratings = {pair: tabulate(table[~np.isnan(table).any(axis=1)]) for pair, table in usable.items()}
    rows = {pair: ~np.isnan(table).any(axis=1) for pair, table in usable.items()}

    def means(weights: NDArray[np.float64] | None) -> tuple[float | None, float | None]:
        values: tuple[list[float], list[float]] = ([], [])
        for pair, rated in ratings.items():
            try:
                alpha = krippendorff(rated, level, None if weights is None else weights[rows[pair]])
            except UndefinedStatistic:
                continue
            if np.isfinite(alpha):
                values[0 if pair[0] == 0 else 1].append(float(alpha))
        mean = [float(np.mean(each)) if each else None for each in values]
        return mean[0], mean[1]

    agreement, human = means(None)
    if agreement is None or human is None or len(ratings) > MOST_PAIRS or request.samples < 20:
        return agreement, human, None
    draw = np.random.default_rng(request.seed)
    ids = sorted({cell.id for cell in cells})
    of_cell = np.array([ids.index(cell.id) for cell in cells])
    differences = []
    for _ in range(request.samples):
        counts = np.bincount(draw.integers(len(ids), size=len(ids)), minlength=len(ids)).astype(np.float64)
        a, b = means(counts[of_cell])
        if a is not None and b is not None:
            differences.append(a - b)
    return agreement, human, percentile(differences) if len(differences) > 0.9 * request.samples else None
