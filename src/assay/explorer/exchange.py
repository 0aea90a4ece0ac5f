"""Results in the words of others: records of every_eval_ever, and the model index of a Hugging Face model card.

What these have no field for (signatures, labels, subsets, why a number is missing) stands in their fields for further
details, and is read from there again (`foreign/every_eval.py`, `foreign/model_index.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.records.files import to_json
from assay.records.types import Score
from assay.store.lines import Axis, Line
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.explorer.overview import Overview

SCHEMA = "0.2.1"
MANY = 5_000
FACTS = ("subset", "kind", "task", "language", "parent")
"""What a line says of itself besides its dataset."""


def every_eval_records(overview: Overview, when: int) -> list[dict[str, Any]]:
    """One record a system. `when` it is made: seconds since 1970, as the schema has it."""
    records = []
    for system in dict.fromkeys(line.system for line in overview.lines):
        lines = [line for line in overview.lines if line.system == system]
        results = [
            _result(line, overview.axes[name], score)
            for line in lines
            for name, score in line.scores.items()
            if score.value is not None and name in overview.axes
        ]
        missing = [_without(line) for line in lines if not line.scores or any(_missing(line))]
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


def _without(line: Line) -> dict[str, Any]:
    """A line that has numbers without a value, or none at all; the schema has no place for these."""
    facts = {"dataset": line.dataset, "n": line.n} | {fact: getattr(line, fact) for fact in FACTS}
    return facts | {"missing": dict(_missing(line))}


def _missing(line: Line) -> Iterator[tuple[str, str]]:
    return ((name, score.why or "") for name, score in line.scores.items() if score.value is None)


def _result(line: Line, axis: Axis, score: Score) -> dict[str, Any]:
    low, high = axis.part.bounds
    bounded = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    config: dict[str, Any] = {
        "evaluation_description": axis.about,
        "lower_is_better": axis.part.better == "lower",
        **({"score_type": "continuous", "min_score": low, "max_score": high} if bounded else {}),
        "additional_details": {"signature": score.signature, "better": axis.part.better or "neither"},
    }
    details = {fact: value for fact in FACTS if (value := getattr(line, fact)) is not None}
    details |= {key: value for key in ("label", "why") if (value := getattr(score, key))}
    doubt: dict[str, Any] = {} if line.n is None else {"num_samples": line.n}
    if score.low is not None and score.high is not None:
        doubt["confidence_interval"] = {"lower": score.low, "upper": score.high, "confidence_level": 0.95}
    return {
        "evaluation_name": axis.name,
        "source_data": {"dataset_name": line.dataset, "source_type": "other"},
        "metric_config": config,
        "score_details": {"score": score.value, "details": details, **({"uncertainty": doubt} if doubt else {})},
    }


def to_every_eval(overview: Overview) -> bytes:
    """A record for one system, a list of them for several."""
    records = every_eval_records(overview, int(time.time()))
    return (to_json(records[0] if len(records) == 1 else records) + "\n").encode()


def model_index(overview: Overview, systems: Sequence[str] | None = None) -> dict[str, Any]:
    """The front matter of a model card that says what was measured; of all systems, or of some."""
    index = []
    for system in dict.fromkeys(line.system for line in overview.lines):
        if systems is not None and system not in systems:
            continue
        results = [_indexed(line, overview) for line in overview.lines if line.system == system]
        index.append({"name": system, "results": results})
    return {"model-index": index}


def _indexed(line: Line, overview: Overview) -> dict[str, Any]:
    facts = {fact: value for fact in FACTS if (value := getattr(line, fact)) is not None}
    dataset: dict[str, Any] = {"type": line.dataset, "name": line.dataset, "args": facts}
    if line.n is not None:
        dataset["args"] = {**facts, "n": line.n}
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
        for name, score in line.scores.items()
        if score.value is not None and name in overview.axes
    ]  # fmt: skip
    found = {"task": {"type": line.task or "text-generation"}, "dataset": dataset, "metrics": metrics}
    missing = dict(_missing(line))
    return {**found, "without_value": missing} if missing else found


def to_model_index(overview: Overview) -> bytes:
    """As people write it; of very many numbers as JSON, which is YAML too and quicker to read."""
    import yaml

    index = model_index(overview)
    if sum(len(line.scores) for line in overview.lines) > MANY:
        return (to_json(index) + "\n").encode()
    text: str = yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()
