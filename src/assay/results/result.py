"""Numbers from statistics: scores, intervals, subsets, one example at a time. No text is read here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from numpy.typing import NDArray

from assay.metrics.engine.base import Values
from assay.metrics.engine.statistics import Tokens
from assay.records.types import Score
from assay.results.contributions import contributions_to
from assay.results.index import cluster_codes, cluster_keys, groups, languages_of, select
from assay.results.measurement import Measurement, Missing, label_of, named_parts
from assay.results.spread import spread_of
from assay.results.tables import result_table, to_pandas
from assay.results.two_way import no_two_way, two_way_interval
from assay.show.tables import Table, write
from assay.stats.interval import FEWEST_UNITS, ROUGH_UNITS, percentile, too_alike, too_few
from assay.stats.resample import Resamples, whole
from assay.stats.threads import map_in_order, threads

if TYPE_CHECKING:
    from assay.metrics import MetricRequest, Part
    from assay.metrics.engine.statistics import Floats
    from assay.results.reference_digest import ReferenceDigest

FOLDED_AT_ONCE = 2
"""Large sets, whatever processors there are: each takes some hundreds of megabytes meanwhile."""


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """One system's statistics, and everything that can be said from them. It prints as its table, in a notebook too.

    `scores` has every number by name, each with `value`, `low`, `high` and `signature`; `per_example` is a polars
    DataFrame, one row an item; `subset` and `by` give the same for some of the items; `skipped` and `failed` say what
    could not be computed and why.

    >>> result = assay.score(["the cat sat", "a dog"], ["the cat sat", "a dog ran"], metrics="rouge1")
    >>> result.scores["rouge1"].value
    0.9
    >>> result.per_example["rouge1"].to_list()
    [1.0, 0.8]
    >>> result.to_frame().columns
    ['metric', 'value', 'low', 'high', 'signature', 'why', 'label']
    """

    system: str
    index: polars.DataFrame
    measurements: tuple[Measurement, ...]
    skipped: tuple[Missing, ...] = ()
    failed: tuple[Missing, ...] = ()
    notes: Sequence[str] = ()
    ci: int = 0
    seed: int = 0
    cluster: str | None = None
    """The property whose values are resampled as wholes, when items are not independent (`parent`, `document`); two
    with a comma between them where items may be alike in either (`document,prompt`)."""
    digest: str | ReferenceDigest = field(default="", compare=False)
    """Of the references and sources, to notice when two results were not judged against the same."""
    named_among: tuple[MetricRequest, ...] = field(default=(), compare=False, repr=False)
    """What was asked for when the numbers got their names, so that taking some of the metrics renames none."""
    _known: dict[tuple[Any, ...], dict[str, Floats]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What was resampled or left out already, for all who ask again."""

    def __post_init__(self) -> None:
        new = (m.request for m in self.measurements if m.request not in self.named_among)
        object.__setattr__(self, "named_among", (*self.named_among, *new))

    @property
    def n(self) -> int:
        """How many items were scored."""
        return len(self.index)

    @cached_property
    def kinds(self) -> list[NDArray[np.int64]]:
        """The cluster of each item, by each kind of clusters that was named."""
        return [cluster_codes(self.index, key) for key in cluster_keys(self.cluster)]

    @property
    def codes(self) -> NDArray[np.int64] | None:
        """The cluster of each item, when items are resampled in clusters; two kinds that cross cannot be."""
        return self.kinds[0] if len(self.kinds) == 1 else None

    @property
    def units(self) -> int:
        """How many independent things there are: items, or clusters of them (of the kind with the fewest)."""
        return min((int(codes.max()) + 1 for codes in self.kinds), default=self.n)

    @property
    def warnings(self) -> list[str]:
        """What a reader should know: the notes, and that intervals are rough where they rest on few items."""
        few = self.ci and FEWEST_UNITS <= self.units < ROUGH_UNITS
        what = "clusters" if self.cluster else "items"
        return [*self.notes, *([f"{self.units} {what}: below {ROUGH_UNITS}, intervals are rough"] if few else [])]

    @cached_property
    def parts(self) -> dict[str, tuple[Measurement, Part]]:
        """The part behind every number, by the number's name, and the measurement it comes from."""
        owners = {id(measurement.request): measurement for measurement in self.measurements}
        named = named_parts(self.named_among).items()
        return {name: (owners[id(asked)], part) for name, (asked, part) in named if id(asked) in owners}

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each number is called where it is printed: its name with the options that are not the usual ones."""
        return {name: label_of(measurement.request, part) for name, (measurement, part) in self.parts.items()}

    @cached_property
    def signatures_here(self) -> dict[int, str]:
        """What each measurement (by its id) decided on the items at hand, which may be some of those scored."""
        languages = languages_of(self.index)
        return {id(m): m.over(m.rows, languages).signature for m in self.measurements}

    def named(self, name: str) -> str:
        """The name of a number that is called by its name or as it is printed; any other word as it is."""
        printed = {label: key for key, label in self.labels.items()}
        return name if name in self.parts else printed.get(name, name)

    @cached_property
    def shown(self) -> list[str]:
        """The numbers a table shows: the usual ones, and those asked for by name (but not their parts)."""
        shown = []
        for name, (measurement, part) in self.parts.items():
            names = measurement.request.part_names
            asked = names is not None and part.name.partition(".")[0] not in names - {part.name}
            if part.shown or asked:
                shown.append(name)
        return shown

    @cached_property
    def values(self) -> dict[str, float]:
        """Every number over all items; NaN where it does not exist."""
        return {name: float(values[0]) for name, values in self.fold([whole(self.n)]).items()}

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Every number by name, with its interval where one was asked for and can be had; else `why` says why not."""
        spread = self.spread(self.ci, self.seed) if self.ci else {}
        scores = {}
        for name, (measurement, part) in self.parts.items():
            value = self.values[name]
            if np.isnan(value):
                why = measurement.metric.undefined(part.name)
                scores[name] = Score(value=None, signature=measurement.signature, why=why, label=self.labels[name])
                continue
            low, high, unsure = self._interval(name, spread[name]) if self.ci else (None, None, None)
            scores[name] = Score(
                value=value, low=low, high=high, signature=measurement.signature, why=unsure, label=self.labels[name]
            )
        return scores

    def _interval(self, name: str, drawn: Floats) -> tuple[float | None, float | None, str | None]:
        """The ends, or why these items give none."""
        why = self.no_interval(name)
        crossed = len(self.kinds) > 1
        ends = None if why else two_way_interval(self, name) if crossed else percentile(drawn)
        if ends is None or ends[0] == ends[1]:
            return None, None, why or "no interval: it hardly changes with the items"
        return min(ends[0], self.values[name]), max(ends[1], self.values[name]), None

    def no_interval(self, name: str) -> str | None:
        """Why these items are too few, or too much alike, for an interval of a number; None where they are not."""
        measurement = self.parts[name][0]
        why = too_few(self.units, measurement.metric.fewest, "clusters" if self.cluster else "items")
        if why is None and name in self.contributions:
            why = too_alike(self.contributions[name])
        return why or (no_two_way(self, name) if len(self.kinds) > 1 else None)

    @property
    def contributions(self) -> dict[str, Floats]:
        """What each item (or cluster) contributes to every number that allows to tell; their mean is the number."""
        if ("contributions",) not in self._known:
            self._known["contributions",] = contributions_to(self)
        return self._known["contributions",]

    def spread(self, samples: int, seed: int) -> dict[str, Floats]:
        """How every number might have come out with other items; made once, shared by all who ask."""
        key = (samples, seed)
        if key not in self._known:
            self._known[key] = spread_of(self, samples, seed)
        return self._known[key]

    def fold(self, blocks: Iterable[Resamples], measurements: Sequence[Measurement] | None = None) -> dict[str, Floats]:
        """The value of every number for every draw."""
        chosen = self.measurements if measurements is None else measurements
        parts = {name: owned for name, owned in self.parts.items() if owned[0] in chosen}
        folded: dict[str, list[Floats]] = {name: [] for name in parts}
        if not parts:
            return {}
        for resamples in blocks:
            for measurement, values in zip(chosen, _folded(chosen, resamples), strict=True):
                for name, (owner, part) in parts.items():
                    if owner is measurement:
                        folded[name].append(values[part.name])
        return {name: np.concatenate(found) if found else np.empty(0) for name, found in folded.items()}

    @cached_property
    def per_example(self) -> polars.DataFrame:
        """One row an item; numbers that only exist for a whole corpus have no column."""
        columns: dict[str, Any] = {"id": self.index["id"]}
        for measurement in self.measurements:
            values = measurement.metric.per_example(measurement.rows)
            for name, (owner, part) in self.parts.items():
                if owner is measurement and part.name in values:
                    columns[name] = values[part.name]
        return polars.DataFrame(columns)

    def take(self, indices: NDArray[np.intp]) -> Result:
        """The same numbers for some of the items; signatures say what those decided (their languages)."""
        index = self.index[indices]
        languages = languages_of(index)
        measurements = tuple(m.over(m.rows.take(indices), languages) for m in self.measurements)
        return replace(self, index=index, measurements=measurements)

    def subset(self, *conditions: str) -> Result:
        """The items for which all conditions hold, e.g. `subset("language=de", "topic=sport")`."""
        return self.take(select(self.index, conditions))

    def by(self, key: str) -> dict[str, Result]:
        """A result for each value of a property."""
        return {value: self.take(indices) for value, indices in groups(self.index, key).items()}

    def only(self, name: str) -> Result:
        """The same with just the metric behind one number."""
        return replace(self, measurements=(self.parts[name][0],))

    def with_intervals(self, ci: int, seed: int) -> Result:
        """The same, with intervals from so many resamples (0 for none)."""
        return replace(self, ci=ci, seed=seed)

    def clustered(self, key: str | None) -> Result:
        """The same, resampled in clusters; itself where nothing changes, so that what was folded stays known."""
        return self if key == self.cluster else replace(self, cluster=key)

    def to_frame(self) -> polars.DataFrame:
        """A polars DataFrame, one row a number."""
        fields = ("value", "low", "high", "signature", "why", "label")
        kinds = {"metric": polars.String, **dict.fromkeys(fields[:3], polars.Float64)}
        rows = [(name, *(getattr(score, field) for field in fields)) for name, score in self.scores.items()]
        return polars.DataFrame(rows, schema=kinds | dict.fromkeys(fields[3:], polars.String), orient="row")

    def to_pandas(self) -> Any:
        """The same for pandas, if it is installed; nothing else is needed."""
        return to_pandas(self.to_frame())

    def table(self) -> Table:
        """What there is to see: the table, and what to beware of."""
        shown = result_table(self)
        return replace(shown, notes=[*shown.notes, *(f"! {note}" for note in self.warnings)])

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")

    def to_dict(self) -> dict[str, Any]:
        """As `assay score --json` prints it."""
        scores = {name: _score(score) for name, score in self.scores.items()}
        return {
            "n": self.n,
            "system": self.system,
            "scores": scores,
            "skipped": [{"metric": missing.metric, "why": missing.why} for missing in self.skipped],
            "failed": [{"metric": missing.metric, "why": missing.why} for missing in self.failed],
            "warnings": self.warnings,
        }


def _score(score: Score) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "value": score.value,
        "low": score.low,
        "high": score.high,
        "signature": score.signature,
        "label": score.label,
    }
    if score.why:
        shown["why"] = score.why
    return shown


def _folded(measurements: Sequence[Measurement], resamples: Resamples) -> Iterable[Values]:
    """The values of one measurement after the other. Sets that are too large for memory are folded side by side: most
    of that work is done outside of Python, on disk."""

    def fold(measurement: Measurement) -> Values:
        values = measurement.metric.fold(measurement.rows, resamples)
        measurement.rows.release()
        return values

    large = any(isinstance(measurement.rows, Tokens) and measurement.rows.large for measurement in measurements)
    return map_in_order(fold, measurements, min(FOLDED_AT_ONCE, threads())) if large else map(fold, measurements)
