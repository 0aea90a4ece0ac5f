"""Word-level costs of the metric `faithful`, for the page that shows outputs with their source."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from assay.explorer.payloads import CostedSentence, CostedText

if TYPE_CHECKING:
    from assay.metrics.faithfulness.faithful import Sentence

METRIC = "faithful"
"""Metric that must have been scored for costs to be shown."""


@lru_cache(maxsize=1024)
def word_costs(source: str, output: str) -> list[CostedSentence]:
    """Return the score and the pieces of each sentence; text between sentences belongs to the one before."""
    from assay.metrics.faithfulness.faithful import Faithful

    sentences = Faithful().explain(source, output)
    cuts = [0, *(sentence.start for sentence in sentences[1:]), len(output)]
    return [
        CostedSentence(value=sentence.value, pieces=_pieces(output, sentence, cuts[i], cuts[i + 1]))
        for i, sentence in enumerate(sentences)
    ]


def _pieces(output: str, sentence: Sentence, begin: int, end: int) -> list[CostedText]:
    pieces = []
    for word in sentence.words:
        pieces += [CostedText(text=output[begin : word.start], cost=0.0)] * (begin < word.start)
        pieces.append(CostedText(text=output[word.start : word.end], cost=word.cost))
        begin = word.end
    return [*pieces, *[CostedText(text=output[begin:end], cost=0.0)] * (begin < end)]
