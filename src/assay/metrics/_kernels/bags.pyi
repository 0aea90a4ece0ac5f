import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int

def fold(
    types: NDArray[np.int32],
    starts: NDArray[np.int64],
    weights: NDArray[np.int32],
    size: int,
    prefix: NDArray[np.int32] | None = None,
    below: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def segments(
    types: NDArray[np.int32],
    starts: NDArray[np.int64],
    indices: NDArray[np.int64],
    size: int,
    kinds: int,
) -> NDArray[np.int64]: ...
