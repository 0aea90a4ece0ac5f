"""The sweep of an audit: systems x manipulations x strengths x repeats, with any metrics and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.challenges.manipulations import MANIPULATIONS, Manipulation, manipulation
from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.meta.audit.pool import MeasuredPool, Pool, pools
from assay.meta.audit.report import Audit, RankReversal, ScoreChange, verdicts
from assay.meta.audit.score_changes import TextScores, estimate_change, score_texts
from assay.metrics import MetricRequest, Part
from assay.progress import track
from assay.records.items import Items
from assay.results.result import Result
from assay.stats.interval import LEVEL, too_few

STRENGTHS = tuple(range(10, 101, 10))
REPEATS = 3
NEGLIGIBLE = 0.01
"""Change per changed output, as a share of the metric's range, below which a metric misses a manipulation."""
"""Default number of repeats of each manipulation."""
TextJudge = Callable[[Items], Result]
"""A judge that returns ratings of texts as a result."""


class SystemSweep(NamedTuple):
    """One system before and after each manipulation, by name and strength."""

    items: Items
    result: Result
    """Scores of the unchanged outputs."""
    before: TextScores
    after: dict[tuple[str, int], list[TextScores]]
    changed: dict[tuple[str, int], float]

    def mean(self, manipulation: str, strength: int, name: str) -> float:
        """Return the mean of a score over repeats."""
        return float(np.mean([each.values[name] for each in self.after[manipulation, strength]]))


def audit_systems(
    systems: Sequence[Items],
    requests: Sequence[MetricRequest],
    *,
    manipulations: Sequence[str] | None = None,
    strengths: Sequence[int] = STRENGTHS,
    repeats: int = REPEATS,
    seed: int = 0,
    executor: Executor = SERIAL,
    judge: TextJudge | None = None,
) -> Audit:
    """Manipulate the outputs of every system and test the change of each metric.

    Args:
        systems: Outputs of systems on the same items.
        requests: Metrics.
        manipulations: Names of manipulations (default: all).
        strengths: Percentages of outputs to manipulate.
        repeats: Number of repeats of each manipulation.
        seed: Random seed.
        executor: Runs the metrics.
        judge: Adds the ratings of a judge.

    Raises:
        AssayError: Arguments are out of range, systems have different items, or no metric can be computed.
    """
    chosen = [manipulation(name) for name in manipulations or MANIPULATIONS]
    if not strengths or not all(0 < strength <= 100 for strength in strengths):
        raise AssayError("Strengths are percentages of the outputs, from 1 to 100.")
    if repeats < 1:
        raise AssayError(f"repeats={repeats}: use 1 or more.")
    if len({items.system for items in systems}) < len(systems):
        raise AssayError("Two systems have the same name. Rename a file, or use --system.")
    for items in systems[1:]:
        if items.ids != systems[0].ids:
            raise AssayError(f"{systems[0].system} and {items.system} have different items. Audit them separately.")
    swept = [_sweep(items, requests, chosen, strengths, repeats, seed, executor, judge) for items in systems]
    first = swept[0].result
    if not first.parts:
        whys = "; ".join(f"{each.metric}: {each.why}" for each in (*first.skipped, *first.failed))
        raise AssayError(f"No metric could be computed ({whys})." if whys else "There is no metric to audit.")
    parts = {name: (first.labels[name], part) for name, (_, part) in first.parts.items()}
    rows = list(_rows(swept, chosen, strengths, parts))
    flips = list(_flips(swept, chosen, strengths, {name: parts[name] for name in first.shown}))
    return Audit(
        rows, flips, verdicts(rows, flips, {name: parts[name] for name in first.shown}), parts, first.shown,
        {name: measurement.signature for name, (measurement, _) in first.parts.items()}, repeats, seed, first.n,
        first.skipped, first.failed, _warnings(swept, chosen, strengths),
    )  # fmt: skip


def _sweep(
    items: Items,
    requests: Sequence[MetricRequest],
    chosen: Sequence[Manipulation],
    strengths: Sequence[int],
    repeats: int,
    seed: int,
    executor: Executor,
    judge: TextJudge | None,
) -> SystemSweep:
    after: dict[tuple[str, int], list[TextScores]] = {}
    shares: dict[tuple[str, int], float] = {}
    plain: Result | None = None
    for pool in pools(items.loaded(), chosen, repeats, seed):
        result = MeasuredPool(pool, requests, executor, judge(pool.items) if judge else None)
        plain = plain or result.take(pool.own)
        names = list(dict.fromkeys(name for name, _ in pool.made))
        for name in track(names, f"audit {items.system}", len(names)):
            for strength in strengths:
                after[name, strength] = [
                    score_texts(result.take(pool.mixture(name, repeat, strength / 100)))
                    for repeat in _repeats(pool, name)
                ]
                shares[name, strength] = pool.changed(name, strength / 100)
    assert plain is not None
    return SystemSweep(items, plain, score_texts(plain), after, shares)


def _repeats(pool: Pool, name: str) -> list[int]:
    """Return all repeats, or only the first if none changes any text."""
    own = [repeat for each, repeat in pool.made if each == name]
    untouched = all(change is None for repeat in own for change in pool.made[name, repeat].changed)
    return own[:1] if untouched else own


def sign_of(part: Part) -> int:
    """Return 1 if higher is better (or usually taken as better), -1 if lower is, 0 without a direction."""
    return {"higher": 1, "lower": -1, None: 0}[part.better or part.taken_for]


def negligible_change(part: Part, before: float) -> float:
    """Return the largest negligible change of a score per changed output: a hundredth of its range, or of the score."""
    low, high = part.bounds
    return NEGLIGIBLE * (abs(before) if low is None or high is None else high - low)


def _rows(
    swept: Sequence[SystemSweep],
    chosen: Sequence[Manipulation],
    strengths: Sequence[int],
    parts: dict[str, tuple[str, Part]],
) -> Iterator[ScoreChange]:
    tests = len(swept) * len(chosen) * len(strengths)
    strict = 1 - (1 - LEVEL) / tests  # Bonferroni: familywise error rate of 5 % per metric
    for system in swept:
        for each in chosen:
            for strength in strengths:
                for name, (_, part) in parts.items():
                    if name in system.before.values:
                        yield _moved(system, each, strength, name, sign_of(part), strict)


def _moved(system: SystemSweep, each: Manipulation, strength: int, name: str, sign: int, strict: float) -> ScoreChange:
    before, repeats = system.before, system.after[each.name, strength]
    values = [one.values[name] for one in repeats]
    shared = {
        "system": system.items.system, "manipulation": each.name, "effect": each.effect, "strength": strength,
        "metric": name, "changed": system.changed[each.name, strength],
    }  # fmt: skip
    if np.isnan([before.values[name], *values]).any():
        known = None if np.isnan(before.values[name]) else before.values[name]
        measurement, part = system.result.parts[name]
        return ScoreChange(before=known, after=None, why=measurement.metric.undefined(part.name), **shared)  # type: ignore[arg-type]
    estimate = estimate_change(before, repeats, name)
    ends, part, changed = estimate.interval(), system.result.parts[name][1], system.changed[each.name, strength]
    gained = sign != 0 and estimate.excludes_zero(sign, strict)
    return ScoreChange(
        before=before.values[name],
        after=before.values[name] + estimate.change,
        low=None if ends is None else before.values[name] + ends[0],
        high=None if ends is None else before.values[name] + ends[1],
        spread=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        gained=gained,
        fell=sign != 0 and estimate.excludes_zero(-sign, strict),
        raised_by_worse=gained and each.effect == "worse",
        negligible=changed > 0 and estimate.within(changed * negligible_change(part, before.values[name])),
        why=estimate.why,
        **shared,  # type: ignore[arg-type]
    )


def _flips(
    swept: Sequence[SystemSweep],
    chosen: Sequence[Manipulation],
    strengths: Sequence[int],
    parts: dict[str, tuple[str, Part]],
) -> Iterator[RankReversal]:
    """Yield rank reversals at the smallest strength, or at the smallest strength where they are significant."""
    pairs = [(a, b) for a in swept for b in swept if a is not b]
    for name, (_, part) in parts.items():
        sign = sign_of(part)
        for a, b in pairs if sign else []:
            mine, other = a.before.values.get(name, np.nan), b.before.values.get(name, np.nan)
            if not sign * (other - mine) > 0:
                continue
            for each in chosen:
                reversals = [
                    RankReversal(name, each.name, each.effect, strength, a.items.system, b.items.system, mine,
                         other + past.change, other, past.excludes_zero(sign))
                    for strength in sorted(strengths)
                    if sign * (a.mean(each.name, strength, name) - other) > 0  # quick check first
                    and sign * (past := estimate_change(b.before, a.after[each.name, strength], name)).change > 0
                ]  # fmt: skip
                if reversals:
                    yield next((flip for flip in reversals if flip.sure), reversals[0])


def _warnings(swept: Sequence[SystemSweep], chosen: Sequence[Manipulation], strengths: Sequence[int]) -> list[str]:
    top = max(strengths)
    notes = [note for system in swept for note in system.result.notes]
    if why := too_few(swept[0].result.n):
        notes.append(f"{why}: no change can be significant")
    for each in chosen:
        shares = [system.changed[each.name, top] for system in swept]
        if max(shares) == 0:
            notes.append(f"{each.name}: these outputs have nothing to change.")
        elif min(shares) < 0.5 * top / 100:
            range_ = f"{min(shares):.0%}" if len(shares) == 1 else f"{min(shares):.0%} to {max(shares):.0%}"
            notes.append(f"{each.name}: only {range_} of the outputs change at strength {top} %.")
    return list(dict.fromkeys(notes))
