"""What a chat server answered: read as JSON of a stranger, and the text in it."""

from __future__ import annotations

import json
import math
from typing import Any

from assay.errors import AssayError
from assay.records.parse import UNPAIRED_SURROGATE, writable

MOST_TOKENS = 1 << 53
"""More are no number of tokens."""


def read_reply(text: str) -> Any:
    """The JSON of a server that is not to be trusted: numbers that no file can hold are nothing, and half a surrogate
    pair is the letter for what cannot be read."""

    def number(digits: str) -> float | None:
        found = float(digits)
        return found if math.isfinite(found) else None

    def read(given: str) -> Any:
        return json.loads(given, parse_constant=lambda word: None, parse_float=number)

    answer = read(text)
    try:
        return writable(answer)
    except UnicodeEncodeError:
        return read(UNPAIRED_SURROGATE.sub(r"\\ufffd", text))


def read_answer(answer: Any) -> tuple[str, dict[str, Any]]:
    """The text of a chat completion, how many tokens it took, and whether it was cut for being too long."""
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
