"""Details of lighteval, of both layouts."""

from __future__ import annotations

from collections.abc import Mapping

from assay.records.tools.common import Fields, Found, Source, listed, numbers, texts
from assay.records.tools.harness import answer


def is_row(row: Fields) -> bool:
    new = isinstance(row.get("model_response"), Mapping) and isinstance(row.get("doc"), Mapping)
    return new or ("full_prompt" in row and "predictions" in row)


def read(source: Source) -> Found:
    item = _of_old_lighteval if "full_prompt" in source.rows[0] else _of_lighteval
    return Found.each([item(i, row, source.where(i), source.texts) for i, row in enumerate(source.rows)])


def _of_lighteval(number: int, row: Fields, where: str, must: bool) -> Fields:
    doc, response = row["doc"], row["model_response"]
    choices, gold = doc.get("choices") or [], doc.get("gold_index")
    correct = [
        choices[i] for i in (gold if isinstance(gold, list) else [gold]) if isinstance(i, int) and i < len(choices)
    ]
    answers = response.get("text_post_processed") or response.get("text")
    fields: Fields = {
        "id": str(doc.get("id") or number),
        "output": answer(answers, where, must),
    }
    if isinstance(doc.get("query"), str):
        fields["source"] = doc["query"]
    if correct:
        fields["references"] = texts(correct)
    metrics = row.get("metric") or row.get("metrics")
    return {**fields, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}


def _of_old_lighteval(number: int, row: Fields, where: str, must: bool) -> Fields:
    fields: Fields = {
        "id": str(number),
        "output": answer(listed(row["predictions"]), where, must),
        "source": row["full_prompt"],
    }
    if gold := texts(listed(row.get("gold"))):
        fields["references"] = gold
    metrics = row.get("metrics")
    return {**fields, **(numbers(metrics) if isinstance(metrics, Mapping) else {})}
