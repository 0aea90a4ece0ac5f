"""Hot loops over the letters and words of texts: plain Python files that Cython compiles when the package is built.

Uncompiled the same files run and give the same numbers, only slower. A kernel knows nothing of records.
Types for callers are in the `.pyi` next to it, because its own annotations are for the compiler.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files


def compiled() -> dict[str, bool]:
    """Which kernels of any room run compiled here, by module."""
    names = [
        f"assay.{room.name}._kernels.{entry.name.removesuffix('.py')}"
        for room in files("assay").iterdir()
        if (room / "_kernels").is_dir()
        for entry in (room / "_kernels").iterdir()
        if entry.name.endswith(".py") and not entry.name.startswith("_")
    ]
    return {name: bool(import_module(name).COMPILED) for name in sorted(names)}
