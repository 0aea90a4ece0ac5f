import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int

def meteor(
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    pairs: NDArray[np.int64],
    stems: NDArray[np.int32],
    sense_starts: NDArray[np.int64],
    senses: NDArray[np.int64],
    function: NDArray[np.int8],
    phrases: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    key_starts: NDArray[np.int64],
    seconds: NDArray[np.uint64],
    lengths: NDArray[np.int32],
) -> NDArray[np.float64]: ...
