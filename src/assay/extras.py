"""Optional dependencies (extras), and the message if one is missing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

EXTRAS = {
    "cluster": ("ray",),
    "remote": ("fsspec",),
    "neural": ("torch", "transformers"),
    "endpoint": ("httpx",),
    "dialog": ("rapidfuzz",),
}
"""Packages that each extra needs."""


def missing_extra(name: str) -> str | None:
    """Return why an extra is not available, with the command that installs it; None if it is."""
    missing = [package for package in EXTRAS[name] if find_spec(package) is None]
    return not_installed(missing, name) if missing else None


def not_installed(packages: Sequence[str], extra: str) -> str:
    """Return the message for packages that are missing, with the command that installs their extra."""
    verb = "is" if len(packages) == 1 else "are"
    return f"{', '.join(packages)} {verb} not installed; pip install 'assay-eval[{extra}]'"
