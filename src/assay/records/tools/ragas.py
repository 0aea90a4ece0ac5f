"""Datasets and results of ragas: JSONL, CSV or Parquet, with the names of its versions before and after 0.2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.tools.common import Fields, Found, Source, chat, contexts, listed, numbers, of_chat, texts, unused

OLD = {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts", "ground_truths": "reference",
       "ground_truth": "reference"}  # fmt: skip
USED = frozenset((*OLD, "user_input", "response", "retrieved_contexts", "reference", "id"))


def is_row(row: Mapping[str, Any]) -> bool:
    new = "user_input" in row and ("response" in row or "reference" in row or "retrieved_contexts" in row)
    return new or (
        {"question", "answer"} <= row.keys() and bool({"contexts", "ground_truth", "ground_truths"} & row.keys())
    )


def read(source: Source) -> Found:
    rows = [_item({OLD.get(name, name): value for name, value in row.items()}) for row in source.rows]
    scored = {name for row in source.rows for name in numbers(row)}
    return Found.each(rows, unused(source.rows, USED | scored))


def _item(row: Fields) -> Fields:
    request, fields = listed(row.get("user_input")), {}
    answer = row.get("response")
    if isinstance(request, list):  # a conversation: its last answer is the output
        turns = chat(request)
        last = next((i for i in range(len(turns) - 1, -1, -1) if turns[i]["role"] == "assistant"), None)
        if answer is None and last is not None:
            answer, request = turns[last]["content"], request[:last]
        fields = of_chat(request)
    elif isinstance(request, str):
        fields = {"source": request}
    if isinstance(answer, str):
        fields["output"] = answer
    if isinstance(row.get("id"), str | int):
        fields["id"] = str(row["id"])
    if references := texts(listed(row.get("reference"))):
        fields["references"] = references
    if passages := contexts(listed(row.get("retrieved_contexts") or [])):
        fields["contexts"] = passages
    return fields | numbers({name: value for name, value in row.items() if name not in USED})
