import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int
TILE: int
BYTE: int

Ints = NDArray[np.int32]
Places = NDArray[np.int64]

def fold(
    heads: Places,
    times: Ints,
    items: Ints,
    closed: Places,
    closing: Ints,
    lanes: NDArray[np.uint8],
    samples: int,
    most: int,
) -> NDArray[np.float64]: ...
