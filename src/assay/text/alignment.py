"""What two texts share in order, and how far they are apart: longest common subsequences and edit distances.

Texts are numbers, of words (`tokenize.read`) or of characters (`characters`), one after the other in one array: text i
is ids[starts[i]:starts[i + 1]], and pair k is made of the texts ours[k] and theirs[k].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.text._kernels import edits, lcs
from assay.text._kernels.cut import characters

if TYPE_CHECKING:
    from assay.text._kernels.words import Ids, Places

Lengths = NDArray[np.int64]


def common_lengths(ids: Ids, starts: Places, ours: Places, theirs: Places, size: int | None = None) -> Lengths:
    """Return the length of the longest common subsequence of each pair; token numbers are below `size`."""
    return lcs.common(ids, starts, ours, theirs, int(np.max(ids, initial=0)) + 1 if size is None else size)


def weighted_common_lengths(
    ids: Ids, starts: Places, ours: Places, theirs: Places, weight: float
) -> NDArray[np.float64]:
    """Return weighted lengths, in which a run of k matches counts k to the power of `weight` (ROUGE-W)."""
    return lcs.weighted(ids, starts, ours, theirs, weight)


def edit_distances(ids: Ids, starts: Places, ours: Places, theirs: Places, size: int) -> Lengths:
    """Return the Levenshtein distance of each pair in tokens."""
    return edits.levenshtein(ids, starts, ours, theirs, size)


def common_length(a: str, b: str) -> int:
    """Return the length of the longest common subsequence of the characters of two texts."""
    codes, starts = characters([a, b], True)
    numbers = np.unique(codes, return_inverse=True)[1].astype(np.int32)
    first, second = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    return int(common_lengths(numbers, starts, first, second)[0])


__all__ = ["characters", "common_length", "common_lengths", "edit_distances", "weighted_common_lengths"]
