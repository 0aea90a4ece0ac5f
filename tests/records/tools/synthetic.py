"""Files of other tools, field by field, with synthetic texts.

Modelled on files that promptfoo 0.121.20 (its echo provider), DeepEval 4.3.1 (a metric of our own), ragas 0.4.3,
MLflow 3.17.2 (a local store) and datasets 5.2.0 wrote. Chats, batches, OTLP and Langfuse follow their published
schemas. Ids, hashes and times are shortened.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import polars

USER, ANSWER = "How is the harbour?", "The harbour is calm."
PASSAGES = ["The harbour was calm on Monday.", "Ships left at noon."]
TURNS = [{"role": "system", "content": "Be short."}, {"role": "user", "content": USER}]


def promptfoo() -> dict[str, Any]:
    def result(test: int, prompt: int, error: str | None = None) -> dict[str, Any]:
        checks = [{"type": "equals", "value": ANSWER}, {"type": "contains", "value": "calm", "metric": "has"}]
        return {
            "cost": 0, "error": error, "id": f"{test}-{prompt}", "latencyMs": 19, "namedScores": {"has": 1},
            "gradingResult": {"pass": True, "score": 0.5, "componentResults": [{"pass": True, "assertion": checks[0]}]},
            "prompt": {"raw": f"Answer: {USER}", "label": "Answer: {{q}}", "config": {}}, "promptId": f"9e{prompt}",
            "promptIdx": prompt, "provider": {"id": "echo", "label": ""}, "score": 0.5, "success": True,
            "response": {"output": ANSWER, "raw": ANSWER, "cached": False, "tokenUsage": {"total": 0}},
            "testCase": {"vars": {"q": USER}, "assert": checks, "options": {}, "metadata": {}},
            "testIdx": test, "tokenUsage": {"prompt": 0}, "vars": {"q": USER, "context": PASSAGES[0]}, "metadata": {},
        }  # fmt: skip

    results = [result(test, prompt) for test in range(2) for prompt in range(2)]
    inner = {"version": 3, "timestamp": "2026", "prompts": [{"raw": "Answer: {{q}}"}], "results": results, "stats": {}}
    return {"evalId": "eval-1", "results": inner, "config": {}, "shareableUrl": None, "metadata": {}}


def deepeval() -> dict[str, Any]:
    measured = {"name": "Relevancy", "threshold": 0.5, "success": True, "score": 0.7, "reason": "ok", "flaky": False}
    cases = [
        {"name": f"test_case_{i}", "input": USER, "actualOutput": ANSWER, "expectedOutput": ANSWER,
         "retrievalContext": PASSAGES, "success": True, "metricsData": [measured], "runDuration": 0.1, "order": i}
        for i in range(2)
    ]  # fmt: skip
    return {"testCases": cases, "conversationalTestCases": [], "metricsScores": [], "testPassed": 2, "official": False}


def deepeval_goldens() -> list[dict[str, Any]]:
    return [{"input": USER, "actual_output": ANSWER, "expected_output": ANSWER, "retrieval_context": "|".join(PASSAGES),
             "context": None, "name": None, "tools_called": None, "comments": "x"}]  # fmt: skip


def ragas() -> list[dict[str, Any]]:
    return [{"user_input": USER, "retrieved_contexts": PASSAGES, "reference_contexts": ["x"], "response": ANSWER,
             "reference": ANSWER, "faithfulness": 0.5}]  # fmt: skip


def ragas_turns() -> list[dict[str, Any]]:
    calls = [{"name": "tide", "args": {"day": 1}}]
    turns = [
        {"content": USER, "type": "human"}, {"content": "", "type": "ai", "tool_calls": calls},
        {"content": "low", "type": "tool"}, {"content": ANSWER, "type": "ai"},
    ]  # fmt: skip
    return [{"user_input": turns, "reference": ANSWER}]


def chats() -> list[dict[str, Any]]:
    return [{"messages": [*TURNS, {"role": "assistant", "content": ANSWER}], "model": "m-1", "metadata": {"a": "b"}}]


def completion(text: str = ANSWER) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], "usage": {}}


def batch(failed: bool = False) -> list[dict[str, Any]]:
    answered = {"status_code": 200, "request_id": "r", "body": completion()}
    rows: list[dict[str, Any]] = [
        {"id": f"batch_req_{i}", "custom_id": f"q{i}", "response": answered, "error": None} for i in range(2)
    ]
    if failed:
        rows[1] |= {"response": None, "error": {"code": "batch_expired", "message": "was not run in time"}}
    return rows


def batch_requests() -> list[dict[str, Any]]:
    body = {"model": "m-1", "messages": TURNS, "max_tokens": 9}
    return [{"custom_id": "q0", "method": "POST", "url": "/v1/chat/completions", "body": body}]


def responses() -> list[dict[str, Any]]:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}
    body = {"id": "r", "object": "response", "model": "m-1", "output": [{"type": "reasoning", "summary": []}, said]}
    return [{"id": "b", "custom_id": "q0", "response": {"status_code": 200, "body": body}, "error": None}]


def response_alone() -> list[dict[str, Any]]:
    """An answer of the Responses API as its SDK saves it."""
    body: dict[str, Any] = responses()[0]["response"]["body"]
    return [body | {"instructions": "Be short.", "temperature": 1.0, "tools": [], "parallel_tool_calls": True}]


def _attributes(**values: Any) -> list[dict[str, Any]]:
    kinds = {str: "stringValue", int: "intValue", float: "doubleValue"}
    return [{"key": key.replace("__", "."), "value": {kinds[type(one)]: one}} for key, one in values.items()]


def _spans(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": _attributes(service__name="harbour-bot")}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def _span(id: str, parent: str, end: int, **attributes: Any) -> dict[str, Any]:
    return {"traceId": "t1", "spanId": id, "parentSpanId": parent, "name": id, "kind": 1, "startTimeUnixNano": "1",
            "endTimeUnixNano": str(end), "attributes": _attributes(**attributes), "status": {}}  # fmt: skip


def otlp_genai() -> dict[str, Any]:
    asked = [{"role": "user", "parts": [{"type": "text", "content": USER}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}]
    found = [{"id": "d1", "content": PASSAGES[0], "score": 0.5}]
    judged = _attributes(gen_ai__evaluation__name="relevance", gen_ai__evaluation__score__value=0.25)
    call = _span("b", "a", 9, gen_ai__operation__name="chat", gen_ai__request__model="m-1",
                 gen_ai__input__messages=json.dumps(asked), gen_ai__output__messages=json.dumps(said),
                 gen_ai__conversation__id="s1", gen_ai__usage__output_tokens=5)  # fmt: skip
    call["events"] = [{"name": "gen_ai.evaluation.result", "attributes": judged}]
    retrieval = _span("c", "a", 5, gen_ai__operation__name="retrieval", gen_ai__retrieval__documents=json.dumps(found))
    return _spans(_span("a", "", 10), call, retrieval)


def otlp_openinference() -> dict[str, Any]:
    call = _span("b", "a", 9, openinference__span__kind="LLM", llm__model_name="m-1",
                 **{"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": USER,
                    "llm.output_messages.0.message.role": "assistant",
                    "llm.output_messages.0.message.content": ANSWER})  # fmt: skip
    retrieval = _span("c", "a", 5, openinference__span__kind="RETRIEVER",
                      **{f"retrieval.documents.{i}.document.{key}": value for i, text in enumerate(PASSAGES)
                         for key, value in (("content", text), ("id", f"d{i}"), ("score", 0.5))})  # fmt: skip
    root = _span("a", "", 10, openinference__span__kind="CHAIN", input__value=USER, output__value=ANSWER)
    return _spans(root, call, retrieval)


def otlp_of_sdk(asked: str, said: str, kind: str, retriever: str, model: str) -> dict[str, Any]:
    """Spans with the attributes of one SDK, values as JSON texts (Langfuse 5.0.4 wrote such a file)."""
    found = json.dumps([{"id": f"d{i}", "content": text} for i, text in enumerate(PASSAGES)])
    call = _span("b", "a", 9, **{model: "m-1", asked: json.dumps(TURNS), said: ANSWER})
    retrieval = _span("c", "a", 5, **{kind: retriever, said: found})
    root = _span("a", "", 10, **{asked: json.dumps({"question": USER}), said: json.dumps(ANSWER)})
    return _spans(root, call, retrieval)


def otlp_sdk() -> dict[str, Any]:
    return otlp_of_sdk("ai.prompt", "ai.response.text", "mlflow.spanType", '"RETRIEVER"', "ai.model.id")


def printed_spans() -> list[dict[str, Any]]:
    """Spans as `ReadableSpan.to_json` of OpenTelemetry's SDK 1.45 for Python writes them."""

    def span(id: str, parent: str | None, second: int, **attributes: Any) -> dict[str, Any]:
        return {
            "name": id, "context": {"trace_id": "0xab", "span_id": id, "trace_state": "[]"}, "parent_id": parent,
            "kind": "SpanKind.INTERNAL", "start_time": "2026-11-19T22:04:11.883411Z",
            "end_time": f"2026-11-19T22:04:{second}.883447Z", "events": [], "links": [],
            "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
            "resource": {"attributes": {"service.name": "harbour-bot"}, "schema_url": ""},
        }  # fmt: skip

    found = {f"retrieval__documents__{i}__document__content": text for i, text in enumerate(PASSAGES)}
    return [span("0xb", "0xa", 12, **found), span("0xa", None, 13, input__value=USER, output__value=ANSWER)]


def langfuse() -> dict[str, Any]:
    retrieval = {"id": "o", "type": "RETRIEVER", "output": [{"id": "d1", "content": PASSAGES[0]}]}
    row = {
        "id": "t1", "timestamp": "2026", "name": "chat", "input": {"messages": TURNS}, "output": ANSWER,
        "sessionId": "s1", "htmlPath": "/p", "metadata": {"a": 1}, "observations": [retrieval],
        "scores": [{"name": "helpful", "value": 0.5}],
    }  # fmt: skip
    return {"data": [row], "meta": {"page": 1, "limit": 50, "totalItems": 1, "totalPages": 1}}


def langfuse_observations() -> list[dict[str, Any]]:
    both = {"traceId": "t1", "startTime": "2026", "name": "x"}
    said = completion()["choices"][0]["message"]
    return [
        {"id": "o1", **both, "type": "RETRIEVER", "input": USER, "output": [{"content": text} for text in PASSAGES]},
        {"id": "o2", **both, "type": "GENERATION", "model": "m-1", "input": json.dumps(TURNS), "output": said},
        {"id": "o3", **both, "type": "SPAN", "input": USER, "output": None},
    ]


def mlflow_trace() -> dict[str, Any]:
    def span(id: str, parent: str | None, kind: str, inputs: Any, outputs: Any) -> dict[str, Any]:
        attributes = {"mlflow.spanType": kind, "mlflow.spanInputs": inputs, "mlflow.spanOutputs": outputs}
        return {"trace_id": "x", "span_id": id, "parent_span_id": parent, "name": id, "events": [], "links": [],
                "attributes": {key: json.dumps(value) for key, value in attributes.items()}}  # fmt: skip

    found = [{"page_content": PASSAGES[0], "metadata": {}, "id": "d1"}, {"page_content": PASSAGES[1], "id": None}]
    rated = [{"assessment_name": "relevance", "feedback": {"value": 0.5}},
             {"assessment_name": "expected_response", "expectation": {"value": ANSWER}},
             {"assessment_name": "expected_facts", "expectation": {"value": ["calm"]}}]  # fmt: skip
    info = {
        "trace_id": "tr-1", "request_time": "2026", "state": "OK", "request_preview": "…", "assessments": rated,
        "trace_metadata": {"mlflow.traceInputs": "…", "mlflow.trace.session": "s1"}, "tags": {"a": "b"},
    }  # fmt: skip
    spans = [span("a", None, "CHAIN", {"question": USER}, ANSWER), span("b", "a", "RETRIEVER", {"q": USER}, found)]
    return {"info": info, "data": {"spans": spans}}


def arrow(stream: bool) -> bytes:
    frame = polars.DataFrame({"id": ["1"], "output": [ANSWER], "references": [[ANSWER]], "contexts": [PASSAGES]})
    made = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(made)
    return made.getvalue()


DOCUMENTS: dict[str, Callable[[], Any]] = {
    "promptfoo": promptfoo, "deepeval": deepeval, "otlp": otlp_genai, "openinference": otlp_openinference,
    "langfuse": langfuse, "mlflow": mlflow_trace,
    "sdk": otlp_sdk,
}  # fmt: skip
LISTS = {
    "deepeval-goldens": deepeval_goldens, "ragas": ragas, "ragas-turns": ragas_turns, "chats": chats, "batch": batch,
    "response-alone": response_alone, "printed-spans": printed_spans,
    "batch-requests": batch_requests, "responses": responses, "observations": langfuse_observations,
}  # fmt: skip


def files() -> list[bytes]:
    """Return every file, for the fuzzer: documents, and lists as JSON lines."""
    made = [json.dumps(one()).encode() for one in DOCUMENTS.values()]
    made += ["\n".join(map(json.dumps, rows())).encode() for rows in LISTS.values()]
    return [*made, arrow(True), arrow(False)]
