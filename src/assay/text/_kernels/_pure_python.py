"""The names of Cython that kernels use, for running them uncompiled where Cython is not installed.

Types convert, decorators return the function unchanged, blocks without the GIL are plain blocks. Names inside
`if cython.compiled:` are read by the compiler only and are not defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")
compiled = False


class _Array:
    """`cython.int[64]`, a C array of that length, or `cython.int[::1]`, a view of an array."""

    def __init__(self, shape: Any) -> None:
        self.length = None if isinstance(shape, slice | tuple) else shape

    def __call__(self, value: Any = None) -> Any:
        return value if self.length is None else [0] * self.length


class _Type:
    """A C type: converts a value to the Python type that replaces it."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self.convert = convert

    def __call__(self, value: Any = 0) -> Any:
        return self.convert(value)

    def __getitem__(self, shape: Any) -> _Array:
        return _Array(shape)


class _Lock(nullcontext[None]):
    """`cython.nogil` and `cython.gil`: a decorator, or the context of a `with` block."""

    def __call__(self, function: T) -> T:
        return function


def declare(kind: Callable[..., Any], *value: Any) -> Any:
    """Return `value` converted to a type, or its zero."""
    return kind(*value)


def cast(kind: Callable[[Any], Any], value: Any) -> Any:
    return kind(value)


def exceptval(*value: Any, check: bool = True) -> Callable[[T], T]:
    return _unchanged


def _unchanged(decorated: T) -> T:
    return decorated


cclass = cfunc = final = inline = _unchanged
gil, nogil = _Lock(), _Lock()
bint, double = _Type(bool), _Type(float)
Py_ssize_t = char = int = longlong = schar = uchar = uint = ulonglong = _Type(int)
