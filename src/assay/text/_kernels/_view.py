"""Access of kernels to arrays."""

from __future__ import annotations

from typing import Any


def view(array: Any) -> Any:
    """Return a memoryview of an array.

    Compiled code takes it as a typed view. Uncompiled code gets elements that are Python ints and floats: scalars of
    numpy are slower and overflow differently.
    """
    return memoryview(array)
