"""The scores of a system as JSON: what `assay score --json` prints and a manifest stores."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from assay.records.types import Score


class ScoreRecord(TypedDict):
    """One score."""

    value: float | None
    low: float | None
    high: float | None
    signature: str
    label: str
    why: NotRequired[str]
    """Reason if there is no value or no interval."""
    effective_n: NotRequired[float]


class MissingRecord(TypedDict):
    """A metric without scores, and the reason."""

    metric: str
    why: str


class ResultRecord(TypedDict):
    """The scores of one system."""

    n: int
    clusters: int | None
    cluster: str | None
    system: str
    scores: dict[str, ScoreRecord]
    skipped: list[MissingRecord]
    failed: list[MissingRecord]
    warnings: list[str]


def score_record(score: Score, effective_n: float | None) -> ScoreRecord:
    """Return a score as JSON."""
    shown: ScoreRecord = {
        "value": score.value,
        "low": score.low,
        "high": score.high,
        "signature": score.signature,
        "label": score.label,
    }
    if score.why:
        shown["why"] = score.why
    if effective_n is not None:
        shown["effective_n"] = effective_n
    return shown
