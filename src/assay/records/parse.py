"""JSON parsing: strict where data would be lost, with the line of every error."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, first_line

UNPAIRED_SURROGATE = re.compile(
    r"(?i)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}"
)
UNPAIRED = "unpaired surrogate (such as \\ud800)"


def whole(text: str, path: Path) -> Any:
    """Parse a JSON document. A key that is repeated in one object is an error: only the last value would count."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
            raise AssayError(f"{path}: {repeated!r} is repeated in one object. Keep one.")
        return fields

    return writable(json.loads(text, object_pairs_hook=unique))


def writable(value: Any) -> Any:
    """Return the value unchanged; raise a ValueError for unpaired surrogates, which cannot be encoded as UTF-8."""
    json.dumps(value, ensure_ascii=False).encode()
    return value


def not_json(text: str, path: Path, error: ValueError | RecursionError) -> AssayError:
    """Return an error with the line and the reason why a document is not JSON."""
    if isinstance(error, RecursionError):
        return AssayError(f"{path}: nested too deeply. Check how the file was written.")
    if isinstance(error, UnicodeEncodeError):
        half = UNPAIRED_SURROGATE.search(text)
        line = text.count("\n", 0, half.start() if half else 0) + 1
        return AssayError(f"{path}:{line}: {UNPAIRED}. Write whole characters.")
    last = text.rstrip().count("\n") + 1  # the parser reports the end of a cut file on the empty line after it
    line, problem = (
        (min(error.lineno, last), error.msg) if isinstance(error, json.JSONDecodeError) else (1, first_line(error))
    )
    return AssayError(f"{path}:{line}: not JSON ({problem}). Fix it, or write one JSON object per line.")


BROKEN = object()
"""Result of `try_json` for a line that is not JSON."""


def try_json(line: str) -> Any:
    """Return the value of a line of JSON, or `BROKEN`."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        try:
            return writable(json.loads(line))  # accepts bare NaN, which published files contain
        except (ValueError, RecursionError):
            return BROKEN
