import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int

Ids = NDArray[np.int32]
Places = NDArray[np.int64]

def sari(ids: Ids, starts: Places, first: Places, order: int) -> NDArray[np.float64]: ...
