"""Answers as services give them: thoughts that reach the limit, tools, parts, gateways, refusals, missing counts."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.base import Answer
from assay.systems.dialects import Ask
from tests.support.systems_fixtures import Server

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
GOOD = '{"score": 4}'
TOOL = {"type": "function", "function": {"name": "answer", "arguments": GOOD}}
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "1?"}]}, {"type": "text", "text": GOOD}]
FILTERED = {"error": {"message": "The response was filtered by the content management policy"}}


def message(content: Any, finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **more}, "finish_reason": finish}]}


def candidate(**more: Any) -> dict[str, Any]:
    return {"candidates": [more]}


def ask(server: Server, count: int = 1, options: str = "", retries: int = 0, wanted: Ask | None = None) -> list[Answer]:
    made: Any = system(f"chat:toy:base={server.url}:concurrency=1:cache=none:backoff=0.01:retries={retries}{options}")
    told = [{"role": "user", "content": "rate"}]
    return list(made.reply([Example(id=str(i)) for i in range(count)], lambda example: told, wanted or Ask(SCHEMA)))


READ: list[tuple[str, dict[str, Any], str, dict[str, bool]]] = [
    ("openai", message(None, "tool_calls", tool_calls=[TOOL]), GOOD, {}),
    ("openai", message("", "tool_calls", tool_calls=[TOOL]), GOOD, {}),
    ("openai", message(PARTS), GOOD, {}),
    ("openai", message(None, "length", reasoning_content="hm"), "", {"cut": True}),
    ("openai", message("", "content_filter"), "", {"refusal": True}),
    ("responses", {"output": [{"type": "reasoning"}], "incomplete_details": {"reason": "max_output_tokens"}}, "",
     {"cut": True}),
    ("responses", {"output": [], "incomplete_details": {"reason": "content_filter"}}, "", {"refusal": True}),
    ("responses", {"output": [{"type": "function_call", "arguments": GOOD}]}, GOOD, {}),
    ("anthropic", {"content": [], "stop_reason": "end_turn"}, "", {}),
    ("gemini", candidate(finishReason="RECITATION"), "", {"refusal": True}),
    ("gemini", candidate(finishReason="SPII"), "", {"refusal": True}),
    ("gemini", candidate(finishReason="MAX_TOKENS", content={"role": "model"}), "", {"cut": True}),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "answer", "text", "details"), READ)
def test_answers_are_read_once_and_not_paid_again(
    server: Server, dialect: str, answer: dict[str, Any], text: str, details: dict[str, bool]
) -> None:
    server.behave = lambda number, body: (200, answer)
    (got,) = ask(server, options=f":dialect={dialect}", retries=2)
    assert (got.text, {key: got.details[key] for key in ("cut", "refusal") if key in got.details}) == (text, details)
    assert len(server.calls) == 1


@pytest.mark.parametrize("code", [520, 524, 529])
def test_overloaded_servers_are_asked_again(server: Server, code: int) -> None:
    server.behave = lambda number, body: (code, {}) if number < 1 else (200, message(GOOD))
    assert ask(server, retries=1)[0].text == GOOD


def test_one_refused_item_does_not_end_structured_output(server: Server) -> None:
    errors: dict[int, Any] = {1: FILTERED, 3: {"error": {"message": "maximum context length is 8192 tokens"}}}
    server.behave = lambda number, body: (400, errors[min(number, 3)]) if number in (1, 3, 4) else (200, message(GOOD))
    answers = ask(server, 4)
    assert sorted(each.details.get("failure", "") for each in answers) == ["", "", "error", "refusal"]
    assert ["response_format" in body for body in server.calls] == [
        True,
        True,
        True,
        True,
        False,
    ]
    server.behave = lambda number, body: (200, message(GOOD))
    assert "response_format" in server.calls[0]


def test_probabilities_alone_are_left_out(server: Server) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        if "logprobs" in body:
            return 403, {"error": {"message": "You are not allowed to request logprobs from this model"}}
        return 200, message(GOOD)

    server.behave = behave
    assert [each.text for each in ask(server, 3, wanted=Ask(SCHEMA, True))] == [GOOD] * 3
    assert ["response_format" in body for body in server.calls] == [True] * 4


@pytest.mark.parametrize(("said", "setting"), [
    ("`temperature` is deprecated for this model.", "temperature"),
    ("`temperature` and `top_p` cannot both be specified", "temperature"),
])  # fmt: skip
def test_settings_of_new_models(server: Server, said: str, setting: str) -> None:
    server.behave = lambda number, body: (
        (400, {"error": {"message": said}}) if setting in body else (200, message(GOOD))
    )
    assert ask(server)[0].text == GOOD
    assert "response_format" in server.calls[-1]


def test_the_first_cause_is_named(server: Server) -> None:
    server.behave = lambda number, body: (401, {"error": {"message": "invalid key"}})
    with pytest.raises(AssayError, match=r"6 of 6 items failed; id 0: the server answered 401 .*invalid key"):
        ask(server, 6)
    server.behave = lambda number, body: (200, {"error": {"message": "upstream is away"}})
    with pytest.raises(AssayError, match=r"no chat completion: upstream is away"):
        ask(server, 6)


def test_failures_of_single_items_are_counted_even_if_nothing_else_is_left(server: Server) -> None:
    server.behave = lambda number, body: (400, FILTERED)
    assert [each.details["failure"] for each in ask(server, 2)] == ["refusal", "refusal"]


def test_answers_without_counts_are_not_free(server: Server, tmp_path: Any) -> None:
    made: Any = system(f"chat:toy:base={server.url}:cache=none:price_in=1:price_out=1:max_cost=0.001:max_tokens=100")
    made.ledger = tmp_path / "ledger"
    server.behave = lambda number, body: (200, message(GOOD))
    told = [{"role": "user", "content": "rate " * 100}]
    with pytest.raises(AssayError, match="max_cost"):
        list(made.reply([Example(id=str(i)) for i in range(9)], lambda example: told, Ask(SCHEMA)))
    used = made.usage()
    assert 0 < used["cost"] < 0.001
    assert f"{used['unmetered']} answers have no token counts" in used["warnings"][0]
