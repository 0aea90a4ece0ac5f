import numpy as np
from numpy.typing import NDArray

COMPILED: bool

def ter(ids: NDArray[np.int32], starts: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.float64]: ...
