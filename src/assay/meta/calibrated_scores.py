"""Scores on the human scale: a map from judged texts, intervals for single texts and systems, and where it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, UsageError
from assay.meta.joined_scores import join_scores, read_frame
from assay.meta.score_files import read_scores, without_scores
from assay.records.documents import read_json
from assay.records.files import digest_of
from assay.specs import did_you_mean
from assay.stats.calibration import Calibration, Curve, Form, calibrate, fit_curve, shift_p
from assay.stats.distributions import t_quantile
from assay.stats.prediction_powered import Judged, Population, estimate_means
from assay.stats.validation import UndefinedStatistic, group_codes

Values = NDArray[np.float64]
KIND = "assay score calibration"
FEWEST_SYSTEMS = 4
"""Judged systems below which the mean of a new system has no interval."""
SHIFT_LEVEL, SHIFT = 0.01, 0.1
"""p and distance of distributions from which scores count as those of another population."""


@dataclass(frozen=True)
class CalibrationRequest:
    """How a score is mapped to the human scale: the options of `assay metric calibrate`."""

    score: str | None = None
    criterion: str | None = None
    form: Form = "isotonic"
    level: float = 0.9
    scale: tuple[float, float] | None = None
    """Ends of the human scale (default: the lowest and highest judgement)."""
    seed: int = 0


class ScoreMap(NamedTuple):
    """A calibration that can be stored: the map, and the population that it is valid for."""

    score: str
    criterion: str
    form: Form
    calibration: Calibration
    judged: Values
    """Scores of the judged texts, for the test of another population."""
    errors: dict[str, float]
    """Mean error for the texts of each judged system, by a map without it."""
    population: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """Return the JSON object that `read_map` reads."""
        own = self.calibration
        return {
            "kind": KIND, "score": self.score, "criterion": self.criterion, "form": self.form,
            "curve": own.curve.record(), "folds": [curve.record() for curve in own.folds], "fold": own.fold.tolist(),
            "error": own.error.tolist(), "low": own.low, "high": own.high, "judged": self.judged.tolist(),
            "errors": self.errors, "population": self.population,
        }  # fmt: skip


def read_map(path: Path) -> ScoreMap:
    """Read a stored calibration.

    Raises:
        AssayError: The file is no calibration.
    """
    stored: Any = read_json(path)
    if not isinstance(stored, dict) or stored.get("kind") != KIND:
        raise AssayError(f"{path}: not a calibration. Make one with `assay metric calibrate --save FILE`.")
    try:
        curves = [_curve(each) for each in (stored["curve"], *stored["folds"])]
        fold = np.array(stored["fold"], dtype=np.int64)
        error = np.array(stored["error"], dtype=np.float64)
        if len(fold) != len(error) or not len(fold) or fold.min() < 0 or fold.max() >= len(curves) - 1:
            raise ValueError("fold")
        calibration = Calibration(
            curves[0], tuple(curves[1:]), fold, error, float(stored["low"]), float(stored["high"])
        )
        return ScoreMap(
            str(stored["score"]), str(stored["criterion"]), stored["form"], calibration,
            np.array(stored["judged"], dtype=np.float64), dict(stored["errors"]), dict(stored["population"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise AssayError(f"{path}: damaged calibration ({error}). Make it again.") from None


def _curve(stored: Any) -> Curve:
    x, y = (np.array(stored[name], dtype=np.float64) for name in ("x", "y"))
    if len(x) != len(y) or not len(x) or not (np.diff(x) > 0).all():
        raise ValueError("curve")
    return Curve(x, y, bool(stored["continues"]))


def fit_map(human: Any, scores: Sequence[Any], request: CalibrationRequest) -> tuple[ScoreMap, list[str]]:
    """Fit a map from judged texts.

    Args:
        human: Judgements of some texts, or their human scores.
        scores: Scores of the same texts, and of others.

    Raises:
        AssayError: There are too few judged texts, or the scores are equal.
    """
    table, notes = read_scores(scores, allow_missing=True)
    joined = join_scores(human, table, allow_missing=True)
    score = _named(request.score, joined.metrics, "--score")
    numeric = [
        name for name in joined.frame.columns
        if name not in (*joined.key, *joined.metrics) and joined.frame[name].dtype.is_numeric()
    ]  # fmt: skip
    criterion = _named(request.criterion, numeric, "--criterion")
    frame = joined.frame.drop_nulls([criterion])
    notes += without_scores(frame, [score], "not used")
    frame = frame.drop_nulls([score])
    x, y = (frame[name].to_numpy().astype(np.float64) for name in (score, criterion))
    item = frame[joined.key[0]].to_numpy()
    system = frame[joined.key[1]].to_numpy() if len(joined.key) > 1 else np.full(len(frame), "")
    ends = request.scale or (float(y.min()), float(y.max()))
    if request.scale and not (ends[0] <= y.min() and y.max() <= ends[1]):
        raise UsageError(f"--scale {ends[0]:g}-{ends[1]:g}: judgements are from {y.min():g} to {y.max():g}")
    if float((x - x.mean()) @ (y - y.mean())) < 0:
        raise AssayError(f"{score}: higher scores have lower judgements of {criterion}. Give the score times -1.")
    calibration = calibrate(x, y, item, request.form, ends, request.seed)
    names = sorted(set(system.tolist()))
    population = {
        "systems": names, "inputs": len(set(item.tolist())), "texts": len(y),
        "digest": digest_of(sorted(zip(item.tolist(), system.tolist(), y.tolist(), strict=True)))[:16],
    }  # fmt: skip
    errors = _errors_of_new_systems(x, y, system, request.form) if len(names) >= FEWEST_SYSTEMS else {}
    return ScoreMap(score, criterion, request.form, calibration, x, errors, population), [*joined.notes, *notes]


def _errors_of_new_systems(x: Values, y: Values, system: NDArray[Any], form: Form) -> dict[str, float]:
    errors = {}
    for name in sorted(set(system.tolist())):
        own = system == name
        try:
            errors[name] = float((y[own] - fit_curve(x[~own], y[~own], form)(x[own])).mean())
        except UndefinedStatistic:
            continue
    return errors


def _named(wanted: str | None, known: Sequence[str], option: str) -> str:
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None:
        raise UsageError(f"{option}: choose one of {', '.join(known)}")
    if wanted not in known:
        raise UsageError(f"{option} {wanted}: no such column{did_you_mean(wanted, known)}; there is {', '.join(known)}")
    return wanted


class Calibrated(NamedTuple):
    """Texts on the human scale, the means of systems, and warnings."""

    frame: polars.DataFrame
    systems: list[dict[str, Any]]
    warnings: list[str]


def apply_map(fitted: ScoreMap, scores: Sequence[Any], level: float, human: Any = None) -> Calibrated:
    """Return all scored texts on the human scale.

    A system with judgements gets the interval of its prediction-powered mean; another one that of a system like the
    judged ones, from the mean error of each judged system under a map without it.
    """
    table, _ = read_scores(scores, allow_missing=True)
    frame = read_frame(table, "scores")
    if fitted.score not in frame.columns or not frame[fitted.score].dtype.is_numeric():
        raise UsageError(f"{fitted.score}: no such score; the map is for this one")
    lost = without_scores(frame, [fitted.score], "without a value on the human scale")
    frame = frame.drop_nulls(fitted.score)
    x = frame[fitted.score].to_numpy().astype(np.float64)
    value, (low, high) = fitted.calibration.predict(x), fitted.calibration.intervals(x, level)
    kept = [name for name in ("id", "hash", "system", "model_name") if name in frame.columns]
    rows = frame.select(*kept, polars.col(fitted.score)).with_columns(
        polars.Series("value", value), polars.Series("low", low), polars.Series("high", high)
    )
    return Calibrated(rows, _systems(fitted, rows, human), [*lost, *_warnings(fitted, x, rows)])


def _warnings(fitted: ScoreMap, x: Values, rows: polars.DataFrame) -> list[str]:
    warnings = []
    distance, p = shift_p(fitted.judged, x)
    if p < SHIFT_LEVEL and distance > SHIFT:
        warnings.append(
            f"{fitted.score}: other scores than those of the judged texts (distance {distance:.2f}, p = {p:.3f}); "
            "intervals may not hold. Judge some of these texts."
        )
    outside = float(((x < fitted.judged.min()) | (x > fitted.judged.max())).mean())
    if outside > 0.02:
        warnings.append(f"{outside:.0%} of the texts have a score outside those of the judged texts")
    names = {*rows["system"].to_list()} if "system" in rows.columns else set()
    if new := sorted(names - {*fitted.population["systems"]}):
        warnings.append(f"no judgements of {', '.join(new[:5])}; a judge or metric may be kinder to a new system")
    return warnings


def _systems(fitted: ScoreMap, rows: polars.DataFrame, human: Any) -> list[dict[str, Any]]:
    by = next((name for name in ("system", "model_name") if name in rows.columns), None)
    if by is None:
        return []
    errors = np.array(list(fitted.errors.values()))
    judged = _judged_means(fitted, rows, by, human) if human is not None else {}
    means = []
    for (name,), own in rows.group_by(by, maintain_order=True):
        mean = float(own["value"].to_numpy().mean())
        low, high, why = None, None, f"fewer than {FEWEST_SYSTEMS} judged systems"
        if name in judged:
            mean, low, high = judged[str(name)]
            why = "judgements"
        elif len(errors) >= FEWEST_SYSTEMS:
            reach = t_quantile(0.975, len(errors) - 1) * float(errors.std(ddof=1)) * (1 + 1 / len(errors)) ** 0.5
            low, high, why = (
                max(fitted.calibration.low, mean - reach),
                min(fitted.calibration.high, mean + reach),
                "map",
            )
        means.append({"system": name, "mean": mean, "low": low, "high": high, "texts": len(own), "by": why})
    return sorted(means, key=lambda each: -each["mean"])


def _judged_means(
    fitted: ScoreMap, rows: polars.DataFrame, by: str, human: Any
) -> dict[str, tuple[float, float, float]]:
    joined = join_scores(human, rows, allow_missing=True)
    frame = joined.frame.drop_nulls([fitted.criterion])
    place = {pair: row for row, pair in enumerate(zip(*(rows[name] for name in joined.key), strict=True))}
    counts = frame[by].value_counts()
    names = sorted(name for name, count in counts.iter_rows() if count > 2)
    if not names:
        return {}
    own = rows.with_row_index("row").filter(rows[by].is_in(names))
    at = {row: number for number, row in enumerate(own["row"])}
    frame = frame.filter(frame[by].is_in(names))
    text = np.array(
        [at[place[pair]] for pair in zip(*(frame[name] for name in joined.key), strict=True)], dtype=np.int64
    )
    population = Population(
        own["value"].to_numpy()[:, None], group_codes(own[by].to_numpy()), group_codes(own[joined.key[0]].to_numpy())
    )
    estimates = estimate_means(population, Judged(text, frame[fitted.criterion].to_numpy().astype(np.float64)))
    means = {name: estimates.mean(number) for number, name in enumerate(names)}
    return {name: (mean.value, *mean.interval()) for name, mean in means.items()}
