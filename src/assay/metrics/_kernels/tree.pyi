import numpy as np
from numpy.typing import NDArray

COMPILED: bool

class Tree:
    def __init__(self, positions: int, nodes: int, order: int, symbols: int) -> None: ...

def tree_for(ids: NDArray[np.int32], starts: NDArray[np.int64], order: int, tokens: int | None = None) -> Tree: ...
