"""The sweep: systems x manipulations x strengths x repeats, over any metrics and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.challenges.manipulations import MANIPULATIONS, Manipulation, manipulation
from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.meta.audit.pool import MeasuredPool, Pool, pools
from assay.meta.audit.report import Audit, Flip, Moved, verdicts
from assay.meta.audit.units import Seen, changed, seen
from assay.metrics import MetricRequest, Part
from assay.progress import track
from assay.records.items import Items
from assay.results.result import Result
from assay.stats.interval import LEVEL, too_few

STRENGTHS = tuple(range(10, 101, 10))
REPEATS = 3
Judging = Callable[[Items], Result]
"""What measures texts besides metrics: a judge, whose ratings are numbers of the same kind."""


class Swept(NamedTuple):
    """One system before anything was done to it, and after each manipulation, by its name and strength."""

    items: Items
    result: Result
    """Over the outputs as they are."""
    before: Seen
    after: dict[tuple[str, int], list[Seen]]
    changed: dict[tuple[str, int], float]

    def mean(self, manipulation: str, strength: int, name: str) -> float:
        """Of a number over all repeats."""
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
    judging: Judging | None = None,
) -> Audit:
    """Manipulate the outputs of every system, and see how far each number moves and in which direction."""
    chosen = [manipulation(name) for name in manipulations or MANIPULATIONS]
    if not strengths or not all(0 < strength <= 100 for strength in strengths):
        raise AssayError("strengths are percentages of the outputs, from 1 to 100")
    if repeats < 1:
        raise AssayError(f"repeats={repeats}: give 1 or more")
    if len({items.system for items in systems}) < len(systems):
        raise AssayError("two systems have the same name; rename a file, or say which with --system")
    for items in systems[1:]:
        if items.ids != systems[0].ids:
            raise AssayError(f"{systems[0].system} and {items.system} are not about the same items; audit them apart")
    swept = [_sweep(items, requests, chosen, strengths, repeats, seed, executor, judging) for items in systems]
    first = swept[0].result
    if not first.parts:
        whys = "; ".join(f"{each.metric}: {each.why}" for each in (*first.skipped, *first.failed))
        raise AssayError(f"no metric could be computed ({whys})" if whys else "no metric to audit")
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
    judging: Judging | None,
) -> Swept:
    after: dict[tuple[str, int], list[Seen]] = {}
    shares: dict[tuple[str, int], float] = {}
    plain: Result | None = None
    for pool in pools(items.loaded(), chosen, repeats, seed):
        result = MeasuredPool(pool, requests, executor, judging(pool.items) if judging else None)
        plain = plain or result.take(pool.own)
        names = list(dict.fromkeys(name for name, _ in pool.made))
        for name in track(names, f"audit {items.system}", len(names)):
            for strength in strengths:
                after[name, strength] = [
                    seen(result.take(pool.mixture(name, repeat, strength / 100))) for repeat in _repeats(pool, name)
                ]
                shares[name, strength] = pool.changed(name, strength / 100)
    assert plain is not None
    return Swept(items, plain, seen(plain), after, shares)


def _repeats(pool: Pool, name: str) -> list[int]:
    """All repeats; the first alone where none of them changes anything."""
    own = [repeat for each, repeat in pool.made if each == name]
    untouched = all(change is None for repeat in own for change in pool.made[name, repeat].changed)
    return own[:1] if untouched else own


def sign_of(part: Part) -> int:
    """1 where more is better, or taken for better; -1 where less is; 0 where it points nowhere."""
    return {"higher": 1, "lower": -1, None: 0}[part.better or part.taken_for]


def _rows(
    swept: Sequence[Swept], chosen: Sequence[Manipulation], strengths: Sequence[int], parts: dict[str, tuple[str, Part]]
) -> Iterator[Moved]:
    tests = len(swept) * len(chosen) * len(strengths)
    strict = 1 - (1 - LEVEL) / tests  # Bonferroni's: one false alarm in twenty audits of a metric, at the most
    for system in swept:
        for each in chosen:
            for strength in strengths:
                for name, (_, part) in parts.items():
                    if name in system.before.values:
                        yield _moved(system, each, strength, name, sign_of(part), strict)


def _moved(system: Swept, each: Manipulation, strength: int, name: str, sign: int, strict: float) -> Moved:
    before, repeats = system.before, system.after[each.name, strength]
    values = [one.values[name] for one in repeats]
    shared = {
        "system": system.items.system, "manipulation": each.name, "effect": each.effect, "strength": strength,
        "metric": name, "changed": system.changed[each.name, strength],
    }  # fmt: skip
    if np.isnan([before.values[name], *values]).any():
        known = None if np.isnan(before.values[name]) else before.values[name]
        measurement, part = system.result.parts[name]
        return Moved(before=known, after=None, why=measurement.metric.undefined(part.name), **shared)  # type: ignore[arg-type]
    found = changed(before, repeats, name)
    ends = found.interval()
    gained = sign != 0 and found.beyond_zero(sign, strict)
    return Moved(
        before=before.values[name],
        after=before.values[name] + found.change,
        low=None if ends is None else before.values[name] + ends[0],
        high=None if ends is None else before.values[name] + ends[1],
        spread=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        gained=gained,
        fell=sign != 0 and found.beyond_zero(-sign, strict),
        raised_by_worse=gained and each.effect == "worse",
        why=found.why,
        **shared,  # type: ignore[arg-type]
    )


def _flips(
    swept: Sequence[Swept], chosen: Sequence[Manipulation], strengths: Sequence[int], parts: dict[str, tuple[str, Part]]
) -> Iterator[Flip]:
    """Who gets past whom, at the least strength; where one does so beyond chance at a greater one, at that."""
    pairs = [(a, b) for a in swept for b in swept if a is not b]
    for name, (_, part) in parts.items():
        sign = sign_of(part)
        for a, b in pairs if sign else []:
            mine, other = a.before.values.get(name, np.nan), b.before.values.get(name, np.nan)
            if not sign * (other - mine) > 0:
                continue
            for each in chosen:
                found = [
                    Flip(name, each.name, each.effect, strength, a.items.system, b.items.system, mine,
                         other + past.change, other, past.beyond_zero(sign))
                    for strength in sorted(strengths)
                    if sign * (a.mean(each.name, strength, name) - other) > 0  # which is quickly seen
                    and sign * (past := changed(b.before, a.after[each.name, strength], name)).change > 0
                ]  # fmt: skip
                if found:
                    yield next((flip for flip in found if flip.sure), found[0])


def _warnings(swept: Sequence[Swept], chosen: Sequence[Manipulation], strengths: Sequence[int]) -> list[str]:
    top = max(strengths)
    notes = [note for system in swept for note in system.result.notes]
    if why := too_few(swept[0].result.n):
        notes.append(f"{why}: nothing can be told from chance")
    for each in chosen:
        shares = [system.changed[each.name, top] for system in swept]
        if max(shares) == 0:
            notes.append(f"{each.name} finds nothing to change in these outputs")
        elif min(shares) < 0.5 * top / 100:
            said = f"{min(shares):.0%}" if len(shares) == 1 else f"{min(shares):.0%} to {max(shares):.0%}"
            notes.append(f"{each.name} changes only {said} of the outputs at {top} %: the others have nothing for it")
    return list(dict.fromkeys(notes))
