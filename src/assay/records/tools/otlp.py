"""Traces as OTLP/JSON or as the SDK prints spans, with the conventions of OpenTelemetry for generative AI and of
OpenInference.

One item per trace: its answer is that of the root span, else of the model call that ended last; its contexts are the
documents of the retrieval spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from assay.records.tools.common import (
    Fields,
    Found,
    Source,
    answer_text,
    contexts,
    numbers,
    of_chat,
    parsed,
    prompt_of,
    texts,
)

INPUTS = (
    "gen_ai.input.messages", "input.value", "traceloop.entity.input", "langfuse.observation.input", "mlflow.spanInputs",
    "ai.prompt.messages", "ai.prompt",
)  # fmt: skip
OUTPUTS = (
    "gen_ai.output.messages", "output.value", "traceloop.entity.output", "langfuse.observation.output",
    "mlflow.spanOutputs", "ai.response.text",
)  # fmt: skip
"""Attributes of OpenTelemetry, OpenInference, OpenLLMetry, Langfuse, MLflow and the AI SDK of Vercel."""
MODELS = (
    "gen_ai.response.model", "llm.response.model_name", "llm.model_name", "gen_ai.request.model",
    "langfuse.observation.model.name", "ai.response.model", "ai.model.id",
)  # fmt: skip
SESSIONS = ("session.id", "gen_ai.conversation.id")
KINDS = ("openinference.span.kind", "langfuse.observation.type", "mlflow.spanType")
EXPECTED = "langfuse.experiment.item.expected_output"
LISTS = {
    "llm.input_messages": "input", "gen_ai.prompt": "input", "llm.output_messages": "output",
    "gen_ai.completion": "output", "retrieval.documents": "documents", "reranker.output_documents": "documents",
}  # fmt: skip
"""Prefixes of numbered attributes, `llm.input_messages.0.message.role`, and what they list."""


def is_row(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("resourceSpans"), list) or _is_printed(row)


def _is_printed(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a span as `ReadableSpan.to_json` of the SDK for Python writes it."""
    context = row.get("context")
    return isinstance(context, Mapping) and "trace_id" in context and isinstance(row.get("attributes"), Mapping)


def read(source: Source) -> Found:
    traces: dict[str, list[tuple[Fields, int]]] = {}
    for i, row in enumerate(source.rows):
        for span in _spans(row):
            traces.setdefault(str(span["trace"]), []).append((span, i))
    items: list[tuple[Fields | None, int]] = []
    calls = without = 0
    for trace, spans in traces.items():
        answered = [(span, i) for span, i in spans if span["output"] is not None]
        if not answered:
            without += 1
            continue
        ids = {span["id"] for span, _ in spans}
        roots = [pair for pair in answered if pair[0]["parent"] not in ids]
        chosen, row_number = roots[0] if roots else max(answered, key=lambda pair: pair[0]["end"])
        calls += sum(span["model"] is not None and span is not chosen for span, _ in answered) - (
            chosen["model"] is None
        )
        items.append((_item(trace, chosen, [span for span, _ in spans]), row_number))
    notes = []
    if without:
        notes.append(f"{without} traces have no recorded output and are not read")
    if calls > 0:
        notes.append(f"one item per trace: {calls} other model calls are not scored")
    return Found(items, (*notes, "times, token counts and other attributes of spans are not used"))


def _item(trace: str, chosen: Fields, spans: list[Fields]) -> Fields:
    by_time = sorted(spans, key=lambda span: span["end"])
    request: Fields = chosen["input"] or next((span["input"] for span in by_time if span["input"]), {})
    passages = [one for span in by_time for one in span["documents"]]
    models = [span["model"] for span in by_time if span["model"]]
    system = chosen["model"] or (models[-1] if models else chosen["service"])
    fields: Fields = {"id": trace, "output": chosen["output"], **request}
    if passages:
        fields["contexts"] = passages
    if isinstance(system, str):
        fields["system"] = system
    if session := next((span["session"] for span in by_time if span["session"]), None):
        fields["session_id"] = session
    if (expected := next((span["expected"] for span in by_time if span["expected"]), None)) is not None:
        fields |= {"references": texts(expected)} if texts(expected) else {"expected": expected}
    for span in by_time:
        fields |= numbers(span["scores"])
    return fields


def _spans(row: Fields) -> Iterator[Fields]:
    """Yield what is used of each span."""
    if _is_printed(row):
        yield _span(_of_sdk(row), _attributes(row.get("resource") or {}).get("service.name"))
        return
    for resource in row["resourceSpans"]:
        service = _attributes(resource.get("resource") or {}).get("service.name")
        for scope in resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans") or []:
            for span in scope.get("spans") or []:
                yield _span(span, service)


def _of_sdk(row: Fields) -> Fields:
    """Return a span that the SDK has printed under the names of OTLP."""
    context = row["context"]
    ended = row.get("end_time")
    end = datetime.fromisoformat(ended).timestamp() if isinstance(ended, str) else 0.0
    return {
        "traceId": str(context["trace_id"]).removeprefix("0x"), "spanId": context.get("span_id"),
        "parentSpanId": row.get("parent_id"), "endTimeUnixNano": round(end * 1e9), "attributes": row["attributes"],
        "events": row.get("events"),
    }  # fmt: skip


def _span(span: Fields, service: Any) -> Fields:
    attributes = _attributes(span)
    scores: dict[str, Any] = {}
    for event in span.get("events") or []:
        more = _attributes(event)
        if event.get("name") == "gen_ai.evaluation.result":
            scores[str(more.get("gen_ai.evaluation.name"))] = more.get("gen_ai.evaluation.score.value")
        else:
            attributes = _with_event(attributes, str(event.get("name")), more)
    entries_of = _numbered(attributes)
    request, response = _first(attributes, INPUTS), _first(attributes, OUTPUTS)
    prompt = of_chat(entries_of["input"]) if entries_of["input"] else prompt_of(request)
    output = answer_text(entries_of["output"]) if entries_of["output"] else answer_text(response)
    retrieved = parsed(attributes.get("gen_ai.retrieval.documents")) or entries_of["documents"]
    if not retrieved and str(parsed(_first(attributes, KINDS))).upper() == "RETRIEVER":
        retrieved, output = parsed(response), None
    model = _first(attributes, MODELS)
    return {
        "trace": span.get("traceId", ""), "id": span.get("spanId"), "parent": span.get("parentSpanId") or None,
        "end": int(span.get("endTimeUnixNano") or 0), "input": prompt, "output": output, "scores": scores,
        "documents": contexts(retrieved) if isinstance(retrieved, list) else [], "model": model, "service": service,
        "session": _first(attributes, SESSIONS), "expected": parsed(attributes.get(EXPECTED)),
    }  # fmt: skip


def _with_event(attributes: Fields, name: str, more: Fields) -> Fields:
    """Return the attributes with messages that earlier conventions recorded as events of a span."""
    if name in ("gen_ai.content.prompt", "gen_ai.content.completion", "gen_ai.client.inference.operation.details"):
        renamed = {"gen_ai.prompt": "gen_ai.input.messages", "gen_ai.completion": "gen_ai.output.messages"}
        return attributes | {renamed.get(key, key): value for key, value in more.items()}
    if name == "gen_ai.choice":
        message = parsed(more.get("message", more.get("content")))
        return attributes | {"gen_ai.output.messages": message}
    if name.startswith("gen_ai.") and name.endswith(".message"):
        role = name.removeprefix("gen_ai.").removesuffix(".message")
        earlier = attributes.get("gen_ai.input.messages")
        turns = earlier if isinstance(earlier, list) else []
        turns.append({"role": role, "content": more.get("content")})
        return attributes | {"gen_ai.input.messages": turns}
    return attributes


def _first(attributes: Fields, names: tuple[str, ...]) -> Any:
    nothing = (None, "", "null")  # what an attribute has that was not recorded, the last as JSON
    return next((attributes[name] for name in names if attributes.get(name) not in nothing), None)


def _numbered(attributes: Fields) -> dict[str, list[Fields]]:
    """Return messages and documents from attributes with a number in their names, in the order of the numbers."""
    entries_of: dict[str, dict[tuple[str, int], Fields]] = {"input": {}, "output": {}, "documents": {}}
    for name, value in attributes.items():
        prefix = next((prefix for prefix in LISTS if name.startswith(f"{prefix}.")), None)
        number, _, rest = name[len(prefix) + 1 :].partition(".") if prefix else ("", "", "")
        if prefix and len(number) <= 6 and number.isdecimal():
            entry = entries_of[LISTS[prefix]].setdefault((prefix, int(number)), {})
            key = rest.removeprefix("message.").removeprefix("document.")
            if key.startswith("contents."):
                entry["content"] = "\n".join(
                    filter(None, (entry.get("content"), value if key.endswith("text") else ""))
                )
            elif "." not in key:
                entry[key] = value
    rows = {what: [entries[key] for key in sorted(entries)] for what, entries in entries_of.items()}
    rows["output"] = [{"role": "assistant", **entry} for entry in rows["output"]]
    rows["input"] = [{"role": "user", **entry} for entry in rows["input"]]
    return rows


def _attributes(holder: Mapping[str, Any]) -> Fields:
    listed = holder.get("attributes") or []
    if isinstance(listed, Mapping):
        return dict(listed)
    return {str(each.get("key")): _value(each.get("value")) for each in listed if isinstance(each, Mapping)}


def _value(value: Any) -> Any:
    """Return a value of OTLP/JSON: an object with its type as key."""
    if not isinstance(value, Mapping):
        return value
    kind, inner = next(iter(value.items()), ("", None))
    if kind == "intValue":
        return int(inner or 0)
    if kind == "arrayValue":
        return [_value(each) for each in (inner or {}).get("values") or []]
    if kind == "kvlistValue":
        return {str(each.get("key")): _value(each.get("value")) for each in (inner or {}).get("values") or []}
    return inner
