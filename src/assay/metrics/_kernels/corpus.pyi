import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.int8]

def information(
    types: Ints, starts: Places, first: Places, size: int, prefix: Ints, below: Places, chosen: Flags
) -> tuple[Floats, Places]: ...
def consensus(
    types: Ints, starts: Places, first: Places, size: int, chosen: Flags, clip: bool, sigma: float, penalty: Places
) -> Floats: ...
def others(types: Ints, starts: Places, size: int, chosen: Flags) -> Places: ...
