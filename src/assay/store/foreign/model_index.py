"""The model index of Hugging Face model cards: results of one or several models in YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.types import Score
from assay.store.foreign.known import directed, name_of, score_of
from assay.store.scored_runs import Axis, ScoredRun

KEY = "model-index"
HIGHER = {"higher": True, "lower": False}
DEFAULT_TASK = "text-generation"


def recognises(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(KEY), list)


def read(value: Mapping[str, Any], name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    """Return one row per model and dataset; the type of a metric is its name."""
    axes: dict[str, Axis] = {}
    runs: dict[tuple[str, ...], ScoredRun] = {}
    for model in value[KEY]:
        system = str(model.get("name") or name)
        for result in model.get("results") or ():
            run = _scored_run(system, result, name)
            row = runs.setdefault((system, run.dataset, run.subset), run)
            for metric in result.get("metrics") or ():
                label = name_of(str(metric["type"]))
                args = _args(metric)
                axes.setdefault(label, directed(label, HIGHER.get(str(args.get("better")))))
                row.scores[label] = _score(metric, args, label)
            for label, why in (result.get("without_value") or {}).items():
                row.scores[str(label)] = Score(value=None, why=str(why))
    return list(axes.values()), list(runs.values()), {}


def _args(of: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options by name; some cards have text instead."""
    args = of.get("args")
    return args if isinstance(args, Mapping) else {}


def _scored_run(system: str, result: Mapping[str, Any], name: str) -> ScoredRun:
    dataset = result.get("dataset") or {}
    args = _args(dataset)
    task = str((result.get("task") or {}).get("type") or "")
    return ScoredRun(
        system,
        str(dataset.get("name") or dataset.get("type") or name),
        subset=str(args.get("subset", dataset.get("split") or "")),
        kind=str(args.get("kind", "whole")),
        task=str(args.get("task", "" if task == DEFAULT_TASK else task)),
        language=str(args.get("language", "")),
        n=args.get("n"),
        parent=None if args.get("parent") is None else str(args["parent"]),
    )


def _score(metric: Mapping[str, Any], args: Mapping[str, Any], label: str) -> Score:
    signature = str(args.get("signature") or f"{label}|as a model card states it")
    score = score_of(metric.get("value"), None, signature)
    ends = [float(end) if isinstance(end := args.get(name), int | float) else None for name in ("low", "high")]
    return Score(
        value=score.value, low=ends[0], high=ends[1], signature=signature, label=str(args.get("label") or ""),
        why=score.why or args.get("why"),
    )  # fmt: skip
