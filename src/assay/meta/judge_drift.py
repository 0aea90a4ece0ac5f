"""Drift of a judge: a validation against a stored one, with the same annotators' labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.meta.judge_validation import JudgeValidation
from assay.records.documents import read_json


def read_validation(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the judges of a stored `assay judge validate --json`.

    Raises:
        AssayError: the file is no validation.
    """
    stored = read_json(path)
    judges = stored.get("judges") if isinstance(stored, dict) else None
    if not isinstance(judges, dict) or not all(
        isinstance(each, dict) and "verdict" in each for each in judges.values()
    ):
        raise AssayError(f"{path}: not a validation; store one with `assay judge validate FILES --json > {path.name}`")
    return judges


def drift(now: JudgeValidation, before: Mapping[str, Any] | None) -> list[str]:
    """Return what changed since a stored validation, in words; empty if nothing did."""
    if before is None:
        return [f"{now.judge}: not in the stored validation"]
    changes = []
    if before["verdict"] != now.answer:
        changes.append(f"{now.judge}: the verdict was {before['verdict']} and is {now.answer}")
    biases = before.get("biases")
    stored: dict[str, Any] = biases if isinstance(biases, dict) else {}
    for bias in now.biases:
        old = stored.get(bias.name) or {}
        low, high = old.get("low"), old.get("high")
        if isinstance(low, int | float) and isinstance(high, int | float) and (bias.low > high or bias.high < low):
            changes.append(
                f"{now.judge}: {bias.name} was {old['value']:+.2f} ({low:.2f} to {high:.2f}) and is {bias.value:+.2f} "
                f"({bias.low:.2f} to {bias.high:.2f})"
            )
        elif bias.significant and not old.get("significant", False):
            changes.append(f"{now.judge}: {bias.name} {bias.value:+.2f} is new")
    old_agreement, interval = before.get("agreement"), now.difference
    if isinstance(old_agreement, int | float) and now.agreement is not None and interval is not None:
        spread = (interval[1] - interval[0]) / 2
        if now.agreement < old_agreement - spread:
            changes.append(f"{now.judge}: agreement fell from {old_agreement:.2f} to {now.agreement:.2f}")
    return changes
