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
from assay.meta.judge_labels import Cell, Label, Labels, read_labels
from assay.records.types import Judgement
from assay.stats.agreement import krippendorff, tabulate
from assay.stats.alternative_annotator import AlternativeAnnotator, Scoring, alternative_annotator_test
from assay.stats.correlation import correlate
from assay.stats.interval import percentile, wilson_interval
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
        scoring: Alignment with annotators: accuracy for labels, rmse for ratings (default: by the values).
        own: System written by the judge's own model.
        texts: Judged text by id and system, for length and format.
        samples: Bootstrap resamples of items for the intervals of agreement.
        seed: Random seed.
    """

    judges: tuple[str, ...] = ()
    criterion: str | None = None
    epsilon: float = 0.2
    scoring: Scoring | None = None
    own: str | None = None
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    samples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise AssayError(f"epsilon={self.epsilon:g}: use 0 to below 1, e.g. 0.2 for experts.")


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
    judged = {cell for each in labels.humans.values() for cell in each}
    shared = [cell for cell in own if cell in judged]
    if not shared:
        raise AssayError(f"{judge}: no output that an annotator judged too; ids, systems and criteria must be equal")
    notes = [f"{len(own) - len(shared)} judgements have no human judgement"] if len(own) > len(shared) else []
    if labels.seen:
        notes.append(f"{labels.seen} judgements by annotators who saw a model's suggestion are left out")
    agreement, human, difference = _agreement(labels, own, request)
    test = None
    try:
        many = labels.numeric and len(labels.classes) > 2
        scoring = request.scoring or ("rmse" if many else "accuracy")
        test = alternative_annotator_test(own, labels.humans, scoring, request.epsilon)
        if test.skipped:
            notes.append(f"{len(test.skipped)} annotators have fewer than 30 shared items and are left out of the test")
    except UndefinedStatistic as why:
        notes.append(f"no alternative annotator test: {why}")
    biases, more = judge_biases(labels, judge, request.texts, request.own)
    answer, reasons = _answer(test, biases)
    return JudgeValidation(
        judge, len(shared), agreement, human, difference, test, biases, _confusion(labels, own), _systems(labels, own),
        _calibration(labels, own), _correlation(labels, own, request), _repeatability(labels.draws[judge]), answer,
        reasons, [*notes, *more],
    )  # fmt: skip


def _answer(test: AlternativeAnnotator | None, biases: Sequence[Bias]) -> tuple[Answer, list[str]]:
    """Return the answer to: may this judge replace annotators here?"""
    significant = [bias for bias in biases if bias.significant]
    largest = sorted(significant, key=lambda bias: -abs(bias.value))[:MOST_REASONS]
    reasons = [f"{bias.name} {bias.value:+.2f} (95 % CI {bias.low:.2f} to {bias.high:.2f})" for bias in largest]
    reasons += [f"{len(significant) - len(largest)} more biases"] if len(significant) > len(largest) else []
    if test is None:
        return "no" if significant else "inconclusive", [
            *reasons,
            "too few shared items for the alternative annotator test",
        ]
    wins = f"wins against {sum(each.rejected for each in test.annotators)} of {len(test.annotators)} annotators"
    reasons.insert(0, f"{wins} (winning rate {test.winning_rate:.2f}, needed .50; epsilon {test.epsilon:g})")
    return "yes" if test.passes and not significant else "no", reasons


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


def _confusion(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return, for each human majority label, how often the judge gives it, and what it gives instead."""
    if len(labels.classes) > 20:
        return []
    majority = labels.majorities()
    rows = []
    for label in labels.classes:
        answers = [own[cell] for cell, human in majority.items() if human == label and cell in own]
        if answers:
            right = sum(each == label for each in answers)
            low, high = wilson_interval(right, len(answers))
            counts = {_word(other): answers.count(other) for other in labels.classes if other in answers}
            rows.append({"class": label, "n": len(answers), "recall": right / len(answers), "low": low, "high": high,
                         "judged": counts})  # fmt: skip
    return rows


def _word(label: Label) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _systems(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return the share of outputs on which the judge equals the human majority, and its mean error, by system."""
    majority = labels.majorities()
    means = labels.human_means() if labels.numeric else {}
    rows = []
    for system in sorted({cell.system for cell in own}):
        decided = [cell for cell in own if cell.system == system and cell in majority]
        if not decided:
            continue
        equal = sum(own[cell] == majority[cell] for cell in decided)
        low, high = wilson_interval(equal, len(decided))
        errors = [float(own[cell]) - means[cell] for cell in own if cell.system == system and cell in means]
        rows.append({"system": system, "n": len(decided), "equal": equal / len(decided), "low": low, "high": high,
                     "mean_error": float(np.mean(errors)) if errors else None})  # fmt: skip
    return rows


def _calibration(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return the mean human value of outputs by the value of the judge, in at most ten steps."""
    if not labels.numeric:
        return []
    means = labels.human_means()
    pairs = sorted((float(label), means[cell]) for cell, label in own.items() if cell in means)
    values = sorted({value for value, _ in pairs})
    steps = [[value] for value in values] if len(values) <= 10 else [list(part) for part in np.array_split(values, 10)]
    rows = []
    for step in steps:
        inside = [human for value, human in pairs if step[0] <= value <= step[-1]]
        rows.append({"judge": float(np.mean(step)), "human": float(np.mean(inside)), "n": len(inside)})
    return rows


def _correlation(labels: Labels, own: Mapping[Cell, Label], request: ValidationRequest) -> dict[str, Any]:
    """Return correlations of the judge with the mean human value, and given the length of the texts."""
    if not labels.numeric:
        return {}
    means = labels.human_means()
    cells = [cell for cell in own if cell in means]
    x, y = [float(own[cell]) for cell in cells], [means[cell] for cell in cells]
    correlations: dict[str, Any] = {}
    for method in ("pearson", "spearman"):
        try:
            correlations[method] = correlate(x, y, method).r
        except UndefinedStatistic as why:
            correlations[method], correlations["why"] = None, str(why)
    lengths = [
        len(request.texts[cell.id, cell.system].split()) for cell in cells if (cell.id, cell.system) in request.texts
    ]
    if len(lengths) == len(cells) and len(set(lengths)) > 1:
        try:
            correlations["partial_pearson"] = _partial(x, y, lengths)
        except UndefinedStatistic as why:
            correlations["partial_pearson"], correlations["partial_why"] = None, str(why)
    return correlations


def _partial(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> float:
    """Return the correlation of x and y given z."""
    xy, xz, yz = correlate(x, y, "pearson").r, correlate(x, z, "pearson").r, correlate(y, z, "pearson").r
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def _repeatability(draws: Sequence[Mapping[Cell, Label]]) -> dict[str, Any] | None:
    """Return how often repeated draws of the judge give the same label."""
    if len(draws) < 2:
        return None
    equal = [
        one[cell] == other[cell] for one, other in combinations(draws, 2) for cell in one if cell in other
    ]  # fmt: skip
    return {"draws": len(draws), "equal": float(np.mean(equal)) if equal else None, "n": len(equal)}
