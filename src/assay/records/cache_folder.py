"""The cache folder."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """Return the cache folder: `assay` in `ASSAY_CACHE` or `XDG_CACHE_HOME` (default: ~/.cache)."""
    base = os.environ.get("ASSAY_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay"
