"""Samples of lm-evaluation-harness: `samples_*.jsonl`, one line per document and filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import AssayError
from assay.records.tools.common import Fields, Found, Source, leaves, listed, numbers, texts


def is_row(row: Fields) -> bool:
    return "doc_id" in row and ("filtered_resps" in row or "resps" in row)


def read(source: Source) -> Found:
    return Found.each([_item(row, source.where(i), source.texts) for i, row in enumerate(source.rows)])


def _item(row: Fields, where: str, must: bool) -> Fields:
    answers = row.get("filtered_resps", row.get("resps"))
    references = texts(listed(row.get("target")))
    arguments = row.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    prompt = next(iter(leaves(arguments)), None)
    fields: Fields = {"id": str(row["doc_id"]), "output": answer(answers, where, must), **_harness_scores(row)}
    if references:
        fields["references"] = references
    if isinstance(prompt, str):
        fields["source"] = prompt
    if isinstance(row.get("filter"), str):
        fields["filter"] = row["filter"]
    return fields


def _harness_scores(row: Fields) -> dict[str, float]:
    """Return the scores that the row declares in `metrics`; files of older versions declare none and have all."""
    scores, declared = numbers(row), row.get("metrics")
    if not isinstance(declared, list):
        return scores
    return {name: score for name, score in scores.items() if name in declared}


def answer(value: Any, where: str, must: bool) -> str:
    """Return the first text of an answer. Multiple choice has log-likelihoods instead of texts."""
    first = next(leaves(value), None)
    if isinstance(first, str) and not _is_likelihood(value):
        return first
    if not must:
        return ""
    raise AssayError(
        f"{where}: answers are not texts (multiple choice?). To use its scores, read the file with --scores."
    )


def _is_likelihood(value: Any) -> bool:
    """Return whether answers are pairs like `["-0.61", "False"]`, the harness's format of log-likelihoods."""
    while isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple):
        value = value[0]
    if not isinstance(value, list | tuple) or len(value) != 2 or value[1] not in ("True", "False"):
        return False
    try:
        return float(value[0]) <= 0
    except (TypeError, ValueError):
        return False
