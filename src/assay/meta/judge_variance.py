"""Doubt of judges: how much of a score's variance is due to items, judges, prompts and draws, and what to buy next.

Generalizability theory (Brennan 2001): factors are random, the error of a mean is the sum of each factor's variance
divided by its number of levels, and the residual by the number of judgements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.meta.judge_labels import draw_of, judge_name
from assay.records.types import JUDGE_METHOD, Judgement
from assay.stats.components import Components, components
from assay.stats.distributions import t_quantile
from assay.stats.validation import group_codes

FACTORS = ("item", "judge", "prompt", "draw")


@dataclass(frozen=True)
class Option:
    """One way to spend more, and the error of the mean that it leaves."""

    add: str
    """Factor of which there is more."""
    levels: int
    cost: float
    """Additional cost."""
    error: float
    """Standard error of the mean afterwards."""
    saved: float
    """Decrease of the variance of the mean per unit of cost."""


@dataclass(frozen=True)
class Variance:
    """Components of a judge panel, the error of its mean, and the options to decrease it."""

    sources: Components
    levels: dict[str, int]
    means: dict[str, tuple[float, float, float]]
    """Mean by system, with an interval that includes all factors."""
    error: float
    options: list[Option]

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        parts = {
            name: {"variance": part.variance, "low": part.low, "high": part.high, "share": part.share,
                   "levels": part.levels}
            for name, part in self.sources.parts.items()
        }  # fmt: skip
        systems = {name: {"mean": mean, "low": low, "high": high} for name, (mean, low, high) in self.means.items()}
        return {"components": parts, "method": self.sources.method, "error": self.error, "systems": systems,
                "options": [vars(option) for option in self.options], "notes": list(self.sources.notes)}  # fmt: skip


def judge_variance(
    judgements: Sequence[Judgement], criterion: str | None = None, call: float = 1.0, item: float = 0.0, seed: int = 0
) -> Variance:
    """Return the variance components of judgements of one or more judges, prompts and draws.

    Args:
        judgements: Ratings by judges; draws are `NAME#2`, prompts are distinguished by the version of the question.
        criterion: Criterion to use; required if there are several.
        call: Cost of one call to a judge.
        item: Cost of one more item, besides its calls.
        seed: Random seed of the intervals.

    Raises:
        AssayError: several criteria, no ratings by judges, or no factor with more than one level.
    """
    judged = [row for row in judgements if row.method == JUDGE_METHOD]
    rows = [row for row in judged if row.unit == "summary" and not isinstance(row.value, str)]
    if judged and not rows:
        raise AssayError("the judges give labels or preferences of pairs; variance components need ratings in numbers")
    criteria = sorted({row.criterion for row in rows})
    if criterion is None and len(criteria) > 1:
        raise AssayError(f"several criteria: {', '.join(criteria)}; choose one with --criterion")
    rows = [row for row in rows if criterion in (None, row.criterion)]
    if not rows:
        raise AssayError('no ratings by judges; make them with `assay judge run`, or add "method": "judge" to them')
    systems = [row.system for row in rows]
    values = np.array([float(row.value) for row in rows])
    columns = {
        "item": [row.id for row in rows], "judge": [judge_name(row.annotator) for row in rows],
        "prompt": [row.question for row in rows], "draw": [draw_of(row.annotator) for row in rows],
    }  # fmt: skip
    factors: dict[str, Any] = {name: column for name, column in columns.items() if len(set(column)) > 1}
    if set(factors) <= {"item"}:
        raise AssayError("one judge, one prompt and one draw: nothing to compare; add judges, or use --draws")
    if len(set(systems)) > 1:
        factors["system"] = systems
    sources = components(values, factors, seed=seed)
    levels = {name: len(set(columns[name])) for name in FACTORS}
    variances = {
        name: sources.parts[name].variance if name in sources.parts else 0.0 for name in (*FACTORS, "residual")
    }
    error = math.sqrt(mean_variance(variances, levels))
    crossed = {name: levels[name] for name in FACTORS if name in factors}
    own = _of_a_system(values, systems, {name: columns[name] for name in crossed}, variances)
    freedom = mean_freedom(own, crossed, values.size, systems)
    reach = t_quantile(0.975, freedom) * max(error, math.sqrt(mean_variance(own, levels)))
    means = {}
    for name in sorted(set(systems)):
        mean = float(values[[system == name for system in systems]].mean())
        means[name] = (mean, mean - reach, mean + reach)
    known = {name for name in FACTORS if name in sources.parts}
    return Variance(sources, levels, means, error, _options(variances, levels, known, call, item))


def mean_variance(variances: Mapping[str, float], levels: Mapping[str, int]) -> float:
    """Return the variance of the mean of a crossed design with one judgement for each combination."""
    total = math.prod(levels[name] for name in FACTORS)
    return sum(variances[name] / levels[name] for name in FACTORS) + variances["residual"] / total


def mean_freedom(variances: Mapping[str, float], levels: Mapping[str, int], rows: int, systems: Sequence[str]) -> float:
    """Return the degrees of freedom of the variance of a system's mean (Satterthwaite 1946): of two or three judges
    little is known, so that a normal interval would be too short."""
    many = len(set(systems))
    residual = variances["residual"] / rows
    parts = {name: variances[name] / count + residual for name, count in levels.items()}
    left = rows - many - sum(count - 1 for count in levels.values())
    rest = (many - len(levels)) * residual
    spread = sum(part**2 / (levels[name] - 1) for name, part in parts.items()) + rest**2 / max(1, left)
    return max(1.0, (sum(parts.values()) + rest) ** 2 / spread) if spread else 1.0


def _of_a_system(
    values: NDArray[np.float64], systems: Sequence[str], columns: Mapping[str, Sequence[str]],
    variances: Mapping[str, float],
) -> Mapping[str, float]:  # fmt: skip
    """Return the variances of the factors within systems: what a judge or an item does to one system only is part of
    the doubt about that system. Without evidence (several rows for each), those over all systems."""
    if len(set(systems)) < 2:
        return variances
    nested = {name: group_codes(systems, column) for name, column in columns.items()}
    if any(int(codes.max()) + 1 == len(values) for codes in nested.values()):
        return variances
    inside = components(values, {**nested, "system": systems}).parts
    return {name: max(inside[name].variance, 0.0) if name in inside else 0.0 for name in (*FACTORS, "residual")}


def _options(
    variances: Mapping[str, float], levels: Mapping[str, int], known: set[str], call: float, item: float
) -> list[Option]:
    """Return one more level of each factor (a tenth more items), the most useful for its cost first."""
    now, calls = mean_variance(variances, levels), math.prod(levels.values())
    options = []
    for name in FACTORS:
        if name not in known:  # of one level nothing is known
            continue
        more = {**levels, name: levels[name] + (max(1, levels[name] // 10) if name == "item" else 1)}
        cost = (math.prod(more.values()) - calls) * call + (more["item"] - levels["item"]) * item
        after = mean_variance(variances, more)
        saved = (now - after) / cost if cost else math.inf
        options.append(Option(name, more[name], cost, math.sqrt(after), saved))
    return sorted(options, key=lambda option: -option.saved)
