"""Base classes of metrics: per-item statistics, and a value from any weighted sum of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from assay.errors import AssayError, fault
from assay.metrics.engine.signatures import signed_splitter, word
from assay.metrics.engine.statistics import Dense, Floats, Rows, expect
from assay.models.code_digest import code_digest, is_foreign
from assay.registry import provider_of
from assay.specs import WithOptions, choices
from assay.stats.interval import FEWEST_UNITS
from assay.stats.resample import Resamples
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.models.context import Context
    from assay.records.items import Items

GROUP = "assay.metrics"
"""The entry point group through which other packages register metrics."""
Category = Literal["lexical", "semantic", "faithfulness", "diversity", "simplification", "source", "descriptive"]
Values = dict[str, Floats]


@dataclass(frozen=True)
class Part:
    """One score of a metric, and how to read and display it."""

    name: str
    better: Literal["higher", "lower"] | None = "higher"
    """Direction of the score; None for a descriptive score, which has no better end."""
    shown: bool = True
    """False for a score that tables omit unless it is requested by name."""
    scale: float = 1.0
    """Factor applied in tables; files store the unscaled value."""
    digits: int = 2
    """Decimal places in tables."""
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    """Lowest and highest possible value; None for unbounded."""
    sized: bool | None = None
    """Whether the expected value changes with the number of items, so that sets of different size are compared by
    rarefied values; None to follow `size_dependent` of the metric."""
    taken_for: Literal["higher", "lower"] | None = None
    """For a descriptive score: the direction that is commonly read as better. An audit tests that reading."""


class Metric(WithOptions, ABC):
    """Base class of all metrics.

    Subclasses are frozen dataclasses. Their fields are the options of the metric; each is part of the signature, except
    those made with `setting` (batch size, device), which do not change a score. The string under a field is its help.
    """

    noun: ClassVar = "metric"
    category: ClassVar[Category]
    summary: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ("references",)
    """Required data: any of references, sources, inputs. Without it the metric is skipped, with the reason."""
    citation: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    parts_by_options: ClassVar[bool] = False
    """Whether the names of its scores depend on its options, as the criteria of a form do: NAME.SCORE is then resolved
    with the options."""
    size_dependent: ClassVar[bool] = False
    """Whether the value changes with the number of items, so that sets of different size cannot be compared."""
    weighed_together: ClassVar[bool] = False
    """Whether the row of an item depends on the other items of the set, so that a subset is weighted again."""
    extent: ClassVar[tuple[str, ...]] = ()
    """Options that select which scores exist (how many, up to which rank) without changing any: part of the statistics
    key, not of the signature."""
    texts_in_rows: ClassVar[tuple[str, ...]] = ()
    """Which of references, sources and inputs the rows contain, as words or as vectors: a benchmark that hides these
    does not publish the rows."""
    interdependent: ClassVar[bool] = False
    """Whether the contribution of an item depends on all other outputs (self-BLEU); it is then measured by leaving the
    item out."""
    own_sums: ClassVar[bool] = False
    """Whether sums are valid only among rows of the same system (clusters computed from them), so that a permutation
    test must not exchange rows between systems."""
    subsampled: ClassVar[float] = 2 / 3
    """Share of items drawn without replacement for confidence intervals of values that repeated items would distort."""
    ordered: ClassVar[bool] = False
    """Whether the value depends on the order of the items, so that leaving one out changes the contribution of all."""
    by_system: ClassVar[bool] = False
    """Whether the row of an item depends on the name of its system or on which other outputs are measured in the same
    call, so that several systems are never measured in one."""
    fewest: ClassVar[int] = FEWEST_UNITS
    """Minimum number of independent items for a confidence interval."""
    extra: ClassVar[str | None] = None
    """The optional dependencies it needs, as in pip install 'assay-eval[neural]'."""

    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """Return every score of this metric, in order."""

    def statistics(self, items: Items) -> Rows:
        """Compute one row of statistics per item; a pure function of that item and the options."""
        name = type(self).__name__
        if type(self).compute is not Metric.compute:
            raise NotImplementedError(f"{name} runs a model: call `compute` with a context")
        raise NotImplementedError(f"{name} defines neither `statistics` nor `compute`")

    def compute(self, items: Items, context: Context) -> Rows:
        """Compute the statistics with the resources of a run.

        Most metrics define `statistics` only. A metric that runs a model defines `compute` instead, and reads and
        writes `context.cache`. The result is still a pure function of the items and the options: the context may save
        time but does not change a score.
        """
        return self.statistics(items)

    @abstractmethod
    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        """Return the value of every part in each resample; NaN where it is undefined."""

    def summands(self, rows: Rows, n: int | None = None) -> Floats | None:
        """Return one dense row per item (n of them, if given) from whose sums `values` computes every part; None where
        the value is not a function of sums."""
        return None

    def values(self, sums: Floats) -> Values:
        """Return k values of every part from (k, columns) sums."""
        raise NotImplementedError(f"{type(self).__name__} is not a function of sums")

    def per_example(self, rows: Rows) -> Values:
        """Return the value of every part for each item alone; empty for metrics that are defined for a corpus only."""
        return {}

    @property
    def asks_endpoint(self) -> bool:
        """Whether computing it asks an endpoint, whose answers may have to be paid for: never twice at once."""
        return False

    def sized(self, part: Part) -> bool:
        """Return whether the expected value of a part changes with the number of items."""
        return self.size_dependent if part.sized is None else part.sized

    def expected(self, rows: Rows, items: int) -> dict[str, float]:
        """Return the mean over all subsets of this many items, for the parts that have a closed form."""
        return {}

    def options(self) -> dict[str, Any]:
        """Return the options that change the value, by name, as the signature writes them: a file by its content."""
        return choices(self)

    def signature(self, nrefs: str) -> str:
        """Return the signature: everything that is needed to compute the same score again."""
        described = (f"{name}:{word(value)}" for name, value in self.options().items() if name not in self.extent)
        head = [self.name, f"nrefs:{nrefs}"] if "references" in self.needs else [self.name]
        return "|".join((*head, *described, f"version:{version_of(type(self))}"))

    def signed(self, signature: str, rows: Rows, languages: Sequence[str | None]) -> str:
        """Return the signature with the choices that depend on the items: a tokenizer chosen by script, sentence
        splitting rules chosen by language."""
        return signed_splitter(signature, languages)

    def misfit(self, rows: Rows) -> str | None:
        """Return why stored rows cannot be rows of this metric; None if they may be."""
        return None

    def statistics_key(self) -> str:
        """Return the key of the statistics. Metrics that fold the same rows return the same key and share them."""
        return "|".join((self.signature("any"), *(f"{name}:{getattr(self, name)}" for name in self.extent)))

    def code(self) -> str | None:
        """Return a digest of the code of a plug-in, which may change without a new version; None for assay's own."""
        return foreign_code(type(self))

    def stored_as(self) -> str:
        """Return the key under which statistics are stored; rows from different code are never reused."""
        code = self.code()
        return self.statistics_key() + (f"|code:{code}" if code else "")

    def why_not(self) -> str | None:
        """Return why the metric cannot run on this machine, or None."""
        return None

    def unfit(self, items: Items) -> str | None:
        """Return why the metric does not apply to these items although its data is present (a language that its model
        does not support, another kind of input), or None."""
        return None

    def undefined(self, part: str) -> str:
        """Return the reason why a part has no value."""
        return "not defined for these outputs"

    def notes(self, items: Items) -> list[str]:
        """Return warnings about these items: cases in which the score would mislead."""
        return []

    def explained(self, a: Mapping[str, float], b: Mapping[str, float]) -> str | None:
        """Return what causes a difference between two systems, given the values of all parts of both; None for
        nothing to add."""
        return None


class SumMetric(Metric):
    """A metric whose value is a function of summed dense statistics."""

    @abstractmethod
    def values(self, sums: Floats) -> Values:
        """Return k values of every part from (k, columns) sums."""

    def columns(self) -> tuple[str, ...] | None:
        """Return the column names of the statistics, in order; None where they are not known in advance."""
        return None

    def misfit(self, rows: Rows) -> str | None:
        own = self.columns()
        if own is None or not isinstance(rows, Dense) or rows.columns == own:
            return None
        return f"columns are {_listed(rows.columns)}; {self.name} has {_listed(own)}"

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        values = expect(rows, Dense, n).values
        if why := self.misfit(rows):
            raise AssayError(f"{self.name}: statistics of another metric ({why}); score again to rebuild them")
        return values

    def fold(self, rows: Rows, resamples: Resamples) -> Values:
        return self._values_of(resamples.sums(self.summands(rows, resamples.n)))

    def per_example(self, rows: Rows) -> Values:
        return self._values_of(self.summands(rows))

    def _values_of(self, sums: Floats) -> Values:
        try:
            return self.values(sums)
        except (IndexError, ValueError) as error:
            why = f"cannot compute a value from statistics with {sums.shape[1]} columns: {fault(error, self)}"
            raise AssayError(f"{self.name}: {why}; score again to rebuild them") from error


class MeanMetric(SumMetric):
    """A metric whose value is the mean of per-item scores: rows hold the scores and a count of one."""

    def columns(self) -> tuple[str, ...] | None:
        return None if is_foreign(type(self)) else self._columns()  # a plug-in may choose other names

    def _columns(self) -> tuple[str, ...]:
        return (*(part.name for part in self.parts()), "count")

    def rows(self, scores: Mapping[str, Floats], counted: Floats | None = None) -> Dense:
        """Return the rows of these scores.

        Args:
            scores: For each part, one score per item.
            counted: 1 for each item that counts towards the mean, 0 for others, whose scores must be 0 (default: all
                count).
        """
        *names, count = self._columns()
        ones = np.ones(len(scores[names[0]])) if counted is None else counted
        return Dense((*names, count), np.column_stack([*(scores[name] for name in names), ones]))

    def values(self, sums: Floats) -> Values:
        count = sums[:, -1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return {part.name: sums[:, i] / count for i, part in enumerate(self.parts())}


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(columns[:4]) + (f" and {len(columns) - 4} more" if len(columns) > 4 else "")


@cache
def foreign_code(cls: type[Metric]) -> str | None:
    """Return the code digest of a plug-in's class; None for assay's own."""
    return code_digest(cls) if is_foreign(cls) else None


@cache
def version_of(cls: type[Metric]) -> str:
    """Return the origin and version of a metric: assay, the package that provides it, or a file or notebook."""
    if not is_foreign(cls):
        return f"assay-{VERSION}"
    return provider_of(cls.__module__, GROUP) or f"{cls.__module__}-{foreign_code(cls)}"


def count_references(items: Items) -> str:
    """Return the number of references per item as signatures write it: `1`, `3`, or `var` where items differ."""
    counts = items.reference_counts
    return str(counts[0]) if len(counts) and counts.min() == counts.max() else "var"
