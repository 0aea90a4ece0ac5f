"""What cannot be in a collection of results, or hardly: impossible orders, zeros, unequal sets, equal numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.store.lines import Axis, Line

PARTS_OF_ROUGE = (("rougeL", "rouge1"), ("rouge2", "rouge1"), ("rougeLsum", "rouge1"))
"""The first counts words that the second counts too, so it cannot be larger."""
ROUNDING = 1e-6
NEVER_ZERO = ("rouge2", "bleu")
"""Of many texts in one language some pair of words always agrees."""
MANY = 100
"""Items from which an exact zero is no chance."""
FEW = 20
"""Items below which two systems may well have said the same."""
ENOUGH = 3
"""Numbers that must all be equal before it is no chance."""
SHOWN = 5


@dataclass(frozen=True)
class Anomaly:
    kind: str
    """order, bounds, zero, sizes or equal."""
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


def anomalies(lines: Sequence[Line], axes: Sequence[Axis]) -> list[Anomaly]:
    """One for each line, or set of items, that something is wrong with."""
    found = [*_beyond(lines, axes), *_orders(lines), *_zeros(lines), *_sizes(lines), *_equals(lines)]
    return list(dict.fromkeys(found))


def _of(kind: str, line: Line, numbers: Sequence[str], problem: str) -> Anomaly:
    return Anomaly(kind, line.dataset, line.subset, (line.system,), tuple(numbers), problem)


def _beyond(lines: Sequence[Line], axes: Sequence[Axis]) -> Iterator[Anomaly]:
    for axis in axes:
        low, high = axis.part.bounds
        for line in lines:
            value = line.value(axis.name)
            if value is None:
                continue
            if (low is not None and value < low - ROUNDING) or (high is not None and value > high + ROUNDING):
                yield _of("bounds", line, [axis.name], f"{axis.name} is {value:g}, beyond what it can be")


def _orders(lines: Sequence[Line]) -> Iterator[Anomaly]:
    for line in lines:
        larger = [
            part
            for part, whole in PARTS_OF_ROUGE
            if (value := line.value(part)) is not None
            and (other := line.value(whole)) is not None
            and value > other + ROUNDING
        ]
        if larger:
            yield _of("order", line, larger, f"{' and '.join(larger)} above rouge1, which cannot be")


def _zeros(lines: Sequence[Line]) -> Iterator[Anomaly]:
    for name in NEVER_ZERO:
        for line in lines:
            if line.value(name) == 0.0 and (line.n is None or line.n >= MANY):
                yield _of("zero", line, [name], f"{name} is exactly 0: outputs and references hardly belong together")


def _sizes(lines: Sequence[Line]) -> Iterator[Anomaly]:
    sizes: dict[tuple[str, str], dict[int, list[str]]] = {}
    for line in lines:
        if line.n is not None:
            sizes.setdefault((line.dataset, line.subset), {}).setdefault(line.n, []).append(line.system)
    for (dataset, subset), by_size in sizes.items():
        if len(by_size) > 1:
            said = "; ".join(f"{n:,} of {_first(systems, 3)}" for n, systems in by_size.items())
            systems = tuple(system for many in by_size.values() for system in many)
            yield Anomaly("sizes", dataset, subset, systems, (), f"systems have unequally many items ({said})")


def _equals(lines: Sequence[Line]) -> Iterator[Anomaly]:
    """Systems all of whose numbers on a set are the same: one of them, twice."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for line in lines:
        values = tuple(sorted((name, score.value) for name, score in line.scores.items() if score.value is not None))
        if len(values) >= ENOUGH and (line.n is None or line.n >= FEW):
            groups.setdefault((line.dataset, line.subset, values), []).append(line.system)
    for (dataset, subset, values), systems in groups.items():
        if len(set(systems)) > 1:
            problem = f"all {len(values)} numbers of {_first(systems, SHOWN)} are equal, as if they were one system"
            yield Anomaly("equal", dataset, subset, tuple(systems), tuple(name for name, _ in values), problem)


def _first(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


HEADS = {
    "bounds": "{} lies beyond what it can be for {}: check its file",
    "order": "{} is above rouge1 for {}, which cannot be: check how it was computed",
    "zero": "{} is exactly 0 for {}: check that outputs and references match",
}
"""What a reader is told once for all lines that have the same fault."""


def sentences(found: Sequence[Anomaly]) -> list[str]:
    """A few lines above a table: each fault once with the first systems that have it, each dataset once."""
    places: dict[tuple[str, str], dict[str, None]] = {}
    others: dict[tuple[str, str], str] = {}
    for each in found:
        if each.kind in HEADS:
            for number in each.numbers:
                named = places.setdefault((each.kind, number), {})
                named[f"{each.systems[0]} on {each.dataset}"] = None
        elif each.kind == "sizes":
            others.setdefault(
                (each.kind, each.dataset), f"{each.dataset}: {each.problem}, so values are of other items"
            )
        else:
            others.setdefault((each.kind, each.dataset), f"{each.dataset}: {each.problem}")
    return [*(HEADS[kind].format(number, _some(named)) for (kind, number), named in places.items()), *others.values()]


def _some(named: dict[str, None]) -> str:
    return ", ".join(list(named)[:SHOWN]) + (f" and {len(named) - SHOWN} more" if len(named) > SHOWN else "")
