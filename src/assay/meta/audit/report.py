"""What an audit found: how far each number moved, what raised it, which ranking it turned over, and a line a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from assay.challenges.manipulations.base import Effect
from assay.metrics import Part
from assay.results.measurement import Missing
from assay.show.tables import Table, write_all


@dataclass(frozen=True)
class Moved:
    """One number of one system, of whose outputs a share was manipulated."""

    system: str
    manipulation: str
    effect: Effect
    strength: int
    """In percent of the outputs."""
    metric: str
    before: float | None
    after: float | None
    """The mean of all repeats."""
    low: float | None = None
    high: float | None = None
    """Between which values it lies with 95 % confidence, given the value before: both are of the same items."""
    spread: float | None = None
    """The standard deviation of the repeats."""
    changed: float = 0.0
    """The share of outputs that did change."""
    fell: bool = False
    """Whether it says beyond chance that the outputs became worse."""
    gained: bool = False
    """Whether it says beyond chance that they became better, which no manipulation makes them."""
    raised_by_worse: bool = False
    """Whether it says so although they surely became worse."""
    why: str | None = None

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class Flip:
    """A system that gets past a better one when its own outputs are manipulated: the least strength that does it."""

    metric: str
    manipulation: str
    effect: Effect
    strength: int
    system: str
    overtakes: str
    before: float
    after: float
    other: float
    """The value of the one that is overtaken, whose outputs stay as they are."""
    sure: bool
    """Whether it is better beyond chance then, and not by a hair."""


@dataclass(frozen=True)
class Verdict:
    """What may be said of a number after the audit, at the greatest strength, over all systems."""

    metric: str
    label: str
    direction: Literal["higher", "lower"] | None
    describes: bool
    """Whether it only describes, so that the direction is one that people read into it."""
    noticed: list[str]
    """Manipulations for the worse that it says so of, on every system."""
    missed: list[str]
    """Those it does not, on some system."""
    raised_by: list[str]
    """Those that raise it, on some system."""
    flattered_by: list[str]
    """Those that do not make texts better, nor surely worse, and raise it."""
    flips: int
    """Rankings of two systems that can be turned over beyond chance."""

    @property
    def line(self) -> str:
        """`notices 14 of 16 changes for the worse; misses pronoun-swap; called better after pad`."""
        if self.direction is None:
            return "describes and points nowhere: it cannot be raised"
        of = len(self.noticed) + len(self.missed) + len(self.raised_by)
        said = [f"notices {len(self.noticed)} of {of} changes for the worse"]
        said += [f"misses {', '.join(self.missed)}"] if self.missed else []
        said += [f"called better after {', '.join(self.raised_by)}"] if self.raised_by else []
        said += [f"flattered by {', '.join(self.flattered_by)}"] if self.flattered_by else []
        said += [f"{self.flips} ranking{'s' if self.flips > 1 else ''} turned over"] if self.flips else []
        if self.raised_by:
            said.append("do not rank or choose by it alone")
        return "; ".join(said)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "line": self.line}


@dataclass(frozen=True, repr=False)
class Audit:
    """It prints as its tables, in a notebook too; `to_dict` is what `assay metric audit --json` prints."""

    rows: list[Moved]
    flips: list[Flip]
    verdicts: list[Verdict]
    parts: dict[str, tuple[str, Part]]
    """By name: what a number is called where it is printed, and how to show it."""
    shown: list[str]
    """Numbers that tables show."""
    signatures: dict[str, str]
    repeats: int
    seed: int
    n: int
    skipped: Sequence[Missing] = ()
    failed: Sequence[Missing] = ()
    warnings: list[str] = field(default_factory=list)
    positions: list[dict[str, Any]] = field(default_factory=list)
    """What a judge of pairs does when the two texts change places."""

    @property
    def strengths(self) -> list[int]:
        return sorted({row.strength for row in self.rows})

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(row.system for row in self.rows))

    def of(self, **wanted: Any) -> Iterator[Moved]:
        """The rows with these fields: `of(metric="bleu", strength=100)`."""
        return (row for row in self.rows if all(getattr(row, key) == value for key, value in wanted.items()))

    def to_dict(self) -> dict[str, Any]:
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
        from assay.meta.tables.audit import audit_tables

        return audit_tables(self)

    def __repr__(self) -> str:
        return write_all(self.tables(), "text", None)

    def _repr_html_(self) -> str:
        return write_all(self.tables(), "html", None)


def verdicts(rows: Sequence[Moved], flips: Sequence[Flip], parts: dict[str, tuple[str, Part]]) -> list[Verdict]:
    """A verdict a number, from the greatest strength."""
    top = max((row.strength for row in rows), default=0)
    strongest: dict[str, list[Moved]] = {}
    for row in rows:
        if row.strength == top and row.changed > 0:
            strongest.setdefault(row.metric, []).append(row)
    found = []
    for name, (label, part) in parts.items():
        by: dict[tuple[str, Effect], list[Moved]] = {}
        for row in strongest.get(name, []):
            by.setdefault((row.manipulation, row.effect), []).append(row)
        worse = {key[0]: each for key, each in by.items() if key[1] == "worse"}
        raised = [each for each, of in worse.items() if any(row.gained for row in of)]
        noticed = [each for each, of in worse.items() if all(row.fell for row in of)]
        found.append(Verdict(
            metric=name, label=label, direction=part.better or part.taken_for, describes=part.better is None,
            noticed=noticed, raised_by=raised, missed=[each for each in worse if each not in (*noticed, *raised)],
            flattered_by=[
                key[0] for key, of in by.items() if key[1] == "no better" and any(row.gained for row in of)
            ],
            flips=len({(flip.system, flip.overtakes) for flip in flips if flip.metric == name and flip.sure}),
        ))  # fmt: skip
    return found
