"""Test runs and datasets of DeepEval: JSON, JSONL or CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.records.tools.common import Fields, Found, Source, chat, contexts, numbers, of_chat, unused

NAMES = {
    "actual_output": "actualOutput", "expected_output": "expectedOutput", "retrieval_context": "retrievalContext",
}  # fmt: skip
"""Names of fields in datasets, and in test runs."""
USED = frozenset((*NAMES, *NAMES.values(), *"input context name metricsData turns scenario".split()))


def rows_of(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the test cases of a test run, or of the file that DeepEval keeps of its latest."""
    run = document.get("testRunData", document)
    cases = run.get("testCases") if isinstance(run, Mapping) else None
    if not isinstance(cases, list):
        return None
    more = run.get("conversationalTestCases")
    return [*cases, *(more if isinstance(more, list) else [])]


def is_row(row: Mapping[str, Any]) -> bool:
    case = "input" in row and ("actualOutput" in row or "actual_output" in row or "expected_output" in row)
    return case or ("metricsData" in row and isinstance(row.get("turns"), list))


def read(source: Source) -> Found:
    items: list[tuple[Fields | None, int]] = []
    for i, original in enumerate(source.rows):
        row = {NAMES.get(name, name): value for name, value in original.items()}
        fields = _turns(row) if isinstance(row.get("turns"), list) else _case(row)
        if source.texts and fields.get("output") is None and "actualOutput" in original:
            source.failed(i, "has no actual output")
            items.append((None, i))
            continue
        if isinstance(row.get("name"), str) and row["name"]:
            fields["id"] = row["name"]
        items.append((fields | _scores(row), i))
    kept = [fields for fields, _ in items if fields is not None]
    if not all("id" in fields for fields in kept):
        for fields in kept:
            fields.pop("id", None)
    return Found(items, (*_gold_contexts(source.rows), *unused(source.rows, USED)))


def _gold_contexts(rows: Sequence[Fields]) -> tuple[str, ...]:
    """Return a note if some test cases have both what was retrieved and what should have been."""
    both = sum(
        bool(row.get("context") and (row.get("retrievalContext") or row.get("retrieval_context"))) for row in rows
    )
    return (f"context of {both} items is not used: they have a retrieval context",) if both else ()


def _case(row: Fields) -> Fields:
    fields: Fields = {"output": row.get("actualOutput"), "source": row.get("input")}
    if "metricsData" not in row and fields["output"] == "":
        fields["output"] = None  # a golden in a table: the answer is not there yet
    if isinstance(row.get("expectedOutput"), str):
        fields["references"] = [row["expectedOutput"]]
    passages = row.get("retrievalContext") or row.get("context")
    if isinstance(passages, str):
        passages = passages.split("|")  # how DeepEval writes a list into a table
    if passages:
        fields["contexts"] = contexts(passages)
    return {name: value for name, value in fields.items() if value is not None}


def _turns(row: Fields) -> Fields:
    """Return a conversation: its last answer is the output, what was retrieved for it are the contexts."""
    turns = chat(row["turns"])
    last = next((i for i in range(len(turns) - 1, -1, -1) if turns[i]["role"] == "assistant"), None)
    if last is None:
        return of_chat(row["turns"])
    fields = {"output": turns[last]["content"], **of_chat(row["turns"][:last])}
    answer = [turn for turn in row["turns"] if isinstance(turn, Mapping)][last]
    if passages := contexts(answer.get("retrievalContext") or answer.get("retrieval_context") or []):
        fields["contexts"] = passages
    return fields


def _scores(row: Fields) -> dict[str, float]:
    measured = row.get("metricsData")
    named = [one for one in measured if isinstance(one, Mapping)] if isinstance(measured, list) else []
    return numbers({str(one.get("name")): one.get("score") for one in named})
