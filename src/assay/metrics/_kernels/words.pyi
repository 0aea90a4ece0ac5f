from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ids = NDArray[np.int32]
Places = NDArray[np.int64]

ASCII_WORDS: int
SPACES: int
MTEVAL: int
GEM: int
GEM_ASCII: int
PEELED: int

def characters(texts: list[str], spaces: bool) -> tuple[Ids, Places]: ...

class Vocabulary:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def words(self) -> list[str]: ...
    def read(
        self, texts: list[str], rule: int, beyond: Callable[[str], list[str]] | None = None
    ) -> tuple[Ids, Places]: ...
    def read_cut(self, texts: list[str], cut: Callable[[str], list[str]]) -> tuple[Ids, Places]: ...
    def read_lines(
        self, texts: list[str], rule: int, beyond: Callable[[str], list[str]] | None = None
    ) -> tuple[Ids, Places, Places]: ...
