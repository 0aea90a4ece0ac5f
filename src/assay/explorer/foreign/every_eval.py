"""Records of the every_eval_ever schema: one file a model and benchmark, a list of results with directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.explorer.foreign.known import directed, name_of, score_of
from assay.explorer.lines import Axis, Line
from assay.records.types import Score


def recognises(value: Any) -> bool:
    return isinstance(value, Mapping) and "evaluation_results" in value and "model_info" in value


def read(value: Mapping[str, Any], name: str) -> tuple[list[Axis], list[Line], dict[str, list[tuple[str, str]]]]:
    """Results on one dataset make one line; the evaluation's name is the number's name."""
    model = value["model_info"]
    system = str(model.get("name") or model.get("id") or name)
    library = value.get("eval_library") or {}
    axes: dict[str, Axis] = {}
    lines: dict[str, Line] = {}
    for result in value["evaluation_results"]:
        label = name_of(str(result["evaluation_name"]))
        lower = result["metric_config"].get("lower_is_better")
        axes.setdefault(label, directed(label, None if lower is None else not lower))
        details = result["score_details"]
        doubt = details.get("uncertainty") or {}
        source = result.get("source_data") or {}
        dataset = str(source.get("dataset_name") or name)
        line = lines.setdefault(dataset, Line(system, dataset, n=doubt.get("num_samples")))
        signature = f"{label}|computed by {library.get('name', 'unknown')} {library.get('version', '')}".strip()
        line.scores[label] = _score(details.get("score"), doubt, signature)
    facts = [("developer", str(model.get("developer") or "")), ("id", str(model.get("id") or ""))]
    return list(axes.values()), list(lines.values()), {system: facts}


def _score(number: Any, doubt: Mapping[str, Any], signature: str) -> Score:
    """A stated interval if there is one, else the one of the standard error."""
    stated = doubt.get("confidence_interval") or {}
    score = score_of(number, (doubt.get("standard_error") or {}).get("value"), signature)
    if score.value is not None and "lower" in stated and "upper" in stated:
        return Score(value=score.value, low=float(stated["lower"]), high=float(stated["upper"]), signature=signature)
    return score
