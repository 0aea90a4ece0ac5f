"""A gate for quality: whether a new system is shown not to be worse than a baseline by a margin or more."""

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
PASSED: dict[Outcome, str] = {"passed": "not worse", "failed": "worse", "undecided": "cannot be ruled out"}
HOW = (
    "A number passes when the worse end of its 90 % interval, which is a one-sided test at .05, lies within the "
    "margin; all numbers must pass, so nothing is corrected for their count."
)


@dataclass(frozen=True)
class Gated:
    """One number of the new system and the baseline; the difference is new - baseline."""

    name: str
    row: Compared
    outcome: Outcome
    why: str
    """In a sentence, for whoever reads why a build has failed."""
    bounds: tuple[float, float] | None


@dataclass(frozen=True)
class QualityCheck:
    """Every number that has a margin. It prints as its table; `passed` says whether the new system may go on.

    >>> baseline = assay.score(["the cat sat on it"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
    >>> new = assay.score(["a cat"] * 12, ["the cat sat on it"] * 12, metrics="rouge1")
    >>> assay.check(new, baseline, {"rouge1": 0.01}).passed
    False
    """

    comparison: Comparison
    numbers: dict[str, Gated]
    lenient: bool = False
    """Whether what is undecided passes."""

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def failures(self) -> list[Gated]:
        let_pass = ("passed", "undecided") if self.lenient else ("passed",)
        return [each for each in self.numbers.values() if each.outcome not in let_pass]

    def conclusion(self) -> str:
        """The answer in a sentence."""
        new, baseline = self.comparison.b.system, self.comparison.a.system
        if self.passed:
            return f"{new} passes: not worse than {baseline} beyond the margin on {', '.join(self.numbers)}."
        return f"{new} does not pass: " + "; ".join(f"{each.name}: {each.why}" for each in self.failures) + "."

    def table(self) -> Table:
        """Number by number, and the answer below."""
        columns = [Column("", "left"), Column("baseline"), Column("new"), Column("difference (90 %)"), Column("margin"),
                   Column("", "left")]  # fmt: skip
        rows: list[list[Content]] = []
        for name, each in self.numbers.items():
            part, row = self.comparison.a.parts[name][1], each.row
            low, high = each.bounds or (None, None)
            gap = f"{number(row.difference, part, signed=True)} {interval(low, high, part, signed=True)}".rstrip()
            rows.append([
                row.label, Cell(number(row.a, part), row.a), Cell(number(row.b, part), row.b),
                Cell(gap, row.difference, low, high), Cell(number(row.margin, part), row.margin),
                Cell(PASSED[each.outcome], strong=each.outcome != "passed", remark=each.why),
            ])  # fmt: skip
        caption = f"{self.comparison.b.system} against {self.comparison.a.system} · {self.comparison.a.n:,} items"
        return Table(columns, rows, caption, [self.conclusion(), HOW])

    def markdown(self) -> str:
        """A summary that a pull request can show."""
        return f"### Quality check: {'passed' if self.passed else 'failed'}\n\n{write(self.table(), 'markdown')}\n"

    def to_dict(self) -> dict[str, Any]:
        """As `assay check --json` prints it."""
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
    """Whether `new` is shown not to be worse than `baseline` by the `margin` or more, number by number.

    Both are results of `assay.score` or `assay.load_run`; `margin` is by name, on the scale of the values
    (`{"rouge1": 0.01, "chrf": 0.5}`). `samples`, `seed` and `cluster` are as in `assay.compare`. A loss that cannot be
    ruled out does not pass either, unless `lenient`. `assay.assert_not_worse` is the same for a test suite.

    >>> texts = ["the cat sat on it", "a dog ran"] * 10
    >>> baseline = assay.score(texts, texts, metrics="rouge1,chrf")
    >>> assay.check(baseline, baseline, {"rouge1": 0.01, "chrf": 0.5}).passed
    True
    """
    if not margin:
        raise AssayError("check: name one number or more with its margin, {'chrf': 0.5}")
    for name in margin:
        for result in (new, baseline):
            if name not in result.parts:
                known = ", ".join(result.shown)
                raise AssayError(f"margin of {name}: {result.system} has no such number; there are {known}")
        if baseline.parts[name][1].better is None:
            raise AssayError(f"margin of {name}: it only describes, so nobody can be worse; name another number")
    kept = [_only(result, margin) for result in (baseline, new)]
    comparison = compare(*kept, samples=samples, seed=seed, cluster=cluster, margin=margin)
    apart = dict(_apart(comparison, margin))
    numbers = {name: _gated(comparison, name, apart.get(name)) for name in margin}
    return QualityCheck(comparison, numbers, lenient)


def assert_not_worse(
    new: Result, baseline: Result, margin: Mapping[str, float], *, seed: int = 0, lenient: bool = False
) -> None:
    """For a test suite: an AssertionError with the table where `assay.check` does not pass.

    `new`, `baseline`, `margin`, `seed` and `lenient` are as in `assay.check`.

    >>> texts = ["the cat sat on it", "a dog ran"] * 10
    >>> baseline = assay.score(texts, texts, metrics="chrf")
    >>> assay.assert_not_worse(baseline, baseline, {"chrf": 0.5})
    """
    checked = check(new, baseline, margin, seed=seed, lenient=lenient)
    if not checked.passed:
        raise AssertionError(f"quality fell\n{checked!r}")


def _only(result: Result, margin: Mapping[str, float]) -> Result:
    """Without metrics that nobody asks about: they would take time."""
    wanted = {id(result.parts[name][0]) for name in margin}
    return replace(result, measurements=tuple(each for each in result.measurements if id(each) in wanted))


def _apart(comparison: Comparison, names: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """What cannot be compared. Another version of a package is no other choice: it is what a check is to catch."""
    a, b = comparison.a, comparison.b
    first, second = a.signatures_here, b.signatures_here
    for name, why in not_comparable(a, b, names).items():
        mine, theirs = first[id(a.parts[name][0])], second[id(b.parts[name][0])]
        if why != SIGNATURES or not (same_choices(mine, theirs) and same_choices(theirs, mine)):
            yield name, why


def _gated(comparison: Comparison, name: str, apart: str | None) -> Gated:
    row, part = comparison[name], comparison.a.parts[name][1]
    margin = row.margin or 0.0
    bounds = row.bounds or _by_t(comparison, name)
    if apart or row.difference is None:
        return Gated(name, row, "failed", f"it cannot be compared ({apart or row.why or 'no value'})", bounds)
    shown = number(margin, part)
    if bounds is None:
        return Gated(name, row, "undecided", f"a loss of {shown} cannot be ruled out ({row.why})", None)
    worst, mildest = (-bounds[0], -bounds[1]) if part.better == "higher" else (bounds[1], bounds[0])
    if worst < margin:
        return Gated(name, row, "passed", f"not worse by {shown} or more", bounds)
    lost = number(abs(row.difference), part)
    if mildest >= margin:
        return Gated(name, row, "failed", f"fell by {lost}, and surely by {shown} or more", bounds)
    fell = f"fell by {lost}" if (row.difference < 0) == (part.better == "higher") and row.difference else "did not fall"
    return Gated(name, row, "undecided", f"{fell}, but a loss of {shown} cannot be ruled out", bounds)


def _by_t(comparison: Comparison, name: str) -> tuple[float, float] | None:
    """Where hardly any item has changed there is no bootstrap: Student's t of what the items contribute."""
    a, b = comparison.a, comparison.b
    row = comparison[name]
    if name not in a.contributions or name not in b.contributions or row.difference is None:
        return None
    apart = b.contributions[name] - a.contributions[name]
    if too_few(a.units, a.parts[name][0].metric.fewest):
        return None
    reach = t_quantile(1 - LEVEL, len(apart) - 1) * float(apart.std(ddof=1)) / sqrt(len(apart))
    return row.difference - reach, row.difference + reach
