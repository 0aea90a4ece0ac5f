"""The cache folder and its size limit."""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.errors import AssayError

UNFINISHED_RUNS = "unfinished"
"""Folder of statistics of interrupted runs that were not saved."""
DEFAULT_SIZE = "5GB"
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def cache_home() -> Path:
    """Return the cache folder: `assay` in `ASSAY_CACHE` or `XDG_CACHE_HOME` (default: ~/.cache)."""
    base = os.environ.get("ASSAY_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay"


def size_of(text: str) -> int:
    """Return the number of bytes of a size such as `500MB`, `5GB` or a plain number."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]B)?", text.strip().upper())
    if read is None:
        raise AssayError(f"{text}: not a cache size. Give 500MB, 5GB, or 0 for no cache.")
    return int(float(read[1]) * UNITS[read[2] or ""])


def cache_limit() -> int:
    """Return the number of bytes of `ASSAY_CACHE_SIZE` (default: 5 GB); 0 turns the cache off."""
    return size_of(os.environ.get("ASSAY_CACHE_SIZE") or DEFAULT_SIZE)
