"""The report of an audit: change of each metric, rank reversals, and a verdict per metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypedDict

from assay.challenges.manipulations.base import Effect
from assay.metrics import Part
from assay.results.measurement import Missing
from assay.show.numbers import counted
from assay.show.tables import Table, write_all


@dataclass(frozen=True)
class ScoreChange:
    """One metric of one system with a share of its outputs manipulated."""

    system: str
    manipulation: str
    effect: Effect
    strength: int
    """Percentage of manipulated outputs."""
    metric: str
    before: float | None
    after: float | None
    """Mean over repeats."""
    low: float | None = None
    high: float | None = None
    """Upper end of the 95 % confidence interval, given the score before; both are on the same items."""
    spread: float | None = None
    """Standard deviation over repeats."""
    changed: float = 0.0
    """Share of outputs that changed."""
    fell: bool = False
    """Whether the metric says significantly that the outputs became worse."""
    gained: bool = False
    """Whether it says significantly that they became better, which no manipulation makes them."""
    raised_by_worse: bool = False
    """Whether it says so although the manipulation makes outputs worse."""
    negligible: bool = False
    """Whether the change is shown to be negligible: within a hundredth of the metric's range per changed output."""
    why: str | None = None
    """Why there is no score or no interval."""

    @property
    def change(self) -> float | None:
        """The difference after - before."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class RankReversal:
    """A system that overtakes a better one when its own outputs are manipulated, at the smallest such strength."""

    metric: str
    manipulation: str
    effect: Effect
    strength: int
    system: str
    overtakes: str
    before: float
    after: float
    other: float
    """The score of the overtaken system, whose outputs are unchanged."""
    sure: bool
    """Whether it is then significantly better."""


class ShareRecord(TypedDict):
    """A share with its confidence interval; None without answers."""

    value: float | None
    low: float | None
    high: float | None


class PositionRecord(TypedDict):
    """How often a pairwise judge keeps its choice of one of two systems when their order is swapped."""

    a: str
    b: str
    criterion: str
    n: int
    unread: int
    consistent: ShareRecord
    first_where_not: ShareRecord
    prefers_a: int
    prefers_b: int
    equal: int


@dataclass(frozen=True)
class Verdict:
    """The verdict on a metric, at the greatest strength over all systems."""

    metric: str
    label: str
    direction: Literal["higher", "lower"] | None
    describes: bool
    """Whether the metric has no better direction of its own, so that its usual interpretation is used."""
    noticed: list[str]
    """Degradations that it detects on every system."""
    missed: list[str]
    """Degradations that it misses on some system: the change is shown to be negligible."""
    raised_by: list[str]
    """Degradations that improve it on some system."""
    flattered_by: list[str]
    """Neutral manipulations that improve it."""
    flips: int
    """Number of significant rank reversals of two systems."""
    unclear: list[str] = field(default_factory=list)
    """Degradations of which nothing can be said: the change is neither significant nor shown to be negligible."""

    @property
    def line(self) -> str:
        """Return e.g. `detects 14 of 16 degradations; misses pronoun-swap; improved by pad`."""
        if self.direction is None:
            return "no better direction: not audited"
        of = len(self.noticed) + len(self.missed) + len(self.unclear) + len(self.raised_by)
        clauses = [f"detects {len(self.noticed)} of {counted(of, 'degradation')}"]
        clauses += [f"misses {', '.join(self.missed)}"] if self.missed else []
        clauses += [f"cannot say for {', '.join(self.unclear)}"] if self.unclear else []
        clauses += [f"improved by {', '.join(self.raised_by)}"] if self.raised_by else []
        clauses += [f"improved by neutral {', '.join(self.flattered_by)}"] if self.flattered_by else []
        clauses += [counted(self.flips, "rank reversal")] if self.flips else []
        if self.raised_by:
            clauses.append("do not rank systems by it alone")
        return "; ".join(clauses)

    def to_dict(self) -> dict[str, object]:
        """Return the verdict as JSON."""
        return {**asdict(self), "line": self.line}


@dataclass(frozen=True, repr=False)
class Audit:
    """An audit of metrics. It prints as tables, also in notebooks."""

    rows: list[ScoreChange]
    flips: list[RankReversal]
    verdicts: list[Verdict]
    parts: dict[str, tuple[str, Part]]
    """By name: the display name of a score, and its part of the metric."""
    shown: list[str]
    """Names of the scores that tables show."""
    signatures: dict[str, str]
    repeats: int
    seed: int
    n: int
    skipped: Sequence[Missing] = ()
    failed: Sequence[Missing] = ()
    warnings: list[str] = field(default_factory=list)
    positions: list[PositionRecord] = field(default_factory=list)
    """Position bias of a pairwise judge."""

    @property
    def strengths(self) -> list[int]:
        """The audited strengths, in order."""
        return sorted({row.strength for row in self.rows})

    @property
    def systems(self) -> list[str]:
        """The audited systems."""
        return list(dict.fromkeys(row.system for row in self.rows))

    def of(self, **wanted: Any) -> Iterator[ScoreChange]:
        """Yield the rows with these values: `of(metric="bleu", strength=100)`."""
        return (row for row in self.rows if all(getattr(row, key) == value for key, value in wanted.items()))

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay metric audit --json` prints."""

        def entries(missing: Sequence[Missing]) -> list[dict[str, str]]:
            return [{"metric": each.metric, "why": each.why} for each in missing]

        return {
            "audit": [asdict(row) | {"change": row.change} for row in self.rows],
            "flips": [asdict(flip) for flip in self.flips],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "positions": self.positions,
            "signatures": self.signatures,
            "n": self.n,
            "repeats": self.repeats,
            "seed": self.seed,
            "skipped": entries(self.skipped),
            "failed": entries(self.failed),
            "warnings": self.warnings,
        }

    def tables(self) -> list[Table]:
        """Return the verdicts, changes, rank reversals and position bias as tables."""
        from assay.meta.tables.audit import audit_tables

        return audit_tables(self)

    def __repr__(self) -> str:
        return write_all(self.tables(), "text", None)

    def _repr_html_(self) -> str:
        return write_all(self.tables(), "html", None)


def verdicts(
    rows: Sequence[ScoreChange], flips: Sequence[RankReversal], parts: dict[str, tuple[str, Part]]
) -> list[Verdict]:
    """Return a verdict for each metric, from the greatest strength."""
    top = max((row.strength for row in rows), default=0)
    strongest: dict[str, list[ScoreChange]] = {}
    for row in rows:
        if row.strength == top and row.changed > 0:
            strongest.setdefault(row.metric, []).append(row)
    made = []
    for name, (label, part) in parts.items():
        by: dict[tuple[str, Effect], list[ScoreChange]] = {}
        for row in strongest.get(name, []):
            by.setdefault((row.manipulation, row.effect), []).append(row)
        worse = {key[0]: each for key, each in by.items() if key[1] == "worse"}
        raised = [each for each, of in worse.items() if any(row.gained for row in of)]
        noticed = [each for each, of in worse.items() if all(row.fell for row in of) and each not in raised]
        rest = {each: of for each, of in worse.items() if each not in (*noticed, *raised)}
        missed = [each for each, of in rest.items() if any(row.negligible for row in of)]
        made.append(Verdict(
            metric=name, label=label, direction=part.better or part.taken_for, describes=part.better is None,
            noticed=noticed, raised_by=raised, missed=missed, unclear=[each for each in rest if each not in missed],
            flattered_by=[
                key[0] for key, of in by.items() if key[1] == "no better" and any(row.gained for row in of)
            ],
            flips=len({(flip.system, flip.overtakes) for flip in flips if flip.metric == name and flip.sure}),
        ))  # fmt: skip
    return made
