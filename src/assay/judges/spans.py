"""Error spans in the answer of a judge: their category, severity and place in the output."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from assay.judges.form import JudgeForm

LONGEST = 2000
"""Characters of a span above which it is only found word for word."""
MOST = 1000
"""Spans of an answer."""


class Span(NamedTuple):
    """An error that a judge marked; without `start` its words are not in the output."""

    text: str
    category: str
    severity: str
    start: int | None
    end: int | None


def read_spans(form: JudgeForm, listed: Any, output: str) -> tuple[Span, ...] | str:
    """Return the errors in a list, or what is wrong with it."""
    if not isinstance(listed, list):
        return "no list of errors in the JSON object"
    categories, severities = ({key.lower(): key for key in known} for known in (form.categories, form.severities))
    spans = []
    for each in listed[:MOST]:
        fields = each if isinstance(each, dict) else {}
        category = categories.get(str(fields.get("category", "")).strip().lower())
        severity = severities.get(str(fields.get("severity", "")).strip().lower())
        words = fields.get("text")
        if category is None or severity is None or not isinstance(words, str):
            return f"{shown(each)} is no error with text, category and severity"
        spans.append(Span(words[:400], category, severity, *place_of(words, output)))
    return tuple(spans)


def listed_errors(text: str) -> list[dict[str, Any]] | None:
    """Return a list of errors that is not inside an object, as such an object; None if there is none."""
    at = text.find("[")
    if at < 0 or 0 <= text.find("{") < at:
        return None
    try:
        listed, _ = json.JSONDecoder(parse_constant=lambda word: None).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return [{"errors": listed}] if all(isinstance(each, dict) for each in listed) else None


def place_of(words: str, output: str) -> tuple[int, int] | tuple[None, None]:
    """Return where the words are in the output, in other letter case or with other white space if need be."""
    start = output.find(words) if words.strip() else -1
    if start >= 0:
        return start, start + len(words)
    parts = [re.escape(part) for part in words[:LONGEST].split()]
    match = re.search(r"\s+".join(parts), output, re.IGNORECASE) if parts and len(words) < LONGEST else None
    return match.span() if match else (None, None)


def shown(raw: Any) -> str:
    """Return the start of an answer for a message."""
    text = raw if isinstance(raw, str) else repr(raw)
    return repr(" ".join(text.split())[:40])
