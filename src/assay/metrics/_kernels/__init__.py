"""Hot loops over flat arrays: plain Python files that Cython compiles when the package is built.

Uncompiled the same files run and give the same numbers, only slower. A kernel knows nothing of records.
Its types for callers stand in the `.pyi` beside it, because its own annotations speak to the compiler.
"""

from __future__ import annotations

from importlib import import_module

NAMES = (
    "bags",
    "band",
    "chrf",
    "corpus",
    "cut",
    "edits",
    "grams",
    "lanes",
    "lcs",
    "pieces",
    "porter",
    "rouge",
    "sari",
    "streams",
    "ter",
    "tree",
    "words",
)


def compiled() -> dict[str, bool]:
    """Which kernels run compiled here."""
    return {name: bool(import_module(f"{__name__}.{name}").COMPILED) for name in NAMES}
