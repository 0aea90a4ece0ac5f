import numpy as np
from numpy.typing import NDArray

COMPILED: bool

def moved(costs: NDArray[np.float64], supply: NDArray[np.int64], demand: NDArray[np.int64]) -> float: ...
