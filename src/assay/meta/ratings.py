"""Mixed models of human ratings: systems are fixed effects, items and annotators are random effects.

Items, annotators, and their interactions with systems are random, so confidence intervals generalise to other
annotators and other items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.errors import AssayError
from assay.meta.agreement import distinct
from assay.stats.adjust import holm
from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.mixed import STARTS, Contrast, Mixed, fit
from assay.stats.ordinal import fit_ordinal
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.records import Judgement

    Codes = NDArray[np.int64]
    Floats = NDArray[np.float64]

ModelKind = Literal["linear", "ordinal"]
MOST_ANSWERS = 20
"""Maximum number of different answers for an ordinal model, which has a threshold between any two."""
LOGISTIC = np.pi**2 / 3
"""Residual variance of an ordinal model."""
FEW_ANNOTATORS = 5
"""Below this number of annotators a note is added."""
PRIOR_SD = 5.0
"""Prior standard deviation of a system effect in logits; used only if the answers of systems do not overlap."""


@dataclass(frozen=True)
class ModelledSystem:
    """One system: its mean rating, or (ordinal) its difference to the average system in logits."""

    system: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ModelledPair:
    """Two systems: the difference a - b (ordinal: in logits), interval and test, p after Holm correction over pairs."""

    a: str
    b: str
    difference: float
    error: float
    df: float
    low: float
    high: float
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class ModelledSource:
    """One source of variance: standard deviation on the rating scale (ordinal: logits), and share of the total."""

    source: str
    levels: int
    sd: float
    share: float


@dataclass(frozen=True)
class RatingModel:
    """A mixed model of one criterion."""

    criterion: str
    model: ModelKind
    judgements: int
    items: int
    annotators: int
    systems: list[ModelledSystem]
    pairs: list[ModelledPair]
    sources: list[ModelledSource]
    thresholds: list[float] | None
    notes: list[str]

    def record(self) -> dict[str, object]:
        """Return the model as JSON."""
        return asdict(self)


def model_ratings(
    judgements: Sequence[Judgement], criterion: str, kind: ModelKind, starts: Sequence[float] = STARTS
) -> RatingModel:
    """Fit a mixed model to the ratings of one criterion; marked spans are left out.

    Args:
        judgements: Single judgements.
        criterion: The criterion.
        kind: `linear` or `ordinal`.
        starts: Where the search for the variances starts.

    Raises:
        AssayError: There are too few annotators, values are not numbers, or the model cannot be fitted.
    """
    rows = [j for j in distinct(judgements) if j.criterion == criterion and not j.unit.startswith("span:")]
    values = _values(rows, criterion, kind)
    names = list(dict.fromkeys(j.system for j in rows))
    annotators = len({j.annotator for j in rows})
    if annotators < 2:
        raise AssayError(f"Criterion '{criterion}': a mixed model requires at least two annotators.")
    try:
        return _fitted(rows, values, names, criterion, kind, starts)
    except UndefinedStatistic as why:
        raise AssayError(f"Criterion '{criterion}': no {kind} model ({why}).") from None


def _values(rows: Sequence[Judgement], criterion: str, kind: ModelKind) -> Floats:
    if not rows:
        raise AssayError(f"No judgement of whole texts has the criterion '{criterion}'.")
    word = next((j for j in rows if isinstance(j.value, str)), None)
    if word is not None:
        raise AssayError(
            f"{word.id} of {word.system}: '{word.value}' is not a number; no {kind} model of '{criterion}'."
        )
    values = np.array([float(j.value) for j in rows])
    answers = len(np.unique(values))
    if kind == "ordinal" and answers > MOST_ANSWERS:
        raise AssayError(f"Criterion '{criterion}' has {answers} different values. Use --model linear.")
    return values


def _fitted(
    rows: Sequence[Judgement],
    values: Floats,
    names: list[str],
    criterion: str,
    kind: ModelKind,
    starts: Sequence[float],
) -> RatingModel:
    system = np.array([names.index(j.system) for j in rows])
    factors, notes = _factors(rows, system)
    means = np.eye(len(names))[system]
    linear = fit(values, means, factors, starts=starts)
    most, most_apart = _most_df(linear, factors, system)
    thresholds: list[float] | None = None
    if kind == "linear":
        rows_of = zip(names, np.eye(len(names)), strict=True)
        systems = [_system(name, linear.contrast(row, most=most)) for name, row in rows_of]
        pairs = combinations(range(len(names)), 2)
        contrasts = {(a, b): linear.contrast(_contrast(a, b, len(names)), most=most_apart) for a, b in pairs}
        variances, converged = linear.variances, linear.converged
    else:
        model = fit_ordinal(values, means[:, 1:], factors)
        if not model.converged:
            centred = np.eye(len(names)) - 1 / len(names)
            model = fit_ordinal(values, means[:, 1:], factors, centred[1:, 1:] / PRIOR_SD**2)
            notes.append(
                "the answers of some systems hardly overlap, so their difference is unbounded; "
                f"a weak prior (sd {PRIOR_SD:g} logits) keeps it finite"
            )
        effects, covariance = np.append(0.0, model.fixed), np.zeros((len(names), len(names)))
        covariance[1:, 1:] = model.covariance
        plain = fit(values, means, factors, reml=False)

        def contrast(weights: Floats) -> Contrast:
            return _borrowed(weights, effects, covariance, linear.contrast(weights, most=most_apart), plain)

        centred = np.eye(len(names)) - 1 / len(names)
        systems = [_system(name, contrast(row)) for name, row in zip(names, centred, strict=True) if len(names) > 1]
        contrasts = {(a, b): contrast(_contrast(a, b, len(names))) for a, b in combinations(range(len(names)), 2)}
        variances, converged = {**model.variances, "residual": LOGISTIC}, model.converged
        thresholds = model.thresholds.tolist()
    if not converged:
        notes.append("the fit did not converge: a system or annotator may have a single answer throughout")
    if len({j.annotator for j in rows}) < FEW_ANNOTATORS:
        notes.append(f"fewer than {FEW_ANNOTATORS} annotators: generalisation to other annotators is uncertain")
    adjusted = holm([each.p for each in contrasts.values()])
    total = sum(variances.values())
    return RatingModel(
        criterion=criterion,
        model=kind,
        judgements=len(rows),
        items=len({j.id for j in rows}),
        annotators=len({j.annotator for j in rows}),
        systems=systems,
        pairs=[
            ModelledPair(names[a], names[b], c.value, c.error, c.df, c.low, c.high, c.p, float(p))
            for ((a, b), c), p in zip(contrasts.items(), adjusted, strict=True)
        ],
        sources=[
            ModelledSource(name, len(np.unique(factors[name])) if name in factors else len(rows), v**0.5, v / total)
            for name, v in variances.items()
        ],
        thresholds=thresholds,
        notes=notes,
    )


def _factors(rows: Sequence[Judgement], system: Codes) -> tuple[dict[str, Codes], list[str]]:
    """Return the random factors that this design can separate from each other and from single answers."""
    item, annotator = group_codes([j.id for j in rows]), group_codes([j.annotator for j in rows])
    wanted = {"item": item, "annotator": annotator}
    if system.max() > 0:
        wanted |= {"item x system": group_codes(item, system), "annotator x system": group_codes(annotator, system)}
    wanted["item x annotator"] = group_codes(item, annotator)
    if len({j.unit for j in rows}) > 1:
        wanted["unit"] = group_codes(item, system, [j.unit for j in rows])
    kept: dict[str, Codes] = {}
    notes = []
    for name, codes in wanted.items():
        levels = _levels(codes)
        same = [other for other, has in kept.items() if _levels(group_codes(codes, has)) == levels == _levels(has)]
        if levels < 2:
            continue
        if levels == len(rows) or same:
            other = same[0] if same else "single answers"
            notes.append(f"{name}: confounded with {other} in this design")
        else:
            kept[name] = codes
    return kept, notes


def _most_df(fitted: Mixed, factors: Mapping[str, Codes], system: Codes) -> tuple[float, float]:
    """Return the maximum degrees of freedom of the mean of a system, and of a difference.

    An estimated variance of 0 for a few annotators (or items) does not show that others have none: the error still
    rests on the number of observed levels.
    """
    of_mean, of_difference = math.inf, math.inf
    for unit in [unit for unit in ("annotator", "item") if unit in factors]:
        levels, crossed = _levels(factors[unit]), _levels(group_codes(factors[unit], system))
        if fitted.variances[unit] == 0:
            of_mean = min(of_mean, levels - 1)
        if fitted.variances.get(f"{unit} x system") == 0:
            of_difference = min(of_difference, crossed - levels - (_levels(system) - 1))
        elif crossed == levels and fitted.variances[unit] == 0:  # each sees one system only
            of_difference = min(of_difference, levels - _levels(system))
    return max(of_mean, 1.0), max(of_difference, 1.0)


def _levels(codes: Codes) -> int:
    return int(codes.max()) + 1


def _contrast(a: int, b: int, many: int) -> Floats:
    row = np.zeros(many)
    row[a], row[b] = 1.0, -1.0
    return row


def _system(name: str, contrast: Contrast) -> ModelledSystem:
    return ModelledSystem(name, contrast.value, contrast.low, contrast.high)


def _borrowed(weights: Floats, effects: Floats, covariance: Floats, same: Contrast, plain: Mixed) -> Contrast:
    """Return a difference in logits. Maximum likelihood underestimates variances with few annotators and has no degrees
    of freedom; both are taken from the linear model of the same answers (REML against ML)."""
    inflation = same.error**2 / float(weights @ plain.covariance @ weights)
    value = float(weights @ effects)
    error = float(weights @ covariance @ weights * max(1.0, inflation)) ** 0.5
    reach = t_quantile(0.975, same.df) * error
    return Contrast(value, error, same.df, value - reach, value + reach, t_two_sided(value / error, same.df))
