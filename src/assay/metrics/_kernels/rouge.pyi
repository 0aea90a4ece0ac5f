import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int

def count_pairs(
    tokens: NDArray[np.int32],
    sentences: NDArray[np.int64],
    texts: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    vocabulary: int,
) -> NDArray[np.int64]: ...
