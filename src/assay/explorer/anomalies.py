"""Impossible or implausible scores in a collection of results: orders, bounds, zeros, unequal sizes, equal scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.store.scored_runs import Axis, ScoredRun

PARTS_OF_ROUGE = (("rougeL", "rouge1"), ("rouge2", "rouge1"), ("rougeLsum", "rouge1"))
"""Pairs of which the first cannot exceed the second."""
ROUNDING = 1e-6
NEVER_ZERO = ("rouge2", "bleu")
"""Metrics that are practically never zero over many items."""
MANY = 100
"""Number of items from which an exact zero is implausible."""
FEW = 20
"""Number of items below which two systems may have equal outputs."""
ENOUGH = 3
"""Number of metrics that must all be equal to be implausible."""
SHOWN = 5


@dataclass(frozen=True)
class Anomaly:
    kind: str
    """order, bounds, zero, sizes or equal; of texts: misaligned, damaged, empty, leak or copy."""
    dataset: str
    subset: str
    systems: tuple[str, ...]
    numbers: tuple[str, ...]
    problem: str

    def plain(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "dataset": self.dataset, "subset": self.subset, "systems": list(self.systems),
            "numbers": list(self.numbers), "problem": self.problem,
        }  # fmt: skip


def anomalies(runs: Sequence[ScoredRun], axes: Sequence[Axis]) -> list[Anomaly]:
    """Return one anomaly for each affected run or set of items."""
    listed = [*_beyond(runs, axes), *_orders(runs), *_zeros(runs), *_sizes(runs), *_equals(runs)]
    return list(dict.fromkeys(listed))


def _of(kind: str, run: ScoredRun, numbers: Sequence[str], problem: str) -> Anomaly:
    return Anomaly(kind, run.dataset, run.subset, (run.system,), tuple(numbers), problem)


def _beyond(runs: Sequence[ScoredRun], axes: Sequence[Axis]) -> Iterator[Anomaly]:
    for axis in axes:
        low, high = axis.part.bounds
        for run in runs:
            value = run.value(axis.name)
            if value is None:
                continue
            if (low is not None and value < low - ROUNDING) or (high is not None and value > high + ROUNDING):
                yield _of("bounds", run, [axis.name], f"{axis.name} is {value:g}, outside its bounds")


def _orders(runs: Sequence[ScoredRun]) -> Iterator[Anomaly]:
    for run in runs:
        larger = [
            part
            for part, whole in PARTS_OF_ROUGE
            if (value := run.value(part)) is not None
            and (other := run.value(whole)) is not None
            and value > other + ROUNDING
        ]
        if larger:
            yield _of("order", run, larger, f"{' and '.join(larger)} above rouge1, which is impossible")


def _zeros(runs: Sequence[ScoredRun]) -> Iterator[Anomaly]:
    for name in NEVER_ZERO:
        for run in runs:
            if run.value(name) == 0.0 and (run.n is None or run.n >= MANY):
                yield _of("zero", run, [name], f"{name} is exactly 0: outputs and references probably do not match")


def _sizes(runs: Sequence[ScoredRun]) -> Iterator[Anomaly]:
    sizes: dict[tuple[str, str], dict[int, list[str]]] = {}
    for run in runs:
        if run.n is not None:
            sizes.setdefault((run.dataset, run.subset), {}).setdefault(run.n, []).append(run.system)
    for (dataset, subset), by_size in sizes.items():
        if len(by_size) > 1:
            counts = "; ".join(f"{n:,} of {_first(systems, 3)}" for n, systems in by_size.items())
            systems = tuple(system for many in by_size.values() for system in many)
            yield Anomaly("sizes", dataset, subset, systems, (), f"systems have different numbers of items ({counts})")


def _equals(runs: Sequence[ScoredRun]) -> Iterator[Anomaly]:
    """Yield systems with identical scores on a set, probably the same outputs."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for run in runs:
        values = tuple(sorted((name, score.value) for name, score in run.scores.items() if score.value is not None))
        if len(values) >= ENOUGH and (run.n is None or run.n >= FEW):
            groups.setdefault((run.dataset, run.subset, values), []).append(run.system)
    for (dataset, subset, values), systems in groups.items():
        if len(set(systems)) > 1:
            problem = f"all {len(values)} scores of {_first(systems, SHOWN)} are identical, probably the same outputs"
            yield Anomaly("equal", dataset, subset, tuple(systems), tuple(name for name, _ in values), problem)


def _first(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


HEADS = {
    "bounds": "{} is outside its bounds for {}. Check its file.",
    "order": "{} is above rouge1 for {}, which is impossible. Check how it was computed.",
    "zero": "{} is exactly 0 for {}. Check that outputs and references match.",
}
"""Sentence for all runs with the same anomaly."""


def sentences(listed: Sequence[Anomaly]) -> list[str]:
    """Return short sentences: each anomaly once, with the first systems it applies to."""
    places: dict[tuple[str, str], dict[str, None]] = {}
    others: dict[tuple[str, str], str] = {}
    for each in listed:
        if each.kind in HEADS:
            for number in each.numbers:
                named = places.setdefault((each.kind, number), {})
                named[f"{each.systems[0]} on {each.dataset}"] = None
        elif each.kind == "sizes":
            others.setdefault(
                (each.kind, each.dataset), f"{each.dataset}: {each.problem}, so scores are not on the same items."
            )
        else:
            others.setdefault((each.kind, each.dataset), f"{each.dataset}: {each.problem}.")
    return [*(HEADS[kind].format(number, _some(named)) for (kind, number), named in places.items()), *others.values()]


def _some(named: dict[str, None]) -> str:
    return ", ".join(list(named)[:SHOWN]) + (f" and {len(named) - SHOWN} more" if len(named) > SHOWN else "")
