import numpy as np
from numpy.typing import NDArray

COMPILED: bool

def pieced(
    ids: NDArray[np.int32], begins: NDArray[np.int64], lengths: NDArray[np.int64], before: NDArray[np.int32]
) -> NDArray[np.int32]: ...
