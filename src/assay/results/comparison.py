"""What came of comparing two systems: every number of both, their difference, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars

from assay.results.deciding import Deciding, deciding
from assay.results.tables import comparison_table, conclusion, procedure, to_pandas
from assay.show.tables import Table, write

if TYPE_CHECKING:
    from assay.results.result import Result
    from assay.results.verdict import Procedure


@dataclass(frozen=True)
class Compared:
    """One number of two systems. The difference is b - a."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    better: Literal["a", "b"] | None = None
    """Which system is better beyond chance, after correction; nobody where the number only describes."""
    floor: bool = False
    """Whether no random swap came as far: p is at most what it says."""
    effect: float | None = None
    """The difference in standard deviations of what the items contribute to it (Cohen's d of paired values)."""
    items_needed: int | None = None
    """About how many items would show a difference of this size, if it is as large as it looks here: an optimistic
    number. None where the question makes no sense."""
    margin: float | None = None
    p_equal: float | None = None
    """Of a difference of at least the margin, by two one-sided tests: below .05 the two are equal within it."""
    p_not_worse: float | None = None
    """Of b being worse by at least the margin."""
    bounds: tuple[float, float] | None = None
    """With a margin: the 90 % interval, whose two ends are those of one-sided tests at .05."""
    chances: tuple[float, float, float] | None = None
    """With `bayes`: how likely a is better, the two are equal within the margin, b is better."""
    why: str | None = None
    label: str = ""
    """What it is called where it is printed: its name with the options that are not the usual ones."""


FIELDS: dict[str, Any] = {
    **dict.fromkeys(("a", "b", "difference", "low", "high", "p", "p_adjusted"), polars.Float64),
    "n": polars.Int64,
    "better": polars.String,
    "floor": polars.Boolean,
    "effect": polars.Float64,
    "items_needed": polars.Int64,
    **dict.fromkeys(("margin", "p_equal", "p_not_worse"), polars.Float64),
    "bounds": polars.List(polars.Float64),
    "chances": polars.List(polars.Float64),
    "why": polars.String,
    "label": polars.String,
}
"""What a row of the frame holds of a number."""


UNASKED = ("bounds", "chances", "why")
"""What JSON leaves out where there is nothing to say."""


class Comparison(Mapping[str, Compared]):
    """All numbers of two systems, by name. It prints as its table, in a notebook too.

    `a` and `b` are the two results on the items both have, `test` says in words how they were tested, `warnings` what
    a reader should know. Each number has `a`, `b`, `difference` (b - a), `low`, `high`, `p`, `p_adjusted` and `n`.

    >>> results = assay.score_all({"a": ["the cat sat"] * 3, "b": ["a dog"] * 3}, ["the cat sat"] * 3, metrics="rouge1")
    >>> comparison = assay.compare(results["a"], results["b"])
    >>> comparison["rouge1"].difference, comparison["rouge1"].p
    (-1.0, 0.25)
    >>> comparison.to_frame().columns[:9]
    ['metric', 'a', 'b', 'difference', 'low', 'high', 'p', 'p_adjusted', 'n']
    """

    def __init__(
        self,
        a: Result,
        b: Result,
        rows: dict[str, Compared],
        warnings: list[str],
        how: Procedure,
        apart: Mapping[str, str] | None = None,
    ) -> None:
        self.a, self.b = a, b
        self.warnings = warnings
        self.how = how
        """The test, and over how many such tests p was corrected."""
        self.apart = apart or {}
        """Numbers that are not comparable, with the reason: they have values, and neither a difference nor p."""
        self._rows = rows

    @property
    def test(self) -> str:
        """The test in words, as exactly as it was done."""
        return self.how.test

    def __getitem__(self, name: str) -> Compared:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_dict(self) -> dict[str, Any]:
        """As `assay compare --json` prints it."""
        metrics = {}
        for name, row in self._rows.items():
            metrics[name] = {key: value for key, value in vars(row).items() if key not in UNASKED or value}
        return {
            "a": self.a.system,
            "b": self.b.system,
            "test": self.test,
            "family": self.how.words(),
            "metrics": metrics,
            "warnings": self.warnings,
        }

    def deciding(self, name: str | None = None, count: int = 20) -> Deciding:
        """The items that make the difference in a number (the first that has such): what each contributes, the largest
        first. Of metrics of a whole corpus it is what leaving the item out changes."""
        return deciding(self, name, count)

    def to_frame(self) -> polars.DataFrame:
        """A polars DataFrame, one row a number."""
        kinds = {"metric": polars.String, **FIELDS}
        rows = [(name, *(getattr(row, field) for field in FIELDS)) for name, row in self.items()]
        return polars.DataFrame(rows, schema=kinds, orient="row")

    def to_pandas(self) -> Any:
        """The same for pandas, if it is installed; nothing else is needed."""
        return to_pandas(self.to_frame())

    def table(self) -> Table:
        """What there is to see: the table, what it says in a sentence, and what to beware of."""
        notes = [conclusion([self]), procedure([self]), *(f"! {warning}" for warning in self.warnings)]
        return replace(comparison_table(self), notes=notes)

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")
