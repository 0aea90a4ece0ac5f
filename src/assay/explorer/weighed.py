"""What `faithful` says of an output word by word, for the page that shows it beside its source."""

from __future__ import annotations

from functools import lru_cache

from assay.explorer.payloads import WeighedPiece, WeighedSentence
from assay.metrics.faithfulness.faithful import Faithful, Sentence

WEIGHED = "faithful"
"""The number that was scored where this is shown."""


@lru_cache(maxsize=1024)
def weighed(source: str, output: str) -> list[WeighedSentence]:
    """By sentence its value and its text in pieces; what stands between sentences belongs to the one before."""
    sentences = Faithful().explain(source, output)
    cuts = [0, *(sentence.start for sentence in sentences[1:]), len(output)]
    return [
        WeighedSentence(value=sentence.value, pieces=_pieces(output, sentence, cuts[i], cuts[i + 1]))
        for i, sentence in enumerate(sentences)
    ]


def _pieces(output: str, sentence: Sentence, begin: int, end: int) -> list[WeighedPiece]:
    pieces = []
    for word in sentence.words:
        pieces += [WeighedPiece(text=output[begin : word.start], cost=0.0)] * (begin < word.start)
        pieces.append(WeighedPiece(text=output[word.start : word.end], cost=word.cost))
        begin = word.end
    return [*pieces, *[WeighedPiece(text=output[begin:end], cost=0.0)] * (begin < end)]
