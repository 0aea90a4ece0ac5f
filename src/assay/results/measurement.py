"""Statistics of one metric over all items, or the reason why there are none; and what its numbers are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.specs import choices, spelled

if TYPE_CHECKING:
    from assay.metrics import Metric, MetricRequest, Part
    from assay.metrics.engine.statistics import Rows


@dataclass(frozen=True, eq=False)
class Measurement:
    """One metric's statistics over all items."""

    request: MetricRequest
    signature: str
    rows: Rows
    reused: bool = False

    @property
    def metric(self) -> Metric:
        return self.request.metric

    def over(self, rows: Rows, languages: Sequence[str | None]) -> Measurement:
        """The same over other items: their rows, and a signature that says what they decided."""
        return replace(self, rows=rows, signature=self.metric.signed(self.signature, rows, languages))


@dataclass(frozen=True)
class Missing:
    """A metric without numbers, and why."""

    metric: str
    why: str


def label_of(request: MetricRequest, part: Part) -> str:
    """What a number is called wherever it is printed: its name with the choices that make it another number than the
    metric's own, `rouge1:stemmer` or `bleu:gem`. The keys of files and of Python stay `rouge1` and `bleu`."""
    return ":".join((part.name, *_unusual(request.metric, request.spec.presets)))


@lru_cache(maxsize=1024)
def _unusual(metric: Metric, presets: tuple[str, ...]) -> tuple[str, ...]:
    """The choices of a metric that are not its usual ones; many systems are scored with the same metrics."""
    usual, chosen = choices(type(metric)()), choices(metric)
    words = []
    for preset in presets:
        meant = metric.presets.get(preset, {})
        if any(chosen.get(name) == value != usual.get(name) for name, value in meant.items()):
            words.append(preset)
            usual |= {name: value for name, value in meant.items() if name in usual}
    changed = {name: value for name, value in chosen.items() if value != usual[name] and name not in metric.extent}
    # of a path only the file's name: where it stands is nobody's business in a table
    words += [name if value is True else f"{name}={PurePath(spelled(value)).name}" for name, value in changed.items()]
    return tuple(words)


def named_parts(requests: Sequence[MetricRequest]) -> dict[str, tuple[MetricRequest, Part]]:
    """Every number that was asked for under a name of its own. Where variants of a metric share a name, it is that
    of the variant without options; the others carry theirs (`rouge1:stemmer=true`), in whatever order they stand."""
    return _named_parts(tuple(requests), tuple(request.part_names for request in requests))


@lru_cache(maxsize=4)
def _named_parts(
    requests: tuple[MetricRequest, ...], chosen: tuple[frozenset[str] | None, ...]
) -> dict[str, tuple[MetricRequest, Part]]:
    """Kept for the systems that are scored with the same metrics; `chosen` because more may be asked for later."""
    of = [request.parts() for request in requests]
    shared = Counter(part.name for parts in of for part in parts)
    parts: dict[str, tuple[MetricRequest, Part]] = {}
    for request, own in zip(requests, of, strict=True):
        for part in own:
            plain = shared[part.name] == 1 or request.metric == type(request.metric)()
            name = part.name if plain else str(request.spec._replace(name=part.name))
            if name in parts:
                raise AssayError(f"{parts[name][0].spec} and {request.spec} both give {name}; ask for one of them")
            parts[name] = (request, part)
    return parts
