import numpy as np
from numpy.typing import NDArray

COMPILED: bool
NONE: int

Types = NDArray[np.uint32]
Pairs = NDArray[np.uint64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]
Floats = NDArray[np.float64]

def deal(
    at: Types, words: Ints, starts: Places, labels: Ints, order: int, hands: int
) -> tuple[Pairs, Ints, Ints, Places]: ...
def number(pairs: Pairs) -> tuple[Ints, int]: ...
def holders(numbers: Ints, owners: Ints, size: int) -> Ints: ...
def summarise(counts: Ints, closing: Ints, few: Places, summary: Floats) -> None: ...
def add_large(counts: Places, times: Ints, summary: Floats) -> None: ...
def information(at: Types, counts: Places, below: Places, starts: Places, first: Places, room: int) -> Floats: ...
def consensus(
    at: Types,
    found: Ints,
    starts: Places,
    first: Places,
    room: int,
    documents: int,
    clip: bool,
    sigma: float,
    penalty: Places,
) -> Floats: ...
