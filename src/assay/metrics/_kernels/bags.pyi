import numpy as np
from numpy.typing import NDArray

COMPILED: bool
COLUMNS: int
TILE: int

Ints = NDArray[np.int32]
Places = NDArray[np.int64]

def extend(types: Ints, tokens: Ints, starts: Places, order: int) -> Ints: ...
def gather(types: Ints, starts: Places, size: int) -> tuple[Places, Ints, Ints, Ints, NDArray[np.int8]]: ...
def pack(weights: Ints) -> NDArray[np.uint64]: ...
def fold(
    heads: Places,
    times: Ints,
    items: Ints,
    counts: Ints,
    ends: NDArray[np.int8],
    weights: Ints,
    packed: NDArray[np.uint64],
) -> NDArray[np.float64]: ...
def segments(types: Ints, starts: Places, indices: Places, size: int, kinds: int) -> Places: ...
