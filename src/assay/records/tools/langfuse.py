"""Exports of Langfuse: traces, observations and items of datasets, from its interface, API or blob storage."""

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
    prompt_of,
    texts,
    unused,
)

SPECIFIC = frozenset("sessionId htmlPath projectId datasetId sourceTraceId parentObservationId".split())
"""Fields of which one shows that a row with `input` is one of Langfuse."""
CONTENT = frozenset("input output expectedOutput expected_output".split())
USED = CONTENT | frozenset("id traceId trace_id type model sessionId session_id scores observations name".split())


def rows_of(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of a page of the API."""
    rows = document.get("data")
    if isinstance(rows, list) and rows and isinstance(rows[0], Mapping) and is_row(rows[0]):
        return rows
    return [document] if is_row(document) else None


def is_row(row: Mapping[str, Any]) -> bool:
    observation = (
        ("traceId" in row or "trace_id" in row) and "type" in row and bool({"model", "startTime"} & row.keys())
    )
    return bool(CONTENT & row.keys()) and (observation or bool(SPECIFIC & row.keys()))


def read(source: Source) -> Found:
    observations = "type" in source.rows[0] and ("traceId" in source.rows[0] or "trace_id" in source.rows[0])
    retrieved: dict[str, list[Fields]] = {}
    for row in source.rows if observations else []:
        if str(row.get("type")).upper() == "RETRIEVER":
            retrieved.setdefault(_trace(row), []).extend(contexts(parsed(row.get("output"))))
    items: list[tuple[Fields | None, int]] = []
    other = 0
    for i, row in enumerate(source.rows):
        if observations and str(row.get("type")).upper() != "GENERATION":
            other += str(row.get("type")).upper() != "RETRIEVER"
            continue
        fields = _item(row)
        if passages := retrieved.get(_trace(row)) if observations else _retrieved(row):
            fields["contexts"] = passages
        if source.texts and fields.get("output") is None and not {"expectedOutput", "expected_output"} & row.keys():
            source.failed(i, "has no output")
            items.append((None, i))
            continue
        items.append(({name: value for name, value in fields.items() if value is not None}, i))
    notes = (f"{other} observations that are no generation are not used",) if other else ()
    return Found(items, (*notes, *unused(source.rows, USED)))


def _trace(row: Fields) -> str:
    return str(row.get("traceId") or row.get("trace_id"))


def _item(row: Fields) -> Fields:
    fields: Fields = {"id": str(row["id"])} if row.get("id") else {}
    fields |= {"output": answer_text(row.get("output")), **prompt_of(row.get("input"))}
    expected = parsed(row.get("expectedOutput", row.get("expected_output")))
    if isinstance(expected, Mapping) or (isinstance(expected, list) and not texts(expected)):
        fields["expected"] = expected
    elif expected is not None:
        fields["references"] = texts(expected)
    if isinstance(row.get("model"), str) and row["model"]:
        fields["system"] = row["model"]
    if session := row.get("sessionId") or row.get("session_id"):
        fields["session_id"] = str(session)
    scores = parsed(row.get("scores"))
    if isinstance(scores, list):
        fields |= numbers({str(one.get("name")): one.get("value") for one in scores if isinstance(one, Mapping)})
    elif isinstance(scores, Mapping):
        fields |= numbers(scores)
    return fields


def _retrieved(row: Fields) -> list[Fields]:
    """Return the documents of the retrieval observations inside a trace."""
    inside = row.get("observations")
    passages: list[Fields] = []
    for each in inside if isinstance(inside, list) else []:
        if isinstance(each, Mapping) and str(each.get("type")).upper() == "RETRIEVER":
            passages += contexts(parsed(each.get("output")))
    return passages
