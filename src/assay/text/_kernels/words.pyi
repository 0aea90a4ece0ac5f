from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

COMPILED: bool

Ids = NDArray[np.int32]
Places = NDArray[np.int64]

class Vocabulary:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def words(self) -> list[str]: ...
    def read(
        self,
        texts: list[str],
        rule: int,
        lower: bool = False,
        beyond: Callable[[str], list[str]] | None = None,
        prepare: Callable[[str], str] | None = None,
    ) -> tuple[Ids, Places]: ...
    def read_cut(self, texts: list[str], cut: Callable[[str], list[str]]) -> tuple[Ids, Places]: ...
    def read_lines(
        self, texts: list[str], rule: int, lower: bool = False, beyond: Callable[[str], list[str]] | None = None
    ) -> tuple[Ids, Places, Places]: ...
