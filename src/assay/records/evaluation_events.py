"""Scores of items as OpenTelemetry events (`gen_ai.evaluation.result`), in the OTLP/JSON of log records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.records.files import replacing, to_json
from assay.version import VERSION

ENDING = ".otlp.json"
"""Ending of such files."""
EVENT = "gen_ai.evaluation.result"
INFO = 9
"""Severity number of OpenTelemetry."""
TRACE = re.compile(r"[0-9a-f]{32}")


class Evaluation(NamedTuple):
    """One score of one item; `label` and `explanation` where a checker gives them."""

    id: str
    system: str
    name: str
    value: float | None
    label: str = ""
    explanation: str = ""
    details: Mapping[str, int] = {}


def of_rows(rows: Iterable[Mapping[str, Any]]) -> list[Evaluation]:
    """Return the scores of items, one row per item; missing values are left out."""
    return [
        Evaluation(str(row["id"]), str(row["system"]), name, float(value))
        for row in rows
        for name, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in ("id", "system")
    ]


def of_sentences(records: Iterable[Mapping[str, Any]]) -> list[Evaluation]:
    """Return the verdicts of sentences, from the records of `assay support`."""
    return [
        Evaluation(
            row["id"], row["system"], "support", row["probability"], row["verdict"], row["reason"],
            {"assay.sentence.start": row["start"], "assay.sentence.end": row["end"]},
        )
        for row in records
    ]  # fmt: skip


def write_events(path: Path, events: Iterable[Evaluation], when: int) -> None:
    """Write one `resourceLogs` object. `when`: time of the evaluation in nanoseconds since 1970."""
    scope = {"name": "assay", "version": VERSION}
    logs = {"scopeLogs": [{"scope": scope, "logRecords": [_record(event, when) for event in events]}]}
    service = {"attributes": [_attribute("service.name", "assay")]}
    with replacing(path, "w") as stream:
        stream.write(to_json({"resourceLogs": [{"resource": service, **logs}]}, indent=None) + "\n")


def _record(event: Evaluation, when: int) -> dict[str, Any]:
    """Return a log record. An item that was read from a trace keeps its trace id, others are named by response."""
    is_trace = TRACE.fullmatch(event.id) is not None
    attributes = {
        "gen_ai.evaluation.name": event.name, "gen_ai.evaluation.score.value": event.value,
        "gen_ai.evaluation.score.label": event.label, "gen_ai.evaluation.explanation": event.explanation,
        "gen_ai.response.id": "" if is_trace else event.id, "gen_ai.response.model": event.system, **event.details,
    }  # fmt: skip
    return {
        "timeUnixNano": str(when), "observedTimeUnixNano": str(when), "severityNumber": INFO, "eventName": EVENT,
        "attributes": [_attribute(name, value) for name, value in attributes.items() if value not in (None, "")],
        **({"traceId": event.id} if is_trace else {}),
    }  # fmt: skip


def _attribute(name: str, value: str | float) -> dict[str, Any]:
    kind = {str: "stringValue", int: "intValue"}.get(type(value), "doubleValue")
    return {"key": name, "value": {kind: str(value) if kind == "intValue" else value}}
