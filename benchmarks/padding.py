"""How much of what a model is given is padding, and what batches that reach over shards would save.

Texts are cut into pieces and batches as encoders do it, shard by shard and then all together; no model is run.
ASSAY_PADDING_PAIRS says how many generated pairs, 20,000 if not said: two shards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from assay.execution.measure import SHARD
from assay.models.encoder import Encoder, _batches, _windows
from benchmarks.timing import Result, timed
from benchmarks.workloads import workload_b

PAIRS = int(os.environ.get("ASSAY_PADDING_PAIRS", str(2 * SHARD)))
MARKS = 2
"""Tokens that the encoder puts around a piece."""


def run() -> Iterator[Result]:
    encoder = Encoder()
    if reason := encoder.why_not():
        yield {"name": "padding", "note": f"skipped: {reason}"}
        return
    pairs = list(workload_b(PAIRS))
    told = {
        "outputs and references": [[row.output, *row.references] for row in pairs],
        "sources": [[row.source] for row in pairs],
    }
    for what, texts in told.items():
        lengths, seconds = timed(lambda texts=texts: [_lengths(encoder, own) for own in texts])  # type: ignore[misc]
        shards = [lengths[start : start + SHARD] for start in range(0, len(lengths), SHARD)]
        apart = _share([_counted(shard, encoder.batch) for shard in shards])
        together = _share([_counted(lengths, encoder.batch)])
        unsorted = _share([_counted(lengths, encoder.batch, by_length=False)])
        yield {
            "name": f"padding, {what}, batches of {encoder.batch}",
            "pairs": PAIRS,
            "seconds": seconds,
            "values": {"shards": apart, "together": together, "unsorted": unsorted},
            "note": f"{apart:.2%} of all tokens in shards of {SHARD:,} items, {together:.2%} over all together, "
            f"{unsorted:.1%} if texts were taken as they come",
        }


def _lengths(encoder: Encoder, texts: list[str]) -> list[tuple[str, list[int]]]:
    room = encoder.limit - MARKS
    cut = (_windows(ids, room) for ids in encoder.ids_read(texts))
    return [(text, [len(piece) for piece in own]) for text, own in zip(texts, cut, strict=True)]


def _counted(shard: Sequence[list[tuple[str, list[int]]]], batch: int, by_length: bool = True) -> tuple[int, int]:
    """Tokens that are padding, and all tokens; equal texts are encoded once."""
    different = dict(each for own in shard for each in own)
    pieces = [(length, i, n) for i, own in enumerate(different.values()) for n, length in enumerate(own)]
    padding = total = 0
    for some in _batches(sorted(pieces) if by_length else pieces, batch):
        full = len(some) * (max(piece[0] for piece in some) + MARKS)
        padding += full - sum(piece[0] + MARKS for piece in some)
        total += full
    return padding, total


def _share(counts: Sequence[tuple[int, int]]) -> float:
    return sum(padding for padding, _ in counts) / sum(total for _, total in counts)
