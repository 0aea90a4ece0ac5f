import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ints = NDArray[np.int32]
Places = NDArray[np.int64]

def extend(types: Ints, tokens: Ints, starts: Places, order: int) -> Ints: ...
def gather(types: Ints, starts: Places, size: int, closing: bool) -> tuple[Places, Ints, Ints, Places, Ints]: ...
