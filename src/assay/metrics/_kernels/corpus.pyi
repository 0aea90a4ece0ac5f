import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Floats = NDArray[np.float64]

def information(
    types: Ints, starts: Places, first: Places, size: int, prefix: Ints, below: Places
) -> tuple[Floats, Places]: ...
def consensus(
    types: Ints, starts: Places, first: Places, size: int, clip: bool, sigma: float, penalty: Places
) -> Floats: ...
def others(types: Ints, starts: Places, size: int) -> Places: ...
