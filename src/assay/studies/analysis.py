"""Analysis of judgements: agreement, ranking, rates, order and fatigue effects, methods, gold standard, annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.meta.agreement import AgreementRequest, CriterionAgreement, agreement_report, distinct, measure_agreement
from assay.meta.majority import minority_votes
from assay.meta.ranking import Direction, Ranked, rank_systems, scale_ends, unit_values
from assay.meta.ratings import ModelKind, RatingModel, model_ratings
from assay.records import Judgement
from assay.studies.categories import AnnotatorModels, Key, Rate, accuracy, consistency, model_annotators, rates
from assay.studies.design import Design, Question
from assay.studies.effects import Effect, fatigue_effects, order_effect
from assay.studies.kinds import direction, kind_named
from assay.studies.methods import MethodPair, compare_methods
from assay.studies.perception import Perceived, perception_matrix


@dataclass
class CriterionAnalysis:
    """Analysis of one criterion, elicited by one method in one wording."""

    criterion: str
    method: str
    question: str
    numeric: bool
    better: Direction = "higher"
    """Direction of the scale: of the question in the design, else of its kind."""
    agreement: CriterionAgreement | None = None
    ranks: list[Ranked] = field(default_factory=list)
    model: RatingModel | None = None
    rates: list[Rate] = field(default_factory=list)
    minority: dict[tuple[str, str], int] = field(default_factory=dict)
    annotators: AnnotatorModels | None = None
    gold: dict[str, Any] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    perception: list[Perceived] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return " · ".join(filter(None, (self.criterion, self.method, self.question and f"question {self.question}")))


@dataclass
class Analysis:
    """Analysis of all judgements of a study."""

    judgements: int
    pilot: int
    """Number of pilot judgements, which are left out."""
    criteria: list[CriterionAnalysis]
    methods: list[MethodPair]
    notes: list[str]

    def record(self) -> dict[str, Any]:
        """Return the analysis as JSON values."""
        return {
            "judgements": self.judgements,
            "pilot_left_out": self.pilot,
            "criteria": [_record(each) for each in self.criteria],
            "methods": [asdict(pair) for pair in self.methods],
            "notes": self.notes,
        }


def analyze(
    judgements: Sequence[Judgement],
    *,
    samples: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
    gold: Sequence[Judgement] = (),
    model: ModelKind | None = "linear",
    design: Design | None = None,
) -> Analysis:
    """Analyse judgements, each criterion, method and wording apart.

    Args:
        judgements: Judgements of any kind; those of a pilot are left out.
        samples: Number of bootstrap resamples for 95 % confidence intervals.
        seed: Random seed.
        threshold: Mean below which an item counts as human (default: that of the design, 3 for human-likeness, else no
            such analysis).
        gold: Judgements that are known to be correct.
        model: Mixed model of ratings, or None for none.
        design: Design with directions of scales and thresholds (default: those of each question kind).

    Returns:
        The analysis. An analysis that is not possible is left out, and the notes of its criterion say why.
    """
    main = [judgement for judgement in judgements if not judgement.pilot]
    if not main:
        raise AssayError("no judgements outside the pilot")
    groups: dict[tuple[str, str, str], list[Judgement]] = {}
    for judgement in main:
        groups.setdefault((judgement.criterion, judgement.method, judgement.question), []).append(judgement)
    truth = _truth(gold)
    criteria = [
        _criterion(distinct(rows), key, samples, seed, threshold, truth.get(key[0], {}), model,
                   design.question_of_kind(key[0], key[1]) if design else None)
        for key, rows in groups.items()
    ]  # fmt: skip
    versions: dict[str, set[str]] = {}
    for criterion, _, question in groups:
        versions.setdefault(criterion, set()).add(question)
    notes = [
        f"{criterion}: {len(wordings)} wordings of the question, analysed separately"
        for criterion, wordings in versions.items()
        if len(wordings) > 1
    ]
    return Analysis(len(main), len(judgements) - len(main), criteria, compare_methods(main, design), notes)


def _truth(gold: Sequence[Judgement]) -> dict[str, dict[Key, str]]:
    truth: dict[str, dict[Key, str]] = {}
    for judgement in gold:
        known = truth.setdefault(judgement.criterion, {})
        key = (judgement.id, judgement.system, judgement.unit)
        if known.setdefault(key, str(judgement.value)) != str(judgement.value):
            raise AssayError(
                f"gold: {judgement.id} of {judgement.system} has two values for {judgement.criterion}; keep one"
            )
    return truth


def _criterion(
    rows: Sequence[Judgement],
    key: tuple[str, str, str],
    samples: int,
    seed: int,
    threshold: float | None,
    truth: Mapping[Key, str],
    model: ModelKind | None,
    question: Question | None,
) -> CriterionAnalysis:
    spans = any(row.unit.startswith("span:") for row in rows)
    numeric = all(isinstance(row.value, int | float) for row in rows)
    criterion, method, _ = key
    kind = kind_named(method)
    result = CriterionAnalysis(*key, numeric, direction(method, question))
    if threshold is None:
        threshold = question.threshold if question else None
    try:
        (result.agreement,) = measure_agreement(rows, AgreementRequest(criterion, samples, seed))
        result.notes += result.agreement.warnings
    except AssayError as why:
        result.notes.append(f"no agreement: {why}")
    if spans:
        return result
    if numeric:
        result.effects = [order_effect(rows), *fatigue_effects(rows)]
        levels = question.values if question else ()
        _rank(result, rows, samples, seed, None if kind and kind.compares else model, levels)
    else:
        result.rates = rates(rows)
        result.minority = minority_votes(rows, criterion)
    if not numeric or len({row.value for row in rows}) <= 10:
        result.annotators = model_annotators(rows)
        if truth:
            result.gold = {"models": accuracy(result.annotators, truth), "annotators": consistency(rows, truth)}
    human_below = kind.human_below if kind and threshold is None else threshold
    if numeric and human_below is not None:
        result.perception = perception_matrix(rows, human_below, result.better)
    return result


def _rank(
    result: CriterionAnalysis, rows: Sequence[Judgement], samples: int, seed: int, model: ModelKind | None,
    levels: Sequence[float],
) -> None:  # fmt: skip
    """Rank systems, and fit a mixed model unless texts were only compared with each other."""
    attempts: dict[str, Any] = {
        "ranking": lambda: rank_systems(
            unit_values(rows, result.criterion), samples, seed, better=result.better,
            ends=scale_ends(rows, result.criterion, levels),
        )
    }  # fmt: skip
    if model is not None:
        attempts["model"] = lambda: model_ratings(rows, result.criterion, model)
    for name, attempt in attempts.items():
        try:
            made = attempt()
        except AssayError as why:
            result.notes.append(f"no {name}: {why}")
            continue
        if name == "ranking":
            result.ranks = made
        else:
            result.model = made
            result.notes += made.notes


def _record(each: CriterionAnalysis) -> dict[str, Any]:
    record: dict[str, Any] = {
        "criterion": each.criterion,
        "method": each.method,
        "question": each.question,
        "better": each.better if each.numeric else None,
        "agreement": next(iter(agreement_report([each.agreement])["criteria"].values())) if each.agreement else None,
        "ranking": [msgspec.structs.asdict(row) for row in each.ranks],
        "model": each.model.record() if each.model else None,
        "rates": [{**asdict(rate), "share": rate.share} for rate in each.rates],
        "minority": [{"majority": a, "minority": b, "votes": count} for (a, b), count in each.minority.items()],
        "effects": [asdict(effect) for effect in each.effects],
        "perception": [{**asdict(row), "share": row.share} for row in each.perception],
        "gold": each.gold,
        "notes": each.notes,
    }
    if each.annotators:
        models = each.annotators
        record["annotators"] = {
            name: dict(zip(models.annotators, truth.competence.tolist(), strict=True))
            for name, truth in models.truths.items()
        }
        record["annotator_models_converged"] = {name: truth.converged for name, truth in models.truths.items()}
    return record
