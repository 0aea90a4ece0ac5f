"""The outcome of a quality check: a verdict for each metric, missing items, and one verdict for the build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from assay.show.numbers import counted, interval, number, size
from assay.show.tables import Cell, Column, Content, Table, write

if TYPE_CHECKING:
    from assay.results.comparison import Compared, Comparison

Outcome = Literal["passed", "failed", "undecided"]
OUTCOMES: dict[Outcome, str] = {"passed": "not worse", "failed": "worse", "undecided": "inconclusive"}
VERDICTS: dict[Outcome, str] = {"passed": "passed", "failed": "failed", "undecided": "inconclusive"}
HOW = (
    "A metric passes if the worse end of its confidence interval, a one-sided bound at .05 that holds for any number "
    "of items, is within the margin. All metrics must pass, so p is not corrected for their number."
)
LISTED = 5
"""Ids of missing items that are printed."""


@dataclass(frozen=True)
class MetricCheck:
    """One metric of the new system and the baseline; the difference is new - baseline."""

    name: str
    row: Compared
    outcome: Outcome
    why: str
    """The reason for the outcome, for the log of a build."""
    bounds: tuple[float, float] | None
    """The confidence interval of the difference; its worse end is a one-sided bound at .05."""
    sequential: dict[str, object] = field(default_factory=dict)
    """With `sequential`: e-value, decision and number of looks."""


@dataclass(frozen=True)
class MissingItems:
    """Items of the baseline that the new system lacks."""

    ids: tuple[str, ...] = ()
    total: int = 0
    """Number of items of the baseline."""
    allowed: int = 0

    @property
    def failed(self) -> bool:
        """Whether more items are missing than allowed."""
        return len(self.ids) > self.allowed

    def words(self) -> str:
        """Return what is missing, in a sentence."""
        if not self.ids:
            return "No item of the baseline is missing."
        listed = ", ".join(self.ids[:LISTED]) + (" …" if len(self.ids) > LISTED else "")
        remedy = "" if not self.failed else "; add their outputs, or accept it with --allow-missing"
        allowed = f", {self.allowed:,} allowed" if self.allowed else ""
        return f"{len(self.ids):,} of {counted(self.total, 'item')} missing ({listed}){allowed}{remedy}."


@dataclass(frozen=True)
class QualityCheck:
    """The outcome of every metric that has a margin. It prints as a table.

    Example:
        >>> baseline = assay.score(["the cat sat on it"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
        >>> new = assay.score(["a cat"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
        >>> assay.check(new, baseline, {"rouge1": 1}).outcome
        'failed'
    """

    comparison: Comparison
    numbers: dict[str, MetricCheck]
    lenient: bool = False
    """Whether inconclusive metrics pass."""
    missing: MissingItems = field(default_factory=MissingItems)
    remarks: tuple[str, ...] = ()
    """What a reader of the verdict must know: identical scores, assumed ranges, items that are too few."""

    @property
    def outcome(self) -> Outcome:
        """The verdict: `failed` if a metric is worse or too many items are missing, else `undecided` or `passed`."""
        outcomes = {each.outcome for each in self.numbers.values()}
        if self.missing.failed or "failed" in outcomes:
            return "failed"
        return "undecided" if "undecided" in outcomes and not self.lenient else "passed"

    @property
    def passed(self) -> bool:
        """Whether every metric passes and no item is missing beyond those allowed."""
        return self.outcome == "passed"

    @property
    def failures(self) -> list[MetricCheck]:
        """The metrics that do not pass."""
        passing = ("passed", "undecided") if self.lenient else ("passed",)
        return [each for each in self.numbers.values() if each.outcome not in passing]

    def conclusion(self) -> str:
        """Return the verdict in a sentence."""
        new, baseline = self.comparison.b.system, self.comparison.a.system
        if self.passed:
            sure = [name for name, each in self.numbers.items() if each.outcome == "passed"]
            unsure = [name for name in self.numbers if name not in sure]
            shown = [f"not worse than {baseline} by the margin or more on {', '.join(sure)}"] if sure else []
            shown += [f"inconclusive, which --lenient accepts, on {', '.join(unsure)}"] if unsure else []
            return f"{new} passes: {'; '.join(shown)}."
        reasons = [f"{each.name}: {each.why}" for each in self.failures]
        reasons += [self.missing.words().removesuffix(".")] if self.missing.failed else []
        verdict = "does not pass" if self.outcome == "failed" else "is inconclusive"
        return f"{new} {verdict}: {'; '.join(reasons)}."

    def notes(self) -> list[str]:
        """Return what every surface prints below the table: verdict, missing items, remarks."""
        missing = [self.missing.words()] if self.missing.ids and not self.missing.failed else []
        return [self.conclusion(), *missing, *self.remarks]

    def table(self) -> Table:
        """Return a table with a row for each metric and the verdict below."""
        headings = ("baseline", "new", "difference [CI]", "margin")
        columns = [Column("", "left"), *map(Column, headings), Column("", "left")]
        rows: list[list[Content]] = []
        for name, each in self.numbers.items():
            part, row = self.comparison.a.parts[name][1], each.row
            low, high = each.bounds or (None, None)
            shown = f"{number(row.difference, part, signed=True)} {interval(low, high, part, signed=True)}".rstrip()
            rows.append([
                row.label, Cell(number(row.a, part), row.a), Cell(number(row.b, part), row.b),
                Cell(shown, row.difference, low, high), Cell(size(row.margin, part), row.margin),
                Cell(OUTCOMES[each.outcome], strong=each.outcome != "passed", remark=each.why),
            ])  # fmt: skip
        base = self.comparison.a
        clusters = f" in {counted(base.units, 'cluster')} by {base.clusters_by}" if base.clusters_by else ""
        caption = f"{self.comparison.b.system} against {base.system} · {base.n:,} items{clusters}"
        return Table(columns, rows, caption, [*self.notes(), HOW])

    def markdown(self) -> str:
        """Return a Markdown summary for a pull request."""
        return f"### Quality check: {VERDICTS[self.outcome]}\n\n{write(self.table(), 'markdown')}\n"

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay check --json` prints."""
        return {
            "passed": self.passed,
            "outcome": VERDICTS[self.outcome],
            "new": self.comparison.b.system,
            "baseline": self.comparison.a.system,
            "n": self.comparison.a.n,
            "clusters": self.comparison.a.units if self.comparison.a.clusters_by else None,
            "test": self.comparison.test,
            "missing": {
                "count": len(self.missing.ids),
                "of": self.missing.total,
                "allowed": self.missing.allowed,
                "ids": list(self.missing.ids),
            },
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
                    "method": each.sequential.get("method", each.row.margin_method),
                    **{key: value for key, value in each.sequential.items() if key != "method"},
                }
                for name, each in self.numbers.items()
            },
            "remarks": list(self.remarks),
            "warnings": self.comparison.warnings,
        }

    def __repr__(self) -> str:
        return write(self.table(), "text")

    def _repr_html_(self) -> str:
        return write(self.table(), "html")
