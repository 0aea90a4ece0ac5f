"""The quality check: a non-inferiority test of a new system against a baseline, with a margin per metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal

from assay.errors import AssayError
from assay.metrics.engine.signatures import same_choices
from assay.results.comparable import SIGNATURES, not_comparable
from assay.results.compare import compare
from assay.results.comparison import Compared, Comparison
from assay.results.result import Result
from assay.results.verdict import LEVEL
from assay.show.numbers import interval, number
from assay.show.tables import Cell, Column, Content, Table, write
from assay.stats.distributions import t_quantile
from assay.stats.interval import too_few

Outcome = Literal["passed", "failed", "undecided"]
OUTCOMES: dict[Outcome, str] = {"passed": "not worse", "failed": "worse", "undecided": "inconclusive"}
HOW = (
    "A metric passes if the worse end of its 90 % confidence interval (a one-sided test at .05) is within the margin. "
    "All metrics must pass, so p is not corrected for their number."
)


@dataclass(frozen=True)
class MetricCheck:
    """One metric of the new system and the baseline; the difference is new - baseline."""

    name: str
    row: Compared
    outcome: Outcome
    why: str
    """The reason for the outcome, for the log of a build."""
    bounds: tuple[float, float] | None
    """The 90 % confidence interval of the difference."""


@dataclass(frozen=True)
class QualityCheck:
    """The outcome of every metric that has a margin. It prints as a table.

    Example:
        >>> baseline = assay.score(["the cat sat on it"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
        >>> new = assay.score(["a cat"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
        >>> assay.check(new, baseline, {"rouge1": 0.01}).passed
        False
    """

    comparison: Comparison
    numbers: dict[str, MetricCheck]
    lenient: bool = False
    """Whether inconclusive metrics pass."""

    @property
    def passed(self) -> bool:
        """Whether every metric passes."""
        return not self.failures

    @property
    def failures(self) -> list[MetricCheck]:
        """The metrics that do not pass."""
        passing = ("passed", "undecided") if self.lenient else ("passed",)
        return [each for each in self.numbers.values() if each.outcome not in passing]

    def conclusion(self) -> str:
        """Return the verdict in a sentence."""
        new, baseline = self.comparison.b.system, self.comparison.a.system
        if self.passed:
            return f"{new} passes: not worse than {baseline} by the margin or more on {', '.join(self.numbers)}."
        return f"{new} does not pass: " + "; ".join(f"{each.name}: {each.why}" for each in self.failures) + "."

    def table(self) -> Table:
        """Return a table with a row for each metric and the verdict below."""
        headings = ("baseline", "new", "difference [90 % CI]", "margin")
        columns = [Column("", "left"), *map(Column, headings), Column("", "left")]
        rows: list[list[Content]] = []
        for name, each in self.numbers.items():
            part, row = self.comparison.a.parts[name][1], each.row
            low, high = each.bounds or (None, None)
            shown = f"{number(row.difference, part, signed=True)} {interval(low, high, part, signed=True)}".rstrip()
            rows.append([
                row.label, Cell(number(row.a, part), row.a), Cell(number(row.b, part), row.b),
                Cell(shown, row.difference, low, high), Cell(number(row.margin, part), row.margin),
                Cell(OUTCOMES[each.outcome], strong=each.outcome != "passed", remark=each.why),
            ])  # fmt: skip
        caption = f"{self.comparison.b.system} against {self.comparison.a.system} · {self.comparison.a.n:,} items"
        return Table(columns, rows, caption, [self.conclusion(), HOW])

    def markdown(self) -> str:
        """Return a Markdown summary for a pull request."""
        return f"### Quality check: {'passed' if self.passed else 'failed'}\n\n{write(self.table(), 'markdown')}\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `assay check --json` prints."""
        return {
            "passed": self.passed,
            "new": self.comparison.b.system,
            "baseline": self.comparison.a.system,
            "n": self.comparison.a.n,
            "test": self.comparison.test,
            "numbers": {
                name: {
                    "baseline": each.row.a,
                    "new": each.row.b,
                    "difference": each.row.difference,
                    "low": each.bounds[0] if each.bounds else None,
                    "high": each.bounds[1] if each.bounds else None,
                    "margin": each.row.margin,
                    "outcome": each.outcome,
                    "why": each.why,
                }
                for name, each in self.numbers.items()
            },
            "warnings": self.comparison.warnings,
        }

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")


def check(
    new: Result,
    baseline: Result,
    margin: Mapping[str, float],
    *,
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    lenient: bool = False,
) -> QualityCheck:
    """Test whether a new system is not worse than a baseline by a margin or more, metric by metric.

    `samples`, `seed` and `cluster` are as in `assay.compare`. `assay.assert_not_worse` is the same for a test suite.

    Args:
        new: The result of the new system, of `assay.score` or `assay.load_run`.
        baseline: The result of the baseline.
        margin: Margins by metric, on the scale of the scores: `{"rouge1": 0.01, "chrf": 0.5}`.
        lenient: Let inconclusive metrics pass (default: they fail the check).

    Returns:
        The outcome of each metric; `passed` is the verdict.

    Raises:
        AssayError: A metric with a margin is missing, or has no better direction.

    Example:
        >>> texts = ["the cat sat on it", "a dog ran"] * 10
        >>> baseline = assay.score(texts, texts, metrics="rouge1,chrf")
        >>> assay.check(baseline, baseline, {"rouge1": 0.01, "chrf": 0.5}).passed
        True
    """
    if not margin:
        raise AssayError("check: give a margin for one or more metrics, e.g. {'chrf': 0.5}.")
    for name in margin:
        for result in (new, baseline):
            if name not in result.parts:
                known = ", ".join(result.shown)
                raise AssayError(f"margin of {name}: {result.system} does not have this metric. Use one of {known}.")
        if baseline.parts[name][1].better is None:
            raise AssayError(f"margin of {name}: this metric has no better direction. Choose another metric.")
    kept = [_only(result, margin) for result in (baseline, new)]
    comparison = compare(*kept, samples=samples, seed=seed, cluster=cluster, margin=margin)
    apart = dict(_apart(comparison, margin))
    numbers = {name: _gated(comparison, name, apart.get(name)) for name in margin}
    return QualityCheck(comparison, numbers, lenient)


def assert_not_worse(
    new: Result, baseline: Result, margin: Mapping[str, float], *, seed: int = 0, lenient: bool = False
) -> None:
    """Assert in a test suite that `assay.check` passes.

    `new`, `baseline`, `margin`, `seed` and `lenient` are as in `assay.check`.

    Raises:
        AssertionError: The check does not pass; the message has its table.

    Example:
        >>> texts = ["the cat sat on it", "a dog ran"] * 10
        >>> baseline = assay.score(texts, texts, metrics="chrf")
        >>> assay.assert_not_worse(baseline, baseline, {"chrf": 0.5})
    """
    checked = check(new, baseline, margin, seed=seed, lenient=lenient)
    if not checked.passed:
        raise AssertionError(f"quality check failed\n{checked!r}")


def _only(result: Result, margin: Mapping[str, float]) -> Result:
    """Return the result with only the metrics that have a margin, to save time."""
    wanted = {id(result.parts[name][0]) for name in margin}
    return replace(result, measurements=tuple(each for each in result.measurements if id(each) in wanted))


def _apart(comparison: Comparison, names: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield the metrics that are not comparable. Other package versions are: a check is meant to test them."""
    a, b = comparison.a, comparison.b
    first, second = a.signatures_here, b.signatures_here
    for name, why in not_comparable(a, b, names).items():
        mine, theirs = first[id(a.parts[name][0])], second[id(b.parts[name][0])]
        if why != SIGNATURES or not (same_choices(mine, theirs) and same_choices(theirs, mine)):
            yield name, why


def _gated(comparison: Comparison, name: str, apart: str | None) -> MetricCheck:
    row, part = comparison[name], comparison.a.parts[name][1]
    margin = row.margin or 0.0
    bounds = row.bounds or _by_t(comparison, name)
    if apart or row.difference is None:
        return MetricCheck(name, row, "failed", f"not comparable ({apart or row.why or 'undefined'})", bounds)
    shown = number(margin, part)
    if bounds is None:
        return MetricCheck(name, row, "undecided", f"a loss of {shown} or more cannot be excluded ({row.why})", None)
    worst, mildest = (-bounds[0], -bounds[1]) if part.better == "higher" else (bounds[1], bounds[0])
    if worst < margin:
        return MetricCheck(name, row, "passed", f"not worse by {shown} or more", bounds)
    lost = number(abs(row.difference), part)
    if mildest >= margin:
        return MetricCheck(name, row, "failed", f"fell by {lost}, significantly by {shown} or more", bounds)
    fell = f"fell by {lost}" if (row.difference < 0) == (part.better == "higher") and row.difference else "did not fall"
    return MetricCheck(name, row, "undecided", f"{fell}, but a loss of {shown} or more cannot be excluded", bounds)


def _by_t(comparison: Comparison, name: str) -> tuple[float, float] | None:
    """Return the interval by Student's t on contributions, where too few items changed for a bootstrap."""
    a, b = comparison.a, comparison.b
    row = comparison[name]
    if name not in a.contributions or name not in b.contributions or row.difference is None:
        return None
    apart = b.contributions[name] - a.contributions[name]
    if too_few(a.units, a.parts[name][0].metric.fewest):
        return None
    reach = t_quantile(1 - LEVEL, len(apart) - 1) * float(apart.std(ddof=1)) / sqrt(len(apart))
    return row.difference - reach, row.difference + reach
