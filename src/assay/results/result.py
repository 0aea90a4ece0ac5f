"""The result of scoring one system: scores, confidence intervals, subsets, and scores of single items.

Everything is computed from stored statistics; no text is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.base import Values
from assay.metrics.engine.statistics import Tokens
from assay.records.types import Score
from assay.results.contributions import contributions_to, dominant_units
from assay.results.dependence import codes_of, dependence_warnings, effective_sizes
from assay.results.index import (
    DEFAULT,
    INDEPENDENT,
    ItemIndex,
    cluster_codes,
    cluster_keys,
    default_cluster,
    groups,
    languages_of,
    select,
)
from assay.results.measurement import Measurement, Missing, label_of, named_parts
from assay.results.resampled_values import resampled_values
from assay.results.result_record import ResultRecord, score_record
from assay.results.tables import result_table, to_pandas
from assay.results.two_way_clusters import no_two_way, two_way_interval
from assay.show.tables import Table, write
from assay.stats.interval import FEWEST_UNITS, ROUGH_UNITS, percentile, too_alike, too_few
from assay.stats.resample import Resamples, all_items
from assay.stats.skewed_interval import is_skewed, skewed_interval
from assay.stats.threads import map_in_order, threads

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure

    from assay.metrics import MetricRequest, Part
    from assay.metrics.engine.statistics import Floats
    from assay.records.items import Items
    from assay.results.reference_digest import ReferenceDigest
    from assay.results.table_section import TableSection

FAILED = ".failed"
"""End of the name of a score that is the share of items without a value."""
FOLDED_AT_ONCE = 2
"""Maximum number of large datasets folded in parallel: each takes some hundred megabytes of memory."""


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The scores of one system. It prints as a table, also in notebooks.

    Attributes:
        scores: Scores by metric, each with `value`, `low`, `high` and `signature`.
        per_example: A polars data frame with one row per item.
        skipped: Metrics that could not be computed, with the reason.
        failed: Metrics that raised an error, with the reason.

    Example:
        >>> result = assay.score(["the cat sat", "a dog"], ["the cat sat", "a dog ran"], metrics="rouge1")
        >>> result.scores["rouge1"].value
        0.9
        >>> result.per_example["rouge1"].to_list()
        [1.0, 0.8]
        >>> result.to_frame().columns
        ['metric', 'value', 'low', 'high', 'signature', 'why', 'label']
    """

    system: str
    index: ItemIndex
    measurements: tuple[Measurement, ...]
    skipped: tuple[Missing, ...] = ()
    failed: tuple[Missing, ...] = ()
    notes: Sequence[str] = ()
    ci: int = 0
    seed: int = 0
    cluster: str | None = None
    """Field whose clusters of items are resampled together, e.g. `parent`; two crossed fields are comma-separated;
    `none` for independent items (default: `results.index.default_cluster`)."""
    digest: str | ReferenceDigest = field(default="", compare=False)
    """Digest of references and sources, to detect results that were scored against different texts."""
    named_among: tuple[MetricRequest, ...] = field(default=(), compare=False, repr=False)
    """The metrics among which scores got their names, so that selecting some of them keeps the names."""
    numbered: bool = field(default=False, compare=False)
    """Whether items have no ids of their own and are numbered from 1."""
    texts: Items | Callable[[], Items | None] | None = field(default=None, compare=False, repr=False)
    """The scored texts, or what reads them: None if they are not available."""
    _known: dict[tuple[Any, ...], dict[str, Floats]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """Cache of resampled values and contributions."""

    def __post_init__(self) -> None:
        new = (m.request for m in self.measurements if m.request not in self.named_among)
        object.__setattr__(self, "named_among", (*self.named_among, *new))

    @property
    def n(self) -> int:
        """Number of scored items."""
        return len(self.index)

    @cached_property
    def kinds(self) -> list[NDArray[np.int64]]:
        """The cluster of each item, for each cluster field."""
        return [codes_of(self, key) for key in cluster_keys(self.clusters_by)]

    @cached_property
    def clusters_by(self) -> str | None:
        """The cluster field or fields in use; None if items are independent."""
        if self.cluster is None:
            return default_cluster(self.index)
        return None if self.cluster == INDEPENDENT else self.cluster

    @property
    def codes(self) -> NDArray[np.int64] | None:
        """The cluster of each item; None without clusters, and for two crossed cluster fields."""
        return self.kinds[0] if len(self.kinds) == 1 else None

    @property
    def units(self) -> int:
        """Number of independent units: items, or clusters (of the field with the fewest)."""
        return min((int(codes.max()) + 1 for codes in self.kinds), default=self.n)

    @property
    def warnings(self) -> list[str]:
        """Notes, and warnings if confidence intervals rest on few items, on a single one, or on dependent ones."""
        few = self.ci and FEWEST_UNITS <= self.units < ROUGH_UNITS
        of = " clusters" if self.clusters_by else ""
        small = f"Small sample (n = {self.units}{of}): confidence intervals are approximate."
        doubts = [*dominant_units(self), *dependence_warnings([self])] if self.ci else []
        return [*self.notes, *self.without_value, *([small] if few else []), *doubts]

    @property
    def without_value(self) -> list[str]:
        """For scores by an endpoint: the share of items that has no value, over which no mean is taken."""
        shares = {name: self.values[name] for name, (_, part) in self.parts.items() if part.name.endswith(FAILED)}
        return [
            f"{name.removesuffix(FAILED)}: {share:.1%} of {self.n} outputs of {self.system} have no value (time-outs, "
            "refusals, unreadable answers); means are over the others"
            for name, share in shares.items()
            if share > 0
        ]

    @cached_property
    def parts(self) -> dict[str, tuple[Measurement, Part]]:
        """For every score, by name: the measurement it comes from, and the part of the metric."""
        owners = {id(measurement.request): measurement for measurement in self.measurements}
        named = named_parts(self.named_among).items()
        return {name: (owners[id(request)], part) for name, (request, part) in named if id(request) in owners}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Display names of scores: the name with the options that differ from the defaults."""
        return {name: label_of(measurement.request, part) for name, (measurement, part) in self.parts.items()}

    @cached_property
    def signatures_here(self) -> dict[int, str]:
        """Signatures of measurements (by id) on these items, which may be a subset of those scored."""
        languages = languages_of(self.index)
        return {id(m): m.over(m.rows, languages).signature for m in self.measurements}

    def named(self, name: str) -> str:
        """Return the name of a score, from its name or display name; other words are returned unchanged."""
        printed = {label: key for key, label in self.labels.items()}
        return name if name in self.parts else printed.get(name, name)

    @cached_property
    def shown(self) -> list[str]:
        """Names of the scores that tables show: the usual ones, and those requested by name (without their parts)."""
        shown = []
        for name, (measurement, part) in self.parts.items():
            names = measurement.request.part_names
            requested = names is not None and part.name.partition(".")[0] not in names - {part.name}
            if part.shown or requested:
                shown.append(name)
        return shown

    @cached_property
    def values(self) -> dict[str, float]:
        """Scores over all items by name; NaN if undefined."""
        return {name: float(values[0]) for name, values in self.fold([all_items(self.n)]).items()}

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Scores by name, with a confidence interval if requested; `why` gives the reason if there is none."""
        resampled = self.resampled(self.ci, self.seed) if self.ci else {}
        scores = {}
        for name, (measurement, part) in self.parts.items():
            value = self.values[name]
            if np.isnan(value):
                why = measurement.metric.undefined(part.name)
                scores[name] = Score(value=None, signature=measurement.signature, why=why, label=self.labels[name])
                continue
            low, high, unsure = self._interval(name, resampled[name]) if self.ci else (None, None, None)
            scores[name] = Score(
                value=value, low=low, high=high, signature=measurement.signature, why=unsure, label=self.labels[name]
            )
        return scores

    def _interval(self, name: str, drawn: Floats) -> tuple[float | None, float | None, str | None]:
        """Return both ends of the confidence interval, or the reason why there is none."""
        why = self.no_interval(name)
        crossed = len(self.kinds) > 1
        ends = None if why else two_way_interval(self, name) if crossed else percentile(drawn)
        if ends is None or ends[0] == ends[1]:
            return None, None, why or "no interval: resampled values are identical"
        value, units, bounds = self.values[name], self.contributions.get(name), self.parts[name][1].bounds
        if not crossed and units is not None and is_skewed(units):
            low, high = skewed_interval(value, units, ends, self.ci, self.seed)
            ends = float(np.clip(low, *bounds)), float(np.clip(high, *bounds))
        return min(ends[0], value), max(ends[1], value), None

    def no_interval(self, name: str) -> str | None:
        """Return why a score has no confidence interval: too few or too many equal items. None if it has one."""
        measurement = self.parts[name][0]
        why = too_few(self.units, measurement.metric.fewest, "clusters" if self.clusters_by else "items")
        if why is None and name in self.contributions:
            why = too_alike(self.contributions[name])
        return why or (no_two_way(self, name) if len(self.kinds) > 1 else None)

    @property
    def contributions(self) -> dict[str, Floats]:
        """Contributions of items (or clusters) by metric, where defined; their mean is the score."""
        if ("contributions",) not in self._known:
            self._known["contributions",] = contributions_to(self)
        return self._known["contributions",]

    def resampled(self, samples: int, seed: int) -> dict[str, Floats]:
        """Return resampled values of every score; computed once for each number of samples and seed."""
        key = (samples, seed)
        if key not in self._known:
            self._known[key] = resampled_values(self, samples, seed)
        return self._known[key]

    def fold(self, blocks: Iterable[Resamples], measurements: Sequence[Measurement] | None = None) -> dict[str, Floats]:
        """Return the value of every score for every resample.

        Args:
            blocks: Blocks of resamples.
            measurements: Measurements to fold (default: all).
        """
        chosen = self.measurements if measurements is None else measurements
        parts = {name: owned for name, owned in self.parts.items() if owned[0] in chosen}
        folded: dict[str, list[Floats]] = {name: [] for name in parts}
        if not parts:
            return {}
        for draws in blocks:
            for measurement, values in zip(chosen, _folded(chosen, draws), strict=True):
                for name, (owner, part) in parts.items():
                    if owner is measurement:
                        folded[name].append(values[part.name])
        return {name: np.concatenate(values) if values else np.empty(0) for name, values in folded.items()}

    @cached_property
    def per_example(self) -> polars.DataFrame:
        """Scores of single items, one row each; corpus-level metrics have no column."""
        import polars

        return polars.DataFrame({"id": self.index["id"], **self.item_scores})

    @cached_property
    def item_scores(self) -> dict[str, Floats]:
        """Scores of single items as arrays, by name, in the order of the index."""
        columns: dict[str, Floats] = {}
        for measurement in self.measurements:
            values = measurement.metric.per_example(measurement.rows)
            for name, (owner, part) in self.parts.items():
                if owner is measurement and part.name in values:
                    columns[name] = values[part.name]
        return columns

    def take(self, indices: NDArray[np.intp]) -> Result:
        """Return the result on some of the items; signatures follow their languages.

        Items that are clusters by default remain so, however few documents are left of them.
        """
        index = self.index.take(indices)
        languages = languages_of(index)
        measurements = tuple(m.over(m.rows.take(indices), languages) for m in self.measurements)
        cluster, inherited = self.cluster, self.clusters_by
        if cluster is None and inherited and len(set(cluster_codes(index, inherited).tolist())) < len(index):
            cluster = inherited
        return replace(self, index=index, measurements=measurements, cluster=cluster)

    def subset(self, *conditions: str) -> Result:
        """Return the result on the items that meet all conditions, e.g. `subset("language=de", "topic=sport")`."""
        return self.take(select(self.index, conditions))

    def by(self, key: str) -> dict[str, Result]:
        """Return a result for each value of a field, e.g. `by("language")`."""
        return {value: self.take(indices) for value, indices in groups(self.index, key).items()}

    def only(self, *names: str) -> Result:
        """Return the result with only the metrics behind these scores."""
        chosen = {id(self.parts[name][0]): self.parts[name][0] for name in names}
        return replace(self, measurements=tuple(chosen.values()))

    def with_intervals(self, ci: int, seed: int) -> Result:
        """Return the result with confidence intervals from `ci` bootstrap resamples (0 for none)."""
        return replace(self, ci=ci, seed=seed)

    def clustered(self, key: str | None) -> Result:
        """Return the result with items resampled in clusters; itself if unchanged, which keeps its cache.

        Args:
            key: Field or fields, `none` for independent items, `auto` for the default, None to change nothing.
        """
        if key is None or key == (self.clusters_by or INDEPENDENT):
            return self
        return replace(self, cluster=None if key == DEFAULT else key)

    def to_frame(self) -> polars.DataFrame:
        """Return a polars data frame with one row per score."""
        import polars

        fields = ("value", "low", "high", "signature", "why", "label")
        kinds = {"metric": polars.String, **dict.fromkeys(fields[:3], polars.Float64)}
        rows = [(name, *(getattr(score, field) for field in fields)) for name, score in self.scores.items()]
        return polars.DataFrame(rows, schema=kinds | dict.fromkeys(fields[3:], polars.String), orient="row")

    def to_pandas(self) -> Any:
        """Return a pandas data frame with one row per score; requires pandas."""
        return to_pandas(self.to_frame())

    def table(self) -> Table:
        """Return the table of scores, with warnings as notes."""
        shown = result_table(self)
        return replace(shown, notes=[*shown.notes, *(f"! {note}" for note in self.warnings)])

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        from assay.results.figures import score_panels
        from assay.show.html_multiples import html_multiples

        return f"{html_multiples(*score_panels(self._section()))}\n{write(self.table(), 'html')}"

    def plot(self) -> Figure:
        """Return a matplotlib figure of the shown scores with their intervals; requires assay-eval[plots]."""
        from assay.results.figures import score_figure

        return score_figure(self._section())

    def to_vega(self) -> dict[str, Any]:
        """Return the same figure as a Vega-Lite specification with its data; requires nothing."""
        from assay.results.figures import score_panels
        from assay.show.vega import multiples_spec

        return multiples_spec(*score_panels(self._section()))

    def _section(self) -> TableSection:
        from assay.results.table_section import TableSection

        return TableSection("", "", {self.system or "outputs": self}, None)

    def to_dict(self) -> ResultRecord:
        """Return the object that `assay score --json` prints."""
        sizes = effective_sizes([self], []) if self.ci else {}
        scores = {name: score_record(score, sizes.get(name)) for name, score in self.scores.items()}
        return {
            "n": self.n,
            "clusters": self.units if self.clusters_by else None,
            "cluster": self.clusters_by,
            "system": self.system,
            "scores": scores,
            "skipped": [{"metric": missing.metric, "why": missing.why} for missing in self.skipped],
            "failed": [{"metric": missing.metric, "why": missing.why} for missing in self.failed],
            "warnings": self.warnings,
        }


def _folded(measurements: Sequence[Measurement], draws: Resamples) -> Iterable[Values]:
    """Return the values of each measurement. Datasets too large for memory are folded in parallel: most of the work
    is disk access outside of Python."""

    def fold(measurement: Measurement) -> Values:
        values = measurement.metric.fold(measurement.rows, draws)
        measurement.rows.release()
        return values

    large = any(isinstance(measurement.rows, Tokens) and measurement.rows.large for measurement in measurements)
    return map_in_order(fold, measurements, min(FOLDED_AT_ONCE, threads())) if large else map(fold, measurements)
