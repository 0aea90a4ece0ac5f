"""Records of the every_eval_ever schema: one file a model and manifest, a list of results with directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.documents import parse_json
from assay.records.types import Score
from assay.store.foreign.known import directed, name_of, score_of
from assay.store.scored_runs import Axis, ScoredRun

LIBRARY = "assay"
"""Tools that write further fields into the details of the schema; only theirs are read."""
HIGHER = {"higher": True, "lower": False, "neither": None}


def recognises(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(recognises, value))
    return isinstance(value, Mapping) and "evaluation_results" in value and "model_info" in value


def read(value: Any, name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    """Results on one dataset make one row; the name of the evaluation is that of the metric."""
    axes: dict[str, Axis] = {}
    runs: list[ScoredRun] = []
    facts: dict[str, list[tuple[str, str]]] = {}
    for record in value if isinstance(value, list) else [value]:
        rows = _record(record, name, axes)
        runs += rows[0]
        facts |= rows[1]
    return list(axes.values()), runs, facts


def _record(
    value: Mapping[str, Any], name: str, axes: dict[str, Axis]
) -> tuple[list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    model = value["model_info"]
    system = str(model.get("name") or model.get("id") or name)
    library = value.get("eval_library") or {}
    ours = library.get("name") == LIBRARY
    runs: dict[tuple[str, str], ScoredRun] = {}
    for result in value["evaluation_results"]:
        label = name_of(str(result["evaluation_name"]))
        config = result["metric_config"]
        lower = config.get("lower_is_better")
        stated = (config.get("additional_details") or {}) if ours else {}
        higher = HIGHER.get(str(stated.get("better")), None if lower is None else not lower)
        axes.setdefault(label, directed(label, higher))
        details = result["score_details"]
        doubt = details.get("uncertainty") or {}
        source = result.get("source_data") or {}
        more = (details.get("details") or {}) if ours else {}
        own = _scored_run(system, str(source.get("dataset_name") or name), more, doubt.get("num_samples"))
        run = runs.setdefault((own.dataset, own.subset), own)
        signature = f"{label}|computed by {library.get('name', 'unknown')} {library.get('version', '')}".strip()
        run.scores[label] = _score(details.get("score"), doubt, str(stated.get("signature", signature)), more)
    if ours:
        _add_missing(value, system, runs)
    facts = [("developer", str(model.get("developer") or "")), ("id", str(model.get("id") or ""))]
    return list(runs.values()), {system: facts}


def _scored_run(system: str, dataset: str, more: Mapping[str, str], n: Any) -> ScoredRun:
    return ScoredRun(
        system, dataset, n=n, subset=more.get("subset", ""), kind=more.get("kind", "whole"), task=more.get("task", ""),
        language=more.get("language", ""), parent=more.get("parent"),
    )  # fmt: skip


def _score(number: Any, doubt: Mapping[str, Any], signature: str, more: Mapping[str, str]) -> Score:
    """Return the stated confidence interval, or that of the standard error."""
    stated = doubt.get("confidence_interval") or {}
    score = score_of(number, (doubt.get("standard_error") or {}).get("value"), signature)
    ends = (score.low, score.high)
    if score.value is not None and "lower" in stated and "upper" in stated:
        ends = float(stated["lower"]), float(stated["upper"])
    why = score.why or more.get("why")
    return Score(
        value=score.value, low=ends[0], high=ends[1], signature=signature, why=why, label=more.get("label", "")
    )


def _add_missing(value: Mapping[str, Any], system: str, runs: dict[tuple[str, str], ScoredRun]) -> None:
    """Return metrics without a value, which the schema cannot express, with the reason."""
    details = (value.get("source_metadata") or {}).get("additional_details") or {}
    for stated in parse_json(details.get("without_value", "[]"), "without_value"):
        own = _scored_run(system, str(stated["dataset"]), stated, stated.get("n"))
        run = runs.setdefault((own.dataset, own.subset), own)
        for name, why in stated["missing"].items():
            run.scores[name] = Score(value=None, why=why)
