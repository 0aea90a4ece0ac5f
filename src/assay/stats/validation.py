"""Checks of input arrays, and the error for a statistic that has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class UndefinedStatistic(AssayError):  # noqa: N818 - it describes the data, not a fault of the program
    """A statistic has no value for this input, e.g. a constant column or too few rows. It is never replaced by 0."""


def finite_pair(x: ArrayLike, y: ArrayLike, least: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two vectors of equal length without NaN and infinity, with at least `least` rows."""
    a, b = finite_vector(x, 1), finite_vector(y, 1)
    if len(a) != len(b):
        raise UndefinedStatistic(f"the two columns have {len(a)} and {len(b)} rows; join them by id first")
    if len(a) < least:
        raise UndefinedStatistic(f"only {len(a)} rows; at least {least} are needed")
    return a, b


def finite_vector(x: ArrayLike, least: int) -> NDArray[np.float64]:
    """Return a vector of floats without NaN and infinity, with at least `least` values."""
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1:
        raise UndefinedStatistic(f"an array of shape {values.shape}; a list of numbers is needed")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise UndefinedStatistic(
            f"{len(bad)} values are NaN or infinite, the first at position {bad[0]}; leave them out"
        )
    if len(values) < least:
        raise UndefinedStatistic(f"only {len(values)} values; at least {least} are needed")
    return values


def group_codes(*columns: ArrayLike) -> NDArray[np.int64]:
    """Return the combination of one or more categorical columns as integers 0 to k-1."""
    code: NDArray[Any] | None = None
    for column in columns:
        _, part = np.unique(np.asarray(column), return_inverse=True)
        part = part.reshape(-1)
        if code is not None and len(part) != len(code):
            raise UndefinedStatistic(f"grouping columns have {len(code)} and {len(part)} rows")
        joined = part if code is None else code * (int(part.max(initial=0)) + 1) + part
        _, code = np.unique(joined, return_inverse=True)
        code = code.reshape(-1)
    if code is None:
        raise UndefinedStatistic("no grouping column was given")
    return code.astype(np.int64)
