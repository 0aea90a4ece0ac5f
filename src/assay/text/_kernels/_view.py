"""How an uncompiled kernel sees an array."""

from __future__ import annotations

from typing import Any

import cython


def view(array: Any) -> Any:
    """Compiled code indexes arrays as C does. Python code gets a memoryview, whose elements are plain ints and
    floats: numpy's own scalars are slower and overflow differently."""
    return array if cython.compiled else memoryview(array)
