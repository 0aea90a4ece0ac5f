import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ids = NDArray[np.int32]
Places = NDArray[np.int64]

def chrf(
    codes: Ids,
    starts: Places,
    words: Ids,
    word_starts: Places,
    first: Places,
    orders: tuple[int, int],
    beta: float,
    smooth: bool,
) -> Places: ...
