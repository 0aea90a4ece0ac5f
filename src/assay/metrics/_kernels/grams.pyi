import numpy as np
from numpy.typing import NDArray

COMPILED: bool
SARI_COLUMNS: int

Ids = NDArray[np.int32]
Places = NDArray[np.int64]

def bleu(ids: Ids, starts: Places, first: Places, order: int) -> Places: ...
def matches(ids: Ids, starts: Places, candidates: Places, references: Places, order: int) -> Places: ...
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
def sari(ids: Ids, starts: Places, first: Places, order: int) -> NDArray[np.float64]: ...
def recall(ids: Ids, starts: Places, first: Places, levels: int) -> Places: ...
def novel(ids: Ids, starts: Places, first: Places, order: int) -> Places: ...
def fragments(ids: Ids, starts: Places, outputs: Places, sources: Places) -> Places: ...
