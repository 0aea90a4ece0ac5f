import numpy as np
from numpy.typing import NDArray

COMPILED: bool

def levenshtein(
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    vocabulary: int,
) -> NDArray[np.int64]: ...
