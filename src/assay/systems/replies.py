"""Parsing of chat server answers, which are untrusted JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from assay.errors import AssayError
from assay.records.parse import UNPAIRED_SURROGATE, writable

MOST_TOKENS = 1 << 53
"""Upper limit of a valid token count."""


def read_reply(text: str) -> Any:
    """Parse the JSON of an untrusted server. Non-finite numbers become None, unpaired surrogates the replacement
    character."""

    def number(digits: str) -> float | None:
        value = float(digits)
        return value if math.isfinite(value) else None

    def read(content: str) -> Any:
        return json.loads(content, parse_constant=lambda word: None, parse_float=number)

    answer = read(text)
    try:
        return writable(answer)
    except UnicodeEncodeError:
        return read(UNPAIRED_SURROGATE.sub(r"\\ufffd", text))


def read_answer(answer: Any) -> tuple[str, dict[str, Any]]:
    """Return the text of a chat completion and its details: token counts, `cut` if it reached the length limit,
    `refusal` if the model declined, and `tokens` with their alternatives where the server gives them."""
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        finish = choice.get("finish_reason")
        text = _written(message)
        refused = isinstance(message.get("refusal"), str) or finish == "content_filter"
    except (KeyError, IndexError, TypeError, AttributeError):
        raise AssayError("no chat completion in the answer") from None
    if text is None and (refused or finish == "length"):  # thoughts alone can reach the limit
        text = ""
    if not isinstance(text, str):
        raise AssayError("no text in the answer")
    used = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
    counts = {"tokens_in": count_of(used.get("prompt_tokens")), "tokens_out": count_of(used.get("completion_tokens"))}
    details: dict[str, Any] = {key: value for key, value in counts.items() if value is not None}
    listed = choice.get("logprobs")
    tokens = read_tokens(listed.get("content") if isinstance(listed, dict) else None)
    more = {"cut": finish == "length", "refusal": refused, "tokens": tokens}
    return text.strip(), details | {key: value for key, value in more.items() if value}


def _written(message: dict[str, Any]) -> Any:
    """Return the text of a message: its content, its parts without thoughts, or the arguments of the tool that it
    calls."""
    text = message["content"] if "content" in message or not message.get("tool_calls") else None
    if isinstance(text, list):
        return "".join(part["text"] for part in text if part.get("type") == "text")
    calls = message.get("tool_calls")
    return calls[0]["function"]["arguments"] if not text and isinstance(calls, list) and calls else text


def read_tokens(listed: Any) -> list[tuple[str, list[tuple[str, float]]]]:
    """Return the tokens of an answer, each with its alternatives and their log-probabilities; damaged ones without."""
    tokens = []
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, dict) or not isinstance(one.get("token"), str):
            return []  # positions could not be told any more
        top = one.get("top_logprobs")
        tokens.append((one["token"], [
            (each["token"], float(each["logprob"]))
            for each in (top if isinstance(top, list) else ())
            if isinstance(each, dict) and isinstance(each.get("token"), str) and _is_logprob(each.get("logprob"))
        ]))  # fmt: skip
    return tokens


def _is_logprob(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value <= 1e-6


def count_of(value: Any) -> int | None:
    """Return a token count; None if it is no count."""
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if good else None
