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
    """Return the text of a chat completion and its details: token counts, and `cut` if it reached the length limit."""
    try:
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise AssayError("no chat completion in the answer") from None
    if not isinstance(text, str):
        raise AssayError("no text in the answer")
    used = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
    tokens = {"tokens_in": used.get("prompt_tokens"), "tokens_out": used.get("completion_tokens")}
    details: dict[str, Any] = {key: value for key, value in tokens.items() if _is_count(value)}
    return text.strip(), details | ({"cut": True} if choice.get("finish_reason") == "length" else {})


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
