"""Systems compared by people in a mixed model: items and annotators are drawn from many, and each has its own tastes.

The differences between systems are fixed; every item, every annotator, and what an item or an annotator makes of one
system are random. So an interval says what other annotators on other items would find.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import AssayError
from assay.meta.agreement import distinct
from assay.stats.adjust import holm
from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.mixed import Contrast, Mixed, fit
from assay.stats.ordinal import fit_ordinal
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.records import Judgement

    Codes = NDArray[np.int64]
    Floats = NDArray[np.float64]

ModelKind = Literal["linear", "ordinal"]
MOST_ANSWERS = 20
"""An ordinal model has a threshold between any two answers; a scale from 0 to 100 is for the linear one."""
LOGISTIC = np.pi**2 / 3
"""The variance of what an ordinal model leaves to chance."""
FEW_ANNOTATORS = 5
PRIOR_SD = 5.0
"""In logits, of a system from the average one; used only where answers of systems do not overlap."""


@dataclass(frozen=True)
class ModelledSystem:
    """One system: its mean rating, or (ordinal) how far above the average system it is in logits."""

    system: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ModelledPair:
    """Two systems: the difference a - b (ordinal: in logits), its interval and test, p after Holm over all pairs."""

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
    """One source of variance, as a deviation on the scale of the ratings (ordinal: logits), and its share of all."""

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

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def model_ratings(judgements: Sequence[Judgement], criterion: str, kind: ModelKind) -> RatingModel:
    """Fit the ratings of one criterion; spans are no ratings and stay out."""
    rows = [j for j in distinct(judgements) if j.criterion == criterion and not j.unit.startswith("span:")]
    values = _values(rows, criterion, kind)
    names = list(dict.fromkeys(j.system for j in rows))
    annotators = len({j.annotator for j in rows})
    if annotators < 2:
        raise AssayError(f"criterion '{criterion}': a model of annotators needs at least two of them")
    try:
        return _fitted(rows, values, names, criterion, kind)
    except UndefinedStatistic as why:
        raise AssayError(f"criterion '{criterion}': no {kind} model ({why})") from None


def _values(rows: Sequence[Judgement], criterion: str, kind: ModelKind) -> Floats:
    if not rows:
        raise AssayError(f"no judgement of whole texts has the criterion '{criterion}'")
    word = next((j for j in rows if isinstance(j.value, str)), None)
    if word is not None:
        raise AssayError(f"{word.id} of {word.system}: '{word.value}' is no number; '{criterion}' has no {kind} model")
    values = np.array([float(j.value) for j in rows])
    answers = len(np.unique(values))
    if kind == "ordinal" and answers > MOST_ANSWERS:
        raise AssayError(
            f"criterion '{criterion}' has {answers} different answers; use --model linear for such a scale"
        )
    return values


def _fitted(
    rows: Sequence[Judgement], values: Floats, names: list[str], criterion: str, kind: ModelKind
) -> RatingModel:
    system = np.array([names.index(j.system) for j in rows])
    factors, notes = _factors(rows, system)
    means = np.eye(len(names))[system]
    linear = fit(values, means, factors)
    most, most_apart = _most_df(linear, factors, system)
    thresholds: list[float] | None = None
    if kind == "linear":
        rows_of = zip(names, np.eye(len(names)), strict=True)
        systems = [_system(name, linear.contrast(row, most=most)) for name, row in rows_of]
        pairs = combinations(range(len(names)), 2)
        found = {(a, b): linear.contrast(_gap(a, b, len(names)), most=most_apart) for a, b in pairs}
        variances, converged = linear.variances, linear.converged
    else:
        model = fit_ordinal(values, means[:, 1:], factors)
        if not model.converged:
            centred = np.eye(len(names)) - 1 / len(names)
            model = fit_ordinal(values, means[:, 1:], factors, centred[1:, 1:] / PRIOR_SD**2)
            notes.append(
                "the answers of some systems hardly overlap, so their distance has no upper end; "
                f"a weak prior (sd {PRIOR_SD:g} logits) keeps it finite"
            )
        effects, covariance = np.append(0.0, model.fixed), np.zeros((len(names), len(names)))
        covariance[1:, 1:] = model.covariance
        plain = fit(values, means, factors, reml=False)

        def contrast(weights: Floats) -> Contrast:
            return _borrowed(weights, effects, covariance, linear.contrast(weights, most=most_apart), plain)

        centred = np.eye(len(names)) - 1 / len(names)
        systems = [_system(name, contrast(row)) for name, row in zip(names, centred, strict=True) if len(names) > 1]
        found = {(a, b): contrast(_gap(a, b, len(names))) for a, b in combinations(range(len(names)), 2)}
        variances, converged = {**model.variances, "residual": LOGISTIC}, model.converged
        thresholds = model.thresholds.tolist()
    if not converged:
        notes.append("the fit did not settle: a system or annotator may have given a single answer throughout")
    if len({j.annotator for j in rows}) < FEW_ANNOTATORS:
        notes.append(f"fewer than {FEW_ANNOTATORS} annotators say little about others")
    adjusted = holm([each.p for each in found.values()])
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
            for ((a, b), c), p in zip(found.items(), adjusted, strict=True)
        ],
        sources=[
            ModelledSource(name, len(np.unique(factors[name])) if name in factors else len(rows), v**0.5, v / total)
            for name, v in variances.items()
        ],
        thresholds=thresholds,
        notes=notes,
    )


def _factors(rows: Sequence[Judgement], system: Codes) -> tuple[dict[str, Codes], list[str]]:
    """Every grouping that this design can tell from the others and from single answers."""
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
            notes.append(f"{name}: in this design it cannot be told from {other}")
        else:
            kept[name] = codes
    return kept, notes


def _most_df(fitted: Mixed, factors: Mapping[str, Codes], system: Codes) -> tuple[float, float]:
    """The most degrees of freedom of a system's mean, and of a difference.

    That a few annotators (or items) show no tastes of their own does not say that others have none: where the variance
    of a grouping was found to be 0, its error still rests on as many levels as were seen.
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


def _gap(a: int, b: int, many: int) -> Floats:
    row = np.zeros(many)
    row[a], row[b] = 1.0, -1.0
    return row


def _system(name: str, found: Contrast) -> ModelledSystem:
    return ModelledSystem(name, found.value, found.low, found.high)


def _borrowed(weights: Floats, effects: Floats, covariance: Floats, same: Contrast, plain: Mixed) -> Contrast:
    """A difference in logits. Maximum likelihood makes variances too small where annotators are few, and has no degrees
    of freedom; both are taken from the linear model of the same answers (restricted against plain likelihood)."""
    inflation = same.error**2 / float(weights @ plain.covariance @ weights)
    value = float(weights @ effects)
    error = float(weights @ covariance @ weights * max(1.0, inflation)) ** 0.5
    reach = t_quantile(0.975, same.df) * error
    return Contrast(value, error, same.df, value - reach, value + reach, t_two_sided(value / error, same.df))
