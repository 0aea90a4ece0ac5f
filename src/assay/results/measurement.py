"""The statistics of one metric over all items, and the names of its scores."""

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
    """The statistics of one metric over all items."""

    request: MetricRequest
    signature: str
    rows: Rows
    reused: bool = False

    @property
    def metric(self) -> Metric:
        return self.request.metric

    def over(self, rows: Rows, languages: Sequence[str | None]) -> Measurement:
        """Return the measurement with other rows, and the signature for their languages."""
        return replace(self, rows=rows, signature=self.metric.signed(self.signature, rows, languages))


@dataclass(frozen=True)
class Missing:
    """A metric without scores, with the reason."""

    metric: str
    why: str


def label_of(request: MetricRequest, part: Part) -> str:
    """Return the display name of a score: its name with the options that differ from the defaults, e.g.
    `rouge1:stemmer` or `bleu:gem`. The keys in files and in Python stay `rouge1` and `bleu`."""
    return ":".join((part.name, *_changed_options(request.metric, request.spec.presets)))


@lru_cache(maxsize=1024)
def _changed_options(metric: Metric, presets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options of a metric that differ from its defaults; cached, as systems share their metrics."""
    usual, chosen = choices(type(metric)()), choices(metric)
    words = []
    for preset in presets:
        meant = metric.presets.get(preset, {})
        if any(chosen.get(name) == value != usual.get(name) for name, value in meant.items()):
            words.append(preset)
            usual |= {name: value for name, value in meant.items() if name in usual}
    changed = {name: value for name, value in chosen.items() if value != usual[name] and name not in metric.extent}
    # only the file name of a path: a table does not show folders
    words += [name if value is True else f"{name}={PurePath(spelled(value)).name}" for name, value in changed.items()]
    return tuple(words)


def named_parts(requests: Sequence[MetricRequest]) -> dict[str, tuple[MetricRequest, Part]]:
    """Return every requested score under a unique name. If variants of a metric share a name, the variant without
    options keeps it and the others add their options (`rouge1:stemmer=true`), in any order."""
    return _named_parts(tuple(requests), tuple(request.part_names for request in requests))


@lru_cache(maxsize=4)
def _named_parts(
    requests: tuple[MetricRequest, ...], chosen: tuple[frozenset[str] | None, ...]
) -> dict[str, tuple[MetricRequest, Part]]:
    """Cached for systems that share their metrics; `chosen` is part of the key because requests can grow."""
    of = [request.parts() for request in requests]
    shared = Counter(part.name for parts in of for part in parts)
    parts: dict[str, tuple[MetricRequest, Part]] = {}
    for request, own in zip(requests, of, strict=True):
        for part in own:
            plain = shared[part.name] == 1 or request.metric == type(request.metric)()
            name = part.name if plain else str(request.spec._replace(name=part.name))
            if name in parts:
                raise AssayError(f"{parts[name][0].spec} and {request.spec} both give {name}. Use one of them.")
            parts[name] = (request, part)
    return parts
