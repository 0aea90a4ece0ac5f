"""The cache folder on disk."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """Where answers are kept unless an option says otherwise."""
    base = os.environ.get("ASSAY_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay"
