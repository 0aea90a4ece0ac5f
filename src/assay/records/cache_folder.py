"""Where what is kept between runs stands."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """The folder that the environment names, else the usual one."""
    base = os.environ.get("ASSAY_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay"
