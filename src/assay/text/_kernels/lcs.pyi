import numpy as np
from numpy.typing import NDArray

COMPILED: bool

class Subsequences:
    def __init__(self, vocabulary: int) -> None: ...

def common(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    vocabulary: int,
) -> NDArray[np.int64]: ...
def weighted(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    weight: float,
) -> NDArray[np.float64]: ...
