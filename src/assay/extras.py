"""What a core install leaves out: packages that come as an extra, and what to say where they are missing."""

from __future__ import annotations

from importlib.util import find_spec

EXTRAS = {
    "cluster": ("ray",),
    "remote": ("fsspec",),
    "neural": ("torch", "transformers"),
    "endpoint": ("httpx",),
    "dialog": ("rapidfuzz",),
}
"""Extra to the packages that must be there."""


def missing_extra(name: str) -> str | None:
    """Why what needs an extra cannot run here, or None."""
    missing = [package for package in EXTRAS[name] if find_spec(package) is None]
    return f"needs the {name} extra (pip install 'assay-eval[{name}]'): no {', '.join(missing)}" if missing else None
