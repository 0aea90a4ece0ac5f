"""Results of the lm-evaluation-harness: `results_*.json`, one key per task, metrics named `acc,none`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.store.foreign.known import directed, name_of, score_of
from assay.store.scored_runs import Axis, ScoredRun


def recognises(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("results"), Mapping) and "configs" in value


def read(value: Mapping[str, Any], name: str) -> tuple[list[Axis], list[ScoredRun], dict[str, list[tuple[str, str]]]]:
    config = value.get("config") or {}
    system = str(value.get("model_name") or config.get("model_args") or config.get("model") or name)
    axes: dict[str, Axis] = {}
    runs = []
    for task, cells in value["results"].items():
        better = (value.get("higher_is_better") or {}).get(task) or {}
        scores = {}
        for key, number in cells.items():
            metric, _, way = key.partition(",")
            if metric in ("alias", "name") or metric.endswith("_stderr"):
                continue
            label = name_of(metric) if way in ("", "none") else f"{name_of(metric)}:{way}"
            axes.setdefault(label, directed(label, better.get(metric)))
            scores[label] = score_of(number, cells.get(f"{metric}_stderr,{way}"), f"{key}|{_how(value, task)}")
        counted = (value.get("n-samples") or {}).get(task) or {}
        runs.append(
            ScoredRun(system, task, task=str(value.get("group") or ""), n=counted.get("effective"), scores=scores)
        )
    facts = [
        (label, str(config[key])) for label, key in (("model", "model"), ("arguments", "model_args")) if config.get(key)
    ]
    return list(axes.values()), runs, {system: facts}


def _how(value: Mapping[str, Any], task: str) -> str:
    version = (value.get("versions") or {}).get(task, "?")
    shots = (value.get("n-shot") or {}).get(task, "?")
    return f"task version:{version}|shots:{shots}|computed by lm-evaluation-harness"
