"""Payloads of the page about human correlation; those of other pages are in `payloads.py`."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from assay.meta.ranking import Ranked


class Points(Struct, frozen=True, kw_only=True):
    """Points of the scatter plot: human judgements and every metric."""

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
    """Raw correlation, which includes differences between systems, and partial correlation controlled for system."""

    raw: Correlation
    partial: Correlation | None


class Coefficient(Struct, frozen=True, kw_only=True):
    """One coefficient of agreement."""

    value: float | None
    low: float | UnsetType | None = UNSET
    high: float | UnsetType | None = UNSET
    why: str | UnsetType = UNSET


class Profile(Struct, frozen=True, kw_only=True):
    """Summary of one annotator."""

    judgements: int
    mean: float | None
    median_seconds: float | None
    top_value: str | None
    top_share: float | None


class Agreement(Struct, frozen=True, kw_only=True):
    """Inter-annotator agreement."""

    items: int
    annotators: int
    judgements: int
    coefficients: dict[str, Coefficient]
    leave_one_out: dict[str, float | None]
    profiles: dict[str, Profile]
    warnings: list[str]


class ConfusionCell(Struct, frozen=True, kw_only=True):
    """Choices between two classes: their number, and how many are wrong."""

    row: int
    column: int
    n: int
    wrong: int


class Confusion(Struct, frozen=True, kw_only=True):
    """Confusion matrix of one system."""

    system: str
    classes: list[str]
    cells: list[ConfusionCell]


class JudgeBias(Struct, frozen=True, kw_only=True):
    """A bias of a judge with its interval."""

    name: str
    about: str
    value: float
    low: float
    high: float
    significant: bool


class CalibrationStep(Struct, frozen=True, kw_only=True):
    """Mean human value of the outputs to which a judge gave one value."""

    judge: float
    human: float
    n: int


class JudgeOnSystem(Struct, frozen=True, kw_only=True):
    """Agreement of a judge with the human majority on the outputs of one system."""

    system: str
    n: int
    equal: float
    low: float
    high: float
    mean_error: float | None


class JudgePage(Struct, frozen=True, kw_only=True):
    """Validation of a model judge against the annotators of the same outputs."""

    judge: str
    answer: str
    reasons: list[str]
    n: int
    agreement: float | None
    human_agreement: float | None
    winning_rate: float | None
    advantage: float | None
    biases: list[JudgeBias]
    systems: list[JudgeOnSystem]
    calibration: list[CalibrationStep]
    notes: list[str]


class HumanPage(Struct, frozen=True, kw_only=True):
    """Metrics and human judgements on one criterion; without judgements, confusion matrices of forced choices only."""

    dataset: str
    criterion: str = ""
    criteria: list[str] = []
    synthetic: bool = False
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
    judges: list[JudgePage] = []
    warnings: list[str] = []
