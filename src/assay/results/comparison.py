"""The comparison of two systems: both scores of every metric, their difference, confidence interval and p."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.results.contributing_items import ContributingItems, contributing_items
from assay.results.sentences import conclusion
from assay.results.tables import comparison_table, to_pandas
from assay.show.tables import Table, write

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure

    from assay.results.explanation import Explanation
    from assay.results.result import Result
    from assay.results.verdict import Procedure


@dataclass(frozen=True)
class Compared:
    """One metric of two systems. The difference is b - a."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    better: Literal["a", "b"] | None = None
    """The significantly better system after correction; None without one or if the metric has no better direction."""
    floor: bool = False
    """Whether no random permutation was as extreme: p is an upper bound."""
    effect: float | None = None
    """Cohen's d of the paired contributions of items."""
    items_needed: int | None = None
    """Approximate number of items that detect the observed difference with 80 % power; None if not defined."""
    margin: float | None = None
    p_equal: float | None = None
    """p of two one-sided tests: below .05 the systems are equivalent within the margin."""
    p_not_worse: float | None = None
    """p of the one-sided test that b is not worse than a by the margin."""
    bounds: tuple[float, float] | None = None
    """With a margin: the 90 % confidence interval, whose ends are one-sided bounds at .05."""
    margin_method: str | None = None
    """With a margin: the method of `bounds`, `betting` or `betting on contributions`, `bootstrap` or `t`."""
    chances: tuple[float, float, float] | None = None
    """With `bayes`: posterior probabilities that a is better, that both are equivalent, that b is better."""
    why: str | None = None
    """Why there is no difference, p or interval."""
    label: str = ""
    """Display name: the metric's name with the options that differ from its defaults."""
    smallest_p: float | None = None
    """The smallest p that the test could give for these outputs; 0 where there is no bound. None if not tested."""
    error: float | None = None
    """Standard error of the difference."""
    critical: float | None = None
    """Size in standard errors from which the difference is significant after correction."""
    clusters: int | None = None
    """Number of clusters that were resampled; None if items are treated as independent."""
    effective_n: float | None = None
    """Number of independent items with the same information: n divided by the design effect."""


FIELDS = {
    **dict.fromkeys(("a", "b", "difference", "low", "high", "p", "p_adjusted"), "Float64"),
    "n": "Int64",
    "better": "String",
    "floor": "Boolean",
    "effect": "Float64",
    "items_needed": "Int64",
    **dict.fromkeys(("margin", "p_equal", "p_not_worse"), "Float64"),
    "bounds": "List",
    "margin_method": "String",
    "chances": "List",
    "why": "String",
    "label": "String",
    **dict.fromkeys(("smallest_p", "error", "critical"), "Float64"),
    "clusters": "Int64",
    "effective_n": "Float64",
}
"""Columns of `Comparison.to_frame`, with the names of their types in polars; lists are of floats."""


OPTIONAL = ("bounds", "margin_method", "chances", "why")
"""Keys that JSON leaves out if they are empty."""


class Comparison(Mapping[str, Compared]):
    """A mapping from metric names to compared scores of two systems. It prints as a table, also in notebooks.

    Attributes:
        a: The first result, on the items that both systems have.
        b: The second result; differences are b - a.
        warnings: Caveats, such as a small sample or different references.
        how: The test and its correction for multiple comparisons.
        apart: Metrics that are not comparable, with the reason: they have scores, but no difference and no p.
        explanation: With `explain`: by metric, the parts of the difference that are associated with properties, each
            with `value`, `low` and `high`, and the `unexplained` remainder.

    Example:
        >>> outputs = {"a": ["the cat sat"] * 3, "b": ["a dog"] * 3}
        >>> results = assay.score_all(outputs, ["the cat sat"] * 3, metrics="rouge1")
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
        self.apart = apart or {}
        self.explanation: dict[str, Explanation] = {}
        self._rows = rows

    @property
    def test(self) -> str:
        """The name of the test, with its number of permutations or resamples."""
        return self.how.test

    def __getitem__(self, name: str) -> Compared:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay compare --json` prints."""
        metrics = {}
        for name, row in self._rows.items():
            metrics[name] = {key: value for key, value in vars(row).items() if key not in OPTIONAL or value}
        explained = {name: each.to_dict() for name, each in self.explanation.items()}
        return {
            "a": self.a.system,
            "b": self.b.system,
            "n": self.a.n,
            "clusters": self.a.units if self.a.clusters_by else None,
            "cluster": self.a.clusters_by,
            "test": self.test,
            "family": self.how.words(),
            "metrics": metrics,
            "warnings": self.warnings,
            **({"explanation": explained} if explained else {}),
        }

    def contributing_items(self, name: str | None = None, count: int = 20) -> ContributingItems:
        """Return the items that contribute most to the difference, largest contribution first.

        Args:
            name: A compared metric (default: the first that can be split by item).
            count: Number of items.

        Raises:
            AssayError: The metric is not compared here, or cannot be split by item.
        """
        return contributing_items(self, name, count)

    def to_frame(self) -> polars.DataFrame:
        """Return a polars data frame with one row per metric."""
        import polars

        lists = {"List": polars.List(polars.Float64)}
        kinds = {
            name: lists.get(kind) or getattr(polars, kind) for name, kind in {"metric": "String", **FIELDS}.items()
        }
        rows = [(name, *(getattr(row, field) for field in FIELDS)) for name, row in self.items()]
        return polars.DataFrame(rows, schema=kinds, orient="row")

    def to_pandas(self) -> Any:
        """Return a pandas data frame with one row per metric; requires pandas."""
        return to_pandas(self.to_frame())

    def table(self) -> Table:
        """Return the table with its verdict and warnings as notes."""
        notes = [conclusion([self]), *(f"! {warning}" for warning in self.warnings)]
        return replace(comparison_table(self), notes=notes)

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        from assay.results.figures import difference_panels
        from assay.show.html_multiples import html_multiples

        return f"{html_multiples(*difference_panels(self))}\n{write(self.table(), 'html')}"

    def plot(self) -> Figure:
        """Return a matplotlib figure of the differences around zero; requires assay-eval[plots]."""
        from assay.results.figures import difference_figure

        return difference_figure(self)

    def to_vega(self) -> dict[str, Any]:
        """Return the same figure as a Vega-Lite specification with its data; requires nothing."""
        from assay.results.figures import difference_panels
        from assay.show.vega import multiples_spec

        return multiples_spec(*difference_panels(self))
