"""What the page about metrics and people reads, exactly; the other pages' structs stand in `payloads.py`."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from assay.meta.ranking import Ranked


class Points(Struct, frozen=True, kw_only=True):
    """Judged texts as dots: what people said against every metric."""

    id: list[str]
    system: list[str]
    human: list[float]
    values: dict[str, list[float | None]]


class Correlation(Struct, frozen=True, kw_only=True):
    """A coefficient with its interval, or the reason why there is none."""

    r: float | None
    p: float | None
    n: int | UnsetType = UNSET
    low: float | UnsetType | None = UNSET
    high: float | UnsetType | None = UNSET
    raw: float | UnsetType | None = UNSET
    why: str | UnsetType = UNSET


class RawAndPartial(Struct, frozen=True, kw_only=True):
    """Raw correlation tells systems apart too; the partial one holds the system constant."""

    raw: Correlation
    partial: Correlation | None


class Coefficient(Struct, frozen=True, kw_only=True):
    """One coefficient of agreement."""

    value: float | None
    low: float | UnsetType | None = UNSET
    high: float | UnsetType | None = UNSET
    why: str | UnsetType = UNSET


class Profile(Struct, frozen=True, kw_only=True):
    """What one annotator did."""

    judgements: int
    mean: float | None
    median_seconds: float | None
    top_value: str | None
    top_share: float | None


class Agreement(Struct, frozen=True, kw_only=True):
    """Whether those who judged agreed."""

    items: int
    annotators: int
    judgements: int
    coefficients: dict[str, Coefficient]
    leave_one_out: dict[str, float | None]
    profiles: dict[str, Profile]
    warnings: list[str]


class ConfusionCell(Struct, frozen=True, kw_only=True):
    """Choices between one class and another: how many, and how many of them wrong."""

    row: int
    column: int
    n: int
    wrong: int


class Confusion(Struct, frozen=True, kw_only=True):
    """Which classes one system mistakes for which."""

    system: str
    classes: list[str]
    cells: list[ConfusionCell]


class PeoplePage(Struct, frozen=True, kw_only=True):
    """Metrics against what people said on one criterion. Where nobody judged, forced choices may still be shown."""

    dataset: str
    criterion: str = ""
    criteria: list[str] = []
    made_up: bool = False
    n: int = 0
    metrics: list[str] = []
    points: Points = Points(id=[], system=[], human=[], values={})
    correlations: dict[str, RawAndPartial] = {}
    williams: dict[str, dict[str, float | None]] = {}
    between: dict[str, dict[str, float]] = {}
    ablation: dict[str, dict[str, float | None]] = {}
    ranked: list[Ranked] = []
    agreement: Agreement | None = None
    confusions: list[Confusion] = []
    warnings: list[str] = []
