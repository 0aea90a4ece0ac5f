import numpy as np
from numpy.typing import NDArray

COMPILED: bool

def occurrences(
    tokens: NDArray[np.int32], suffixes: NDArray[np.int32], query: NDArray[np.int32], limit: int
) -> NDArray[np.int32]: ...
