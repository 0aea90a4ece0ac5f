import numpy as np
from numpy.typing import NDArray

COMPILED: bool
LONGEST: int

def line_hashes(text: NDArray[np.uint8], count: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]: ...
def phrase_hashes(
    ids: NDArray[np.int32], starts: NDArray[np.int64], hashes: NDArray[np.uint64]
) -> NDArray[np.uint64]: ...
