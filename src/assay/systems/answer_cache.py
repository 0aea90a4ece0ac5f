"""The cache of endpoint answers: one sealed file for each request, named by its content."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.cache_folder import cache_home
from assay.records.digests import broken_seal, seal
from assay.records.documents import read_json
from assay.records.files import digest_of, to_json, write_text
from assay.systems.dialects import Dialect


def cache_file(cache: str, base: str, body: Mapping[str, Any]) -> Path | None:
    """Return the file of an answer in a cache folder (default: that of the user); None for `none`."""
    if cache == "none":
        return None
    name = digest_of(base, body)
    return (Path(cache) if cache else cache_home() / "endpoints") / name[:2] / f"{name}.json"


def cached_answer(file: Path | None, dialect: Dialect) -> dict[str, Any] | None:
    """Return the stored answer; None if there is none, or it is damaged and has to be requested again."""
    if file is None or not file.is_file():
        return None
    try:
        kept = read_json(file)
        response: dict[str, Any] = kept["response"]
        dialect.read(response)
        return None if broken_seal(kept) else response
    except (KeyError, TypeError, AssayError):
        return None


def keep_answer(file: Path | None, body: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Store an answer. A failed write must not lose a paid answer."""
    if file is not None:
        with suppress(OSError):
            write_text(file, to_json(seal({"request": body, "response": answer}), indent=None) + "\n")
