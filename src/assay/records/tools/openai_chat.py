"""Chats in the format of OpenAI: logs of `messages`, requests with responses, input and output files of batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.records.tools.common import Fields, Found, Source, answer_text, chat, is_chat, of_chat, texts, unused

RECORDS = frozenset(
    "output prediction generated generated_text hypothesis hyp text references reference source contexts "
    "expected".split()
)
"""Fields of our own records, whose messages do not have the output as their last."""
OWN = frozenset(
    "messages custom_id method url body response error model request choices object usage created "
    "system_fingerprint service_tier metadata tools".split()
)
"""Fields that the service writes; all others of a log are kept under their names."""
USED = OWN - {"usage", "metadata", "tools"} | {"id"}


def is_row(row: Mapping[str, Any]) -> bool:
    batch = "custom_id" in row and (isinstance(row.get("body"), Mapping) or "response" in row)
    completion = isinstance(row.get("choices"), list) and str(row.get("object", "chat.completion")).startswith("chat")
    completion = completion or _is_response(row)
    answered = isinstance(row.get("response"), Mapping) and isinstance(row.get("request"), Mapping)
    return batch or completion or answered or _ends_with_answer(row)


def _is_response(row: Mapping[str, Any]) -> bool:
    return row.get("object") == "response" and isinstance(row.get("output"), list)


def _ends_with_answer(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a chat whose last message is the output; otherwise it is an example of our own."""
    if not is_chat(row.get("messages")) or RECORDS & row.keys():
        return False
    return "response" in row or chat(row["messages"][-1:])[0]["role"] == "assistant"


def read(source: Source) -> Found:
    items: list[tuple[Fields | None, int]] = []
    for i, row in enumerate(source.rows):
        fields = _batch(row) if "custom_id" in row else _log(row)
        error = _error(row)
        if error is not None or ("output" in fields and fields["output"] is None):
            source.failed(i, f"has no answer ({error or 'its response has no text'})")
            items.append((None, i))
            continue
        items.append((fields, i))
    others = [{name: row[name] for name in OWN & row.keys()} for row in source.rows]
    further = sum(map(_further_choices, source.rows))
    notes = (f"{further} choices after the first of a completion are not scored",) if further else ()
    return Found(items, (*notes, *unused(others, USED)))


def _further_choices(row: Fields) -> int:
    """Return the number of answers to a request (`n` above 1) besides the first."""
    response = row.get("response", row)
    body = response.get("body", response) if isinstance(response, Mapping) else None
    choices = body.get("choices") if isinstance(body, Mapping) else None
    return len(choices) - 1 if isinstance(choices, list) and choices else 0


def _batch(row: Fields) -> Fields:
    fields: Fields = {"id": str(row["custom_id"])}
    request, response = row.get("body"), row.get("response")
    if isinstance(request, Mapping):
        fields |= of_chat(request.get("messages") if "messages" in request else request.get("input"))
    if isinstance(response, Mapping):
        body = response.get("body")
        fields["output"] = answer_text(body) if isinstance(body, Mapping) and "error" not in body else None
        if isinstance(body, Mapping) and isinstance(body.get("model"), str):
            fields["system"] = body["model"]
    return fields


def _log(row: Fields) -> Fields:
    request = row.get("request") if isinstance(row.get("request"), Mapping) else row
    messages: Any = request.get("messages") if isinstance(request, Mapping) else None
    fields: Fields = {name: value for name, value in row.items() if name not in OWN}
    answer = row.get("response", row if "choices" in row else None)
    if _is_response(row):  # its other fields are settings of the request
        fields, answer = {"id": row.get("id")} if row.get("id") else {}, row
    turns = chat(messages)
    if answer is not None:
        fields = of_chat(messages) | fields | {"output": answer_text(answer)}
    elif turns and turns[-1]["role"] == "assistant":
        fields = of_chat(messages[:-1]) | fields | {"output": turns[-1]["content"]}
    else:
        fields = of_chat(messages) | fields
    model = next((each.get("model") for each in (answer, row, request) if isinstance(each, Mapping)), None)
    if named := texts(row.get("system") or model or []):
        fields["system"] = named[0]
    return fields


def _error(row: Fields) -> str | None:
    """Return the error of a request that failed; None if it did not."""
    response = row.get("response")
    body = response.get("body") if isinstance(response, Mapping) else None
    error = row.get("error") or (body.get("error") if isinstance(body, Mapping) else None)
    if not error:
        return None
    message = error.get("message") if isinstance(error, Mapping) else error
    return str(message).strip().split("\n")[0][:80] or "an error"
