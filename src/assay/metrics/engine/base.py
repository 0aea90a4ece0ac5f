"""What a metric is: statistics of each example, and a value from any weighted sum of them."""

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
from assay.stats.resample import Draws
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.models.context import Context
    from assay.records.items import Items

GROUP = "assay.metrics"
"""The entry points by which other packages add metrics."""
Category = Literal["lexical", "semantic", "faithfulness", "diversity", "simplification", "source", "descriptive"]
Values = dict[str, Floats]


@dataclass(frozen=True)
class Part:
    """One number of a metric, and how to read and show it."""

    name: str
    better: Literal["higher", "lower"] | None = "higher"
    """None for a number that describes and does not judge."""
    shown: bool = True
    """False for parts that a table leaves out unless they are asked for by name."""
    scale: float = 1.0
    """What a table multiplies by; files always hold the plain value."""
    digits: int = 2
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    sized: bool | None = None
    """Whether it is expected to come out otherwise with more items, so that sets of different size are compared by
    their rarefied values; None where that is so for all numbers of the metric or for none (`size_dependent`)."""
    taken_for: Literal["higher", "lower"] | None = None
    """Which end people take for the better one, of a number that only describes: an audit shows what that is worth."""


class Metric(WithOptions, ABC):
    """Subclasses are frozen dataclasses: their fields are the options, each of which is part of the signature, unless
    it was made with `setting` (a batch, a device): then it changes no number."""

    noun: ClassVar = "metric"
    category: ClassVar[Category]
    summary: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ("references",)
    """Any of references, sources, inputs. What is missing makes the metric skipped, with the reason."""
    citation: ClassVar[str] = ""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    size_dependent: ClassVar[bool] = False
    """Whether the value changes with the number of items, so that sets of different size cannot be compared."""
    weighed_together: ClassVar[bool] = False
    """Whether what an item counts depends on the other items of the set: some of them are then weighed anew."""
    extent: ClassVar[tuple[str, ...]] = ()
    """Options that say which numbers there are (how many, up to which rank) and change none of them: they stand in the
    key of the statistics and in no signature."""
    interdependent: ClassVar[bool] = False
    """Whether what an item adds depends on all other outputs (self-BLEU), so that it shows only when it is left out."""
    own_sums: ClassVar[bool] = False
    """Whether sums mean something beside the other rows of the same system alone (groups that were found among them),
    so that no row may change its side in a test."""
    subsampled: ClassVar[float] = 2 / 3
    """The share of items drawn for the interval of a value that repeated items would distort."""
    ordered: ClassVar[bool] = False
    """Whether the value depends on the order of the items, so that without one of them all others count otherwise."""
    fewest: ClassVar[int] = FEWEST_UNITS
    """How many independent items an interval takes."""
    extra: ClassVar[str | None] = None
    """The optional dependency family it needs, as in pip install 'assay-eval[neural]'."""

    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """Every number this metric yields, in order."""

    def statistics(self, items: Items) -> Rows:
        """One row an item; a pure function of that item and the options."""
        name = type(self).__name__
        if type(self).compute is not Metric.compute:
            raise NotImplementedError(f"{name} asks a model: call `compute`, which is given a context")
        raise NotImplementedError(f"{name} has neither `statistics` nor `compute`")

    def compute(self, items: Items, context: Context) -> Rows:
        """The statistics, with what a run has at hand. Most metrics need none of it and define `statistics`; one that
        asks a model defines `compute` instead, takes what is known from `context.cache` and puts what is new there.
        Still a pure function of the items and the options: the context may save time and change no number."""
        return self.statistics(items)

    @abstractmethod
    def fold(self, rows: Rows, draws: Draws) -> Values:
        """For each draw the value of every part; NaN where it does not exist."""

    def summands(self, rows: Rows, n: int | None = None) -> Floats | None:
        """One row an item (if told, of so many), from whose sum `values` makes every part; None where only the words of
        all items tell."""
        return None

    def values(self, sums: Floats) -> Values:
        """From (k, columns) sums to k values of every part."""
        raise NotImplementedError(f"{type(self).__name__} is not made from sums")

    def per_example(self, rows: Rows) -> Values:
        """The value of every part for each item alone; empty for metrics that only exist for a corpus."""
        return {}

    def sized(self, part: Part) -> bool:
        """Whether a number is expected to come out otherwise with more items."""
        return self.size_dependent if part.sized is None else part.sized

    def expected(self, rows: Rows, items: int) -> dict[str, float]:
        """The mean over all subsets of so many items, for the numbers that have a formula for it."""
        return {}

    def options(self) -> dict[str, Any]:
        """The choices that change the value, by name, each as the signature says it: a file by its content."""
        return choices(self)

    def signature(self, nrefs: str) -> str:
        """All that is needed to compute the same number again."""
        described = (f"{name}:{word(value)}" for name, value in self.options().items() if name not in self.extent)
        head = [self.name, f"nrefs:{nrefs}"] if "references" in self.needs else [self.name]
        return "|".join((*head, *described, f"version:{version_of(type(self))}"))

    def signed(self, signature: str, rows: Rows, languages: Sequence[str | None]) -> str:
        """The signature with what the items decided: a tokenizer by their script, rules by their language. Those of the
        splitter of sentences are said by themselves."""
        return signed_splitter(signature, languages)

    def misfit(self, rows: Rows) -> str | None:
        """Why stored rows are not this metric's, as far as they show it; None if they may be."""
        return None

    def statistics_key(self) -> str:
        """Names the statistics. Metrics that fold the same rows return the same key, and share one computation."""
        return "|".join((self.signature("any"), *(f"{name}:{getattr(self, name)}" for name in self.extent)))

    def code(self) -> str | None:
        """Digest of the code, where it is not assay's own: that changes without its version."""
        return foreign_code(type(self))

    def stored_as(self) -> str:
        """The key under which statistics are kept: rows that other code made are never used again."""
        code = self.code()
        return self.statistics_key() + (f"|code:{code}" if code else "")

    def why_not(self) -> str | None:
        """Why it cannot run on this machine, or None."""
        return None

    def unfit(self, items: Items) -> str | None:
        """Why it has nothing to say about these items although they have all it needs (a language that its model does
        not read, a kind of input), or None."""
        return None

    def undefined(self, part: str) -> str:
        """Why a part has no value, in a person's words."""
        return "not defined for these outputs"

    def notes(self, items: Items) -> list[str]:
        """Warnings about these items, where the number would mislead."""
        return []

    def explained(self, a: Mapping[str, float], b: Mapping[str, float]) -> str | None:
        """What a difference between two systems comes from, by the values of all parts of both; None where nothing is
        to be added."""
        return None


class SumMetric(Metric):
    """A metric whose value is a function of summed dense statistics."""

    @abstractmethod
    def values(self, sums: Floats) -> Values:
        """From (k, columns) sums to k values of every part."""

    def columns(self) -> tuple[str, ...] | None:
        """The names of the statistics, in order: rows with others are another metric's. None where nobody can tell."""
        return None

    def misfit(self, rows: Rows) -> str | None:
        own = self.columns()
        if own is None or not isinstance(rows, Dense) or rows.columns == own:
            return None
        return f"its columns are {_listed(rows.columns)} where {self.name} has {_listed(own)}"

    def summands(self, rows: Rows, n: int | None = None) -> Floats:
        values = expect(rows, Dense, n).values
        if why := self.misfit(rows):
            raise AssayError(f"{self.name}: statistics of another metric ({why}); score again to write them anew")
        return values

    def fold(self, rows: Rows, draws: Draws) -> Values:
        return self._values_of(draws.sums(self.summands(rows, draws.n)))

    def per_example(self, rows: Rows) -> Values:
        return self._values_of(self.summands(rows))

    def _values_of(self, sums: Floats) -> Values:
        try:
            return self.values(sums)
        except (IndexError, ValueError) as error:
            why = f"its value cannot be read from statistics with {sums.shape[1]} columns: {fault(error, self)}"
            raise AssayError(f"{self.name}: {why}; score again to write them anew") from error


class MeanMetric(SumMetric):
    """A metric whose value is the mean of the examples' scores: rows are the scores and a one."""

    def columns(self) -> tuple[str, ...] | None:
        return None if is_foreign(type(self)) else self._columns()  # which may name its own as it likes

    def _columns(self) -> tuple[str, ...]:
        return (*(part.name for part in self.parts()), "count")

    def rows(self, scores: Mapping[str, Floats], counted: Floats | None = None) -> Dense:
        """A row an item; one that is not `counted` (0 instead of 1) is left out of the mean, its scores must be 0."""
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
    return code_digest(cls) if is_foreign(cls) else None


@cache
def version_of(cls: type[Metric]) -> str:
    """Whose metric it is, and which version: of assay, of the package it comes from, or of a file or notebook."""
    if not is_foreign(cls):
        return f"assay-{VERSION}"
    return provider_of(cls.__module__, GROUP) or f"{cls.__module__}-{foreign_code(cls)}"


def count_references(items: Items) -> str:
    """`1`, `3`, or `var` where items differ."""
    counts = np.unique(items.reference_counts)
    return str(counts[0]) if len(counts) == 1 else "var"
