"""Results in formats of other tools: every_eval_ever records, and the model index of a Hugging Face model card.

What these have no field for (signatures, labels, subsets, reasons of missing scores) is stored in their fields for
further details, and read from there again (`foreign/every_eval.py`, `foreign/model_index.py`).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.records.documents import JSONObject
from assay.records.files import to_json
from assay.records.types import Score
from assay.store.scored_runs import Axis, ScoredRun
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.explorer.overview import Overview

SCHEMA = "0.2.1"
MANY = 5_000
UNBOUNDED = sys.float_info.max
"""Bound of a score that has none: the schema requires numbers of every score that is not one of named levels."""
FACTS = ("subset", "kind", "task", "language", "parent")
"""Properties of a run other than its dataset."""


def every_eval_records(overview: Overview, when: int) -> list[JSONObject]:
    """Return one record for each system. `when`: time of writing in seconds since 1970."""
    records = []
    for system in dict.fromkeys(run.system for run in overview.runs):
        runs = [run for run in overview.runs if run.system == system]
        results = [
            _result(run, overview.axes[name], score)
            for run in runs
            for name, score in run.scores.items()
            if score.value is not None and name in overview.axes
        ]
        missing = [_without(run) for run in runs if not run.scores or any(_missing(run))]
        records.append(
            {
                "schema_version": SCHEMA,
                "evaluation_id": f"{overview.title}/unknown/{system}/{when}",
                "retrieved_timestamp": str(when),
                "source_metadata": {
                    "source_name": overview.title,
                    "source_type": "evaluation_run",
                    "source_organization_name": "unknown",
                    "evaluator_relationship": "other",
                    "additional_details": {"without_value": to_json(missing, indent=None)},
                },
                "eval_library": {"name": "assay", "version": VERSION},
                "model_info": {"name": system, "id": f"unknown/{system}"},
                "evaluation_results": results,
            }
        )
    return records


def _without(run: ScoredRun) -> JSONObject:
    """Return a run with missing scores, or without scores, for which the schema has no field."""
    facts = {"dataset": run.dataset, "n": run.n} | {fact: getattr(run, fact) for fact in FACTS}
    return facts | {"missing": dict(_missing(run))}


def _missing(run: ScoredRun) -> Iterator[tuple[str, str]]:
    return ((name, score.why or "") for name, score in run.scores.items() if score.value is None)


def _result(run: ScoredRun, axis: Axis, score: Score) -> JSONObject:
    low, high = (bound if bound is not None and math.isfinite(bound) else None for bound in axis.part.bounds)
    config: JSONObject = {
        "evaluation_description": axis.about,
        "lower_is_better": axis.part.better == "lower",
        "score_type": "continuous",
        "min_score": -UNBOUNDED if low is None else low,
        "max_score": UNBOUNDED if high is None else high,
        "additional_details": {"signature": score.signature, "better": axis.part.better or "neither"},
    }
    details = {fact: value for fact in FACTS if (value := getattr(run, fact)) is not None}
    details |= {key: value for key in ("label", "why") if (value := getattr(score, key))}
    doubt: JSONObject = {} if run.n is None else {"num_samples": run.n}
    if score.low is not None and score.high is not None:
        doubt["confidence_interval"] = {"lower": score.low, "upper": score.high, "confidence_level": 0.95}
    return {
        "evaluation_name": axis.name,
        "source_data": {"dataset_name": run.dataset, "source_type": "other"},
        "metric_config": config,
        "score_details": {"score": score.value, "details": details, **({"uncertainty": doubt} if doubt else {})},
    }


def to_every_eval(overview: Overview) -> bytes:
    """Return one record for one system, a list of records for several."""
    records = every_eval_records(overview, int(time.time()))
    return (to_json(records[0] if len(records) == 1 else records) + "\n").encode()


def model_index(overview: Overview, systems: Sequence[str] | None = None) -> JSONObject:
    """Return the model index of all systems, or of some."""
    index = []
    for system in dict.fromkeys(run.system for run in overview.runs):
        if systems is not None and system not in systems:
            continue
        results = [_indexed(run, overview) for run in overview.runs if run.system == system]
        index.append({"name": system, "results": results})
    return {"model-index": index}


def _indexed(run: ScoredRun, overview: Overview) -> JSONObject:
    facts = {fact: value for fact in FACTS if (value := getattr(run, fact)) is not None}
    dataset: JSONObject = {"type": run.dataset, "name": run.dataset, "args": facts}
    if run.n is not None:
        dataset["args"] = {**facts, "n": run.n}
    metrics = [
        {
            "type": name,
            "name": score.label or name,
            "value": score.value,
            "args": {
                key: value
                for key, value in (
                    ("signature", score.signature), ("label", score.label), ("low", score.low), ("high", score.high),
                    ("why", score.why),
                    ("better", overview.axes[name].part.better or "neither"),
                )
                if value not in (None, "")
            },
        }
        for name, score in run.scores.items()
        if score.value is not None and name in overview.axes
    ]  # fmt: skip
    entry = {"task": {"type": run.task or "text-generation"}, "dataset": dataset, "metrics": metrics}
    missing = dict(_missing(run))
    return {**entry, "without_value": missing} if missing else entry


def to_model_index(overview: Overview) -> bytes:
    """Return YAML; for very many scores JSON, which is valid YAML and faster to read."""
    import yaml

    index = model_index(overview)
    if sum(len(run.scores) for run in overview.runs) > MANY:
        return (to_json(index) + "\n").encode()
    text: str = yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()
