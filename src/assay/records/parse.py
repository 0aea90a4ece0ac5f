"""JSON to values: strict where a reader would lose something, and every refusal with its place."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, first_line

HALF_PAIR = re.compile(r"(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}")
HALF_PAIR_FOUND = "half a surrogate pair (such as \\ud800) is no letter"


def whole(text: str, path: Path) -> Any:
    """A JSON document in which no name stands twice in one object: only the last would count."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
            raise AssayError(f"{path}: {twice!r} stands more than once in one object; keep one of each")
        return made

    return writable(json.loads(text, object_pairs_hook=unique))


def writable(value: Any) -> Any:
    """The same; half a surrogate pair is no letter and could not be written again (a ValueError)."""
    json.dumps(value, ensure_ascii=False).encode()
    return value


def not_json(text: str, path: Path, error: ValueError | RecursionError) -> AssayError:
    """What is wrong with a document, and where."""
    if isinstance(error, RecursionError):
        return AssayError(f"{path}: too many brackets inside each other to be items; check how it was written")
    if isinstance(error, UnicodeEncodeError):
        half = HALF_PAIR.search(text)
        line = text.count("\n", 0, half.start() if half else 0) + 1
        return AssayError(f"{path}:{line}: {HALF_PAIR_FOUND}")
    line, problem = (error.lineno, error.msg) if isinstance(error, json.JSONDecodeError) else (1, first_line(error))
    return AssayError(f"{path}:{line}: not JSON ({problem}); fix it, or give one JSON object a line")


BROKEN = object()
"""What `try_json` gives for a line that is none."""


def try_json(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        try:
            return writable(json.loads(line))  # tolerates the bare NaN that published files contain
        except (ValueError, RecursionError):
            return BROKEN
