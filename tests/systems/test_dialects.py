"""Dialects of chat servers on loopback: what is sent where, with which key, and what is read of the answer."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.systems import system
from assay.systems.base import Answer
from assay.systems.dialects import DIALECTS, Ask
from tests.support.systems_fixtures import Server

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
TOP = [{"token": "4", "logprob": -0.1}, {"token": "5", "logprob": -2.5}]
TOKEN = {"token": "4", "logprob": -0.1, "top_logprobs": TOP}
GOOD: dict[str, Any] = {
    "openai": {"choices": [{"message": {"content": '{"score": 4}'}, "logprobs": {"content": [TOKEN]}}],
               "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
    "responses": {"output": [{"type": "reasoning"}, {"type": "message", "content": [
        {"type": "output_text", "text": '{"score": 4}', "logprobs": [TOKEN]}]}],
        "usage": {"input_tokens": 7, "output_tokens": 3}},
    "anthropic": {"content": [{"type": "tool_use", "name": "answer", "input": {"score": 4}}],
                  "stop_reason": "tool_use", "usage": {"input_tokens": 7, "output_tokens": 3}},
    "gemini": {"candidates": [{"content": {"parts": [{"text": '{"score": 4}'}]}, "logprobsResult": {
        "chosenCandidates": [{"token": "4"}],
        "topCandidates": [{"candidates": [{"token": one["token"], "logProbability": one["logprob"]} for one in TOP]}],
    }}], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3}},
    "ollama": {"message": {"content": '{"score": 4}'}, "logprobs": [TOKEN], "prompt_eval_count": 7, "eval_count": 3},
}  # fmt: skip
GOOD |= {"vllm": GOOD["openai"], "llamacpp": GOOD["openai"]}
REFUSED: dict[str, Any] = {
    "openai": {"choices": [{"message": {"content": None, "refusal": "no"}}]},
    "responses": {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]},
    "anthropic": {"content": [], "stop_reason": "refusal"},
    "gemini": {"promptFeedback": {"blockReason": "SAFETY"}},
}
PATHS = {
    "gemini": "models/toy:generateContent",
    "anthropic": "messages",
    "responses": "responses",
    "ollama": "api/chat",
}
KEYS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}


def ask(server: Server, dialect: str, wanted: Ask | None) -> list[Answer]:
    made: Any = system(f"chat:toy:base={server.url}:dialect={dialect}:retries=0:concurrency=1:cache=none")
    told = [{"role": "system", "content": "be fair"}, {"role": "user", "content": "rate"}]
    return list(made.reply([Example(id="1")], lambda example: told, wanted))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_with_schema_and_probabilities(server: Server, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    server.behave = lambda number, body: (200, GOOD[dialect])
    (answer,) = ask(server, dialect, Ask(SCHEMA, True, {"1": 5}))
    assert json.loads(answer.text) == {"score": 4}
    assert (answer.details["tokens_in"], answer.details["tokens_out"]) == (7, 3)
    if dialect != "anthropic":  # it gives no probabilities
        assert answer.details["tokens"] == [("4", [("4", -0.1), ("5", -2.5)])]
    body = json.dumps(server.calls[0])
    assert '"score"' in body
    assert "be fair" in body
    assert "rate" in body
    if dialect not in ("anthropic", "responses"):  # they have no seed
        assert '"seed": 5' in body
    key = KEYS.get(dialect, "Authorization")
    assert {name.lower(): value for name, value in server.headers[0].items()}[key.lower()].endswith(
        "sk-test-0123456789"
    )
    assert server.paths[0] == f"/v1/{PATHS.get(dialect, 'chat/completions')}"


@pytest.mark.parametrize("dialect", REFUSED)
def test_refusals_are_told_apart(server: Server, dialect: str) -> None:
    server.behave = lambda number, body: (200, REFUSED[dialect])
    (answer,) = ask(server, dialect, Ask())
    assert (answer.text, answer.details["refusal"]) == ("", True)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("damage", [{}, [], {"choices": []}, {"content": 3}, {"output": [3]}, {"candidates": "x"}, 5])
def test_damaged_answers_are_errors(server: Server, dialect: str, damage: Any) -> None:
    server.behave = lambda number, body: (200, damage)
    with pytest.raises(AssayError, match="no chat completion"):
        ask(server, dialect, None)


def test_a_server_without_schemas_is_asked_without(server: Server) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        return (400, {"error": "unknown response_format"}) if "response_format" in body else (200, server.answer("4"))

    server.behave = behave
    (answer,) = ask(server, "openai", Ask(SCHEMA))
    assert answer.text == "4"
    assert len(server.calls) == 2


def test_calls_at_once_to_a_server_without_schemas_are_all_answered(server: Server) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(0.2)  # all calls are under way before the first refusal
        return (400, {"error": "unknown response_format"}) if "response_format" in body else (200, server.answer("4"))

    server.behave = behave
    made: Any = system(f"chat:toy:base={server.url}:retries=0:concurrency=6:cache=none")
    told = [{"role": "user", "content": "rate"}]
    answers = list(made.reply([Example(id=str(i)) for i in range(6)], lambda example: told, Ask(SCHEMA)))
    assert [answer.text for answer in answers] == ["4"] * 6


def test_settings_that_a_model_refuses_are_left_out_or_renamed(server: Server) -> None:
    """Reasoning models take no temperature, and name the limit of tokens otherwise; other servers take no seed."""
    refusals = {
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use another one.",
        "temperature": "Unsupported value: 'temperature' does not support 0 with this model.",
        "seed": '{"type": "extra_forbidden", "loc": ["body", "seed"]}',
    }

    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        refused = next((why for name, why in refusals.items() if name in body), None)
        return (400, {"error": refused}) if refused else (200, server.answer("4"))

    server.behave = behave
    made: Any = system(f"chat:toy:base={server.url}:retries=0:concurrency=1:cache=none:max_tokens=9")
    told = [{"role": "user", "content": "rate"}]
    answers = list(made.reply([Example(id="1"), Example(id="2")], lambda example: told, Ask(SCHEMA)))
    assert [answer.text for answer in answers] == ["4", "4"]
    assert len(server.calls) == 5  # three are refused once
    assert server.calls[-1]["max_completion_tokens"] == 9
    assert server.calls[-1]["response_format"]
    assert "does not accept seed, temperature" in made.usage()["warnings"][0]


def test_a_setting_out_of_range_is_an_error(server: Server) -> None:
    server.behave = lambda number, body: (400, {"error": "max_tokens must be at most 100"})
    with pytest.raises(AssayError, match="max_tokens must be at most 100"):
        ask(server, "openai", None)
    assert len(server.calls) == 1


def test_thoughts_of_gemini_are_paid_and_not_read(server: Server) -> None:
    parts = [{"text": "maybe 3", "thought": True}, {"text": "4"}]
    used = {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 50}
    answer = {"candidates": [{"content": {"parts": parts}}], "usageMetadata": used}
    server.behave = lambda number, body: (200, answer)
    (read,) = ask(server, "gemini", None)
    assert (read.text, read.details["tokens_out"]) == ("4", 53)


def test_failures_have_a_kind_and_count_once_the_server_is_known_to_be_up(server: Server) -> None:
    def behave(number: int, body: dict[str, Any]) -> tuple[int, Any]:
        word = body["messages"][-1]["content"]
        if word == "0":
            return 200, "slow"
        policy = {"error": "blocked by content_filter"}
        return {"1": (400, policy), "2": (500, {})}.get(word, (200, server.answer("4")))

    server.behave = behave
    made: Any = system(f"chat:toy:base={server.url}:retries=0:concurrency=1:cache=none:timeout=0.2")
    examples = [Example(id=str(i)) for i in range(5)]
    answers = list(made.reply(examples, lambda e: [{"role": "user", "content": e.id}], Ask()))
    assert [answer.id for answer in answers] == ["3", "0", "1", "2", "4"]
    assert [answer.details.get("failure") for answer in answers] == [None, "timeout", "refusal", "error", None]


def test_limits_of_cost_and_rate(server: Server) -> None:
    import time

    server.behave = lambda number, body: (200, server.answer("4"))  # 7 tokens in, 3 out
    base = f"chat:toy:base={server.url}:concurrency=2:cache=none"
    made: Any = system(f"{base}:price_in=1e6:price_out=1e6:max_tokens=3:max_cost=500")
    examples = [Example(id=str(i)) for i in range(100)]
    with pytest.raises(AssayError, match="max_cost 500 would be exceeded"):
        list(made.reply(examples, lambda e: [{"role": "user", "content": e.id}], Ask()))
    assert 0 < 10 * len(server.calls) <= 500
    with pytest.raises(AssayError, match="needs the prices"):
        system(f"{base}:max_cost=1")
    quick: Any = system(f"{base}:rate=50")
    start = time.monotonic()
    list(quick.reply(examples[:11], lambda e: [{"role": "user", "content": e.id}], Ask()))
    assert time.monotonic() - start >= 0.19


def test_unknown_dialects_are_refused() -> None:
    with pytest.raises(AssayError, match="did you mean ollama"):
        system("chat:toy:dialect=olama")
