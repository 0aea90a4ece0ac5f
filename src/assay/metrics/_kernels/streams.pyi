import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Places = NDArray[np.int64]

def segments(types: NDArray[np.int32], starts: Places, indices: Places, size: int, kinds: int) -> Places: ...
def segments_in_order(
    types: NDArray[np.int32], starts: Places, lanes: NDArray[np.uint8], samples: int, size: int, kinds: int
) -> Places: ...
