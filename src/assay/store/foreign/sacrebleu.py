"""Output of `sacrebleu -f json`: one score, a list of scores, or systems with scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.types import Score
from assay.store.foreign.known import axis_of
from assay.store.scored_runs import Axis, ScoredRun

NAMES = {"BLEU": "bleu", "chrF2": "chrf", "chrF2++": "chrf++", "TER": "ter"}


def recognises(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, Mapping):
        return False
    return {"name", "score", "signature"} <= first.keys() or ("system" in first and bool(NAMES.keys() & first.keys()))


def read(value: Any, name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    """Several systems have names; a single one is named by its file."""
    entries = value if isinstance(value, list) else [value]
    if "system" in entries[0]:
        runs = [
            ScoredRun(str(entry["system"]).removeprefix("Baseline: "), name, scores=_several(entry))
            for entry in entries
        ]
    else:
        scores = {NAMES.get(entry["name"], entry["name"]): _score(entry) for entry in entries}
        runs = [ScoredRun(name, "sacrebleu", scores=scores)]
    axes = [axis_of(metric) for metric in dict.fromkeys(metric for run in runs for metric in run.scores)]
    return axes, runs, {}


def _score(entry: Mapping[str, Any]) -> Score:
    signature = f"{entry['name']}|{entry['signature']}"
    mean, half = entry.get("confidence_mean"), entry.get("confidence_var")
    if mean is None or half is None:
        return Score(value=float(entry["score"]), signature=signature)
    low, high = float(mean) - float(half), float(mean) + float(half)
    return Score(value=float(entry["score"]), low=low, high=high, signature=signature)


def _several(entry: Mapping[str, Any]) -> dict[str, Score]:
    """Parse a metric: an object (score, p_value, mean, ci) or, without tests, the score as text."""
    scores = {}
    for name, cell in entry.items():
        if name == "system":
            continue
        metric = NAMES.get(name, name)
        if isinstance(cell, Mapping):
            mean, half = cell.get("mean"), cell.get("ci")
            ends = (mean - half, mean + half) if mean is not None and half is not None else (None, None)
            scores[metric] = Score(
                value=float(cell["score"]),
                low=ends[0],
                high=ends[1],
                signature=f"{name}|computed by sacrebleu",
            )
        else:
            scores[metric] = Score(value=float(cell), signature=f"{name}|computed by sacrebleu")
    return scores
