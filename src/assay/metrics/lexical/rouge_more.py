"""Less common ROUGE variants: ROUGE-3, ROUGE-4, ROUGE-W, ROUGE-S and ROUGE-SU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import grams
from assay.metrics.lexical.rouge import Counted, Rouge, Scores, Texts, with_f
from assay.text.alignment import weighted_common_lengths


@dataclass(frozen=True)
class RougeMore(Rouge):
    """F1, precision and recall of ROUGE-3, -4, -W, -S and -SU. Line breaks have no effect on these variants."""

    weight: float = 1.2
    """ROUGE-W: exponent of the length of consecutive matches."""
    gap: int = 4
    """ROUGE-S: maximum number of words between the two words of a skip-bigram; -1 for any number."""

    name: ClassVar = "rouge_more"
    summary: ClassVar = "overlap of longer n-grams, weighted subsequences and skip-bigrams with the references"
    variants: ClassVar = ("rouge3", "rouge4", "rougeW", "rougeS", "rougeSU")

    def __post_init__(self) -> None:
        self.require("weight", 1, 50)
        self.require("gap", -1)

    def count_pairs(self, texts: Texts) -> Counted:
        starts = texts.lines[texts.starts]
        lengths = np.diff(starts)
        output, reference = lengths[texts.outputs], lengths[texts.references]
        counts = grams.matches(texts.tokens, starts, texts.outputs, texts.references, 4)
        in_a_row = weighted_common_lengths(texts.tokens, starts, texts.outputs, texts.references, self.weight)
        pairs, pair_starts = skip_bigrams(texts.tokens, starts, texts.size, self.gap)
        skips = grams.matches(pairs, pair_starts, texts.outputs, texts.references, 1)[:, 0]
        pair_lengths = np.diff(pair_starts)
        pairs_output, pairs_reference = pair_lengths[texts.outputs], pair_lengths[texts.references]
        words = counts[:, 0]
        return {
            "rouge3": (counts[:, 2], output - 2, reference - 2),
            "rouge4": (counts[:, 3], output - 3, reference - 3),
            "rougeW": (in_a_row, np.maximum(output, 1) ** self.weight, np.maximum(reference, 1) ** self.weight),
            "rougeS": (skips, pairs_output, pairs_reference),
            "rougeSU": (skips + words, pairs_output + output, pairs_reference + reference),
        }

    def scored(self, counted: Counted) -> Scores:
        """Return the scores; those of ROUGE-W are transformed back from the weighted scale."""
        runs, output, reference = counted["rougeW"]
        precision, recall = ((runs / np.maximum(length, 1)) ** (1 / self.weight) for length in (output, reference))
        return super().scored(counted) | with_f("rougeW", precision, recall)


def skip_bigrams(
    tokens: NDArray[np.int32], starts: NDArray[np.int64], size: int, gap: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the ids of the skip-bigrams of each text, and where each text begins."""
    lengths = np.diff(starts)
    text_of = np.repeat(np.arange(len(lengths)), lengths)
    farthest = int(np.max(lengths, initial=1)) - 1
    codes, owners = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for distance in range(1, (farthest if gap < 0 else min(gap + 1, farthest)) + 1):
        inside = np.flatnonzero(text_of[:-distance] == text_of[distance:])
        codes.append(tokens[inside].astype(np.int64) * size + tokens[inside + distance])
        owners.append(text_of[inside])
    owner = np.concatenate(owners)
    _, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    begins = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(lengths)))]).astype(np.int64)
    return np.ascontiguousarray(numbers[np.argsort(owner, kind="stable")], dtype=np.int32), begins
