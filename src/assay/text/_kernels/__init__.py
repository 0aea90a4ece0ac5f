"""Hot loops over the letters and words of texts: plain Python files that Cython compiles when the package is built.

Uncompiled the same files run and give the same numbers, only slower. A kernel knows nothing of records.
Its types for callers stand in the `.pyi` beside it, because its own annotations speak to the compiler.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files

PACKAGES = ("assay.text._kernels", "assay.metrics._kernels")


def compiled() -> dict[str, bool]:
    """Which kernels run compiled here, by module."""
    names = [
        f"{package}.{entry.name.removesuffix('.py')}"
        for package in PACKAGES
        for entry in files(package).iterdir()
        if entry.name.endswith(".py") and not entry.name.startswith("_")
    ]
    return {name: bool(import_module(name).COMPILED) for name in sorted(names)}
