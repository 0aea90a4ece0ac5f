"""Traces of MLflow: `Trace.to_json`, or the table of `mlflow.search_traces` as JSON lines, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.tools.common import (
    Fields,
    Found,
    Source,
    answer_text,
    contexts,
    numbers,
    parsed,
    printed,
    prompt_of,
    texts,
)

TRUTHS = ("expected_response", "expected_answer", "ground_truth", "expected_output")
"""Names of expectations that are correct answers."""


def is_row(row: Mapping[str, Any]) -> bool:
    whole = isinstance(row.get("info"), Mapping) and isinstance(row.get("data"), Mapping)
    return whole or ({"request", "response"} <= row.keys() and bool({"trace_id", "request_id", "trace"} & row.keys()))


def read(source: Source) -> Found:
    items: list[tuple[Fields | None, int]] = []
    left: dict[str, None] = {}
    for i, row in enumerate(source.rows):
        fields = _item(row, left)
        if fields.get("output") is None and source.texts:
            source.failed(i, "has no response")
            items.append((None, i))
            continue
        items.append((fields, i))
    notes = ["metadata, tags and times of traces are not used"]
    if left:
        notes.insert(0, f"expectations that are not used: {', '.join(list(left)[:8])}")
    return Found(items, tuple(notes))


def _item(row: Fields, left: dict[str, None]) -> Fields:
    row = _whole(row)
    info = row.get("info") if isinstance(row.get("info"), Mapping) else row
    data = row.get("data") if isinstance(row.get("data"), Mapping) else row
    assert isinstance(info, Mapping)
    assert isinstance(data, Mapping)
    spans = [_attributes(span) for span in _listed(data.get("spans"))]
    root = next((span for span in spans if span["root"]), {})
    metadata = info.get("trace_metadata") or info.get("request_metadata") or {}
    request = root.get("inputs", data.get("request", metadata.get("mlflow.traceInputs")))
    response = root.get("outputs", data.get("response", metadata.get("mlflow.traceOutputs")))
    fields: Fields = {"id": str(info.get("trace_id") or info.get("request_id")), "output": answer_text(response)}
    fields |= prompt_of(request)
    passages = [one for span in spans if span["type"] == "RETRIEVER" for one in contexts(span.get("outputs") or [])]
    if passages:
        fields["contexts"] = passages
    if session := metadata.get("mlflow.trace.session"):
        fields["session_id"] = str(session)
    return fields | _assessments(info.get("assessments"), left)


def _whole(row: Fields) -> Fields:
    """Return the trace of a row of the table, which has it as JSON; without it, fields that a CSV has as text."""
    trace = parsed(row.get("trace"))
    if isinstance(trace, Mapping) and isinstance(trace.get("info"), Mapping):
        return dict(trace)
    cells = ("request", "response", "spans", "assessments", "trace_metadata", "request_metadata")
    return row | {name: printed(row[name]) for name in cells if name in row}


def _listed(value: Any) -> list[Any]:
    entries = parsed(value)
    return [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []


def _attributes(span: Mapping[str, Any]) -> Fields:
    """Return type, inputs and outputs of a span; its attributes are JSON texts."""
    attributes = span.get("attributes") or {}
    parent = span.get("parent_span_id", span.get("parent_id"))
    return {
        "root": not parent,
        "type": "",
        **{
            name: _decoded(attributes[key])
            for name, key in (("type", "mlflow.spanType"), ("inputs", "mlflow.spanInputs"),
                              ("outputs", "mlflow.spanOutputs"))
            if key in attributes
        },
    }  # fmt: skip


def _decoded(value: Any) -> Any:
    """Return the value of an attribute, all of which MLflow writes as JSON: `null` is no answer."""
    return None if value == "null" else parsed(value)


def _expected(expectation: Mapping[str, Any]) -> Any:
    """Return the value of an expectation; one that is no text or number is written as JSON."""
    written = expectation.get("serialized_value")
    return parsed(written.get("value")) if isinstance(written, Mapping) else expectation.get("value")


def _assessments(value: Any, left: dict[str, None]) -> Fields:
    """Return numeric feedback as scores and expected responses as references; add other expectations to `left`."""
    fields: Fields = {}
    for one in _listed(value):
        name = str(one.get("assessment_name") or one.get("name"))
        feedback, expectation = one.get("feedback"), one.get("expectation")
        if isinstance(feedback, Mapping):
            fields |= numbers({name: feedback.get("value")})
        elif isinstance(expectation, Mapping) and name in TRUTHS:
            if answers := texts(_expected(expectation)):
                fields["references"] = answers
        elif isinstance(expectation, Mapping):
            left[name] = None
    return fields
