import numpy as np
from numpy.typing import NDArray

COMPILED: bool

ASCII_WORDS: int
SPACES: int
MTEVAL: int
GEM: int
PEELED: int
GEM_ASCII: int

def characters(texts: list[str], spaces: bool) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...

class Cutter:
    def __init__(self) -> None: ...
