"""Bags of n-grams over all items, and their summary in each resample."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import bags, lanes
from assay.metrics.engine.large_bags import whole_sums
from assay.metrics.engine.spilled_bags import Bag, SpilledBag, spilled_bags
from assay.metrics.engine.statistics import Floats, Tokens
from assay.stats.resample import Resamples
from assay.stats.threads import compute_once


class Lanes(NamedTuple):
    """Resamples in the layout of the kernel: tiles of resamples x rows of items x resamples of the tile."""

    lanes: NDArray[np.uint8]
    """How often each resample contains each item."""
    samples: int
    """Number of resamples."""
    most: int
    """Largest value in `lanes`."""
    further: int
    """Rows per item: one for every 255 times that an item was drawn, since a value is one byte; row k of an item is k
    times the number of items further down."""


def ngram_bags(tokens: Tokens, orders: int) -> list[Bag]:
    """Return the bag of each order from 1 on. The items that end with an n-gram are kept for all but the last order,
    where conditional entropies need them."""

    def make() -> list[Bag]:
        types = tokens.ids.copy()
        size = len(tokens.vocabulary)
        made = []
        for n in range(1, orders + 1):
            if n > 1:
                size = len(bags.extend(types, tokens.ids, tokens.starts, n))
            made.append(Bag(*bags.gather(types, tokens.starts, size, n < orders)))
        return made

    return tokens.once(f"bags of {orders}", make)


def bag_sums(tokens: Tokens, orders: int, resamples: Resamples) -> list[Floats]:
    """Return the summary of the bag of each order in each resample; for large sets without a bag in memory."""
    if tokens.large and resamples.is_all_items:
        return whole_sums(tokens, orders)
    if tokens.large:
        return [fold_spilled(bag, resamples) for bag in spilled_bags(tokens, orders)]
    return [fold_bag(bag, resamples) for bag in ngram_bags(tokens, orders)]


def fold_bag(bag: Bag, resamples: Resamples) -> Floats:
    """Return the summary of a bag in each resample, with the columns of the kernel; computed once for all metrics."""
    return compute_once(_summaries(resamples), bag, lambda: _folded(bag, lay(resamples)))


def fold_spilled(bag: SpilledBag, resamples: Resamples) -> Floats:
    """Return the summary of a bag on disk, one partition of its types after the other."""

    def fold() -> Floats:
        laid = lay(resamples)
        sums = np.zeros((laid.samples, lanes.COLUMNS))
        for partition in bag:
            sums += _folded(partition, laid)
        return sums

    return compute_once(_summaries(resamples), bag, fold)


def _summaries(resamples: Resamples) -> WeakKeyDictionary[Any, Floats]:
    """Return the cache of summaries, which keeps each for the lifetime of its bag: resamples may live longer."""
    return resamples.once("bags", WeakKeyDictionary)


def _folded(bag: Bag, laid: Lanes) -> Floats:
    counted = bag if laid.further == 1 else _repeated(bag, laid)
    return lanes.fold(*counted.columns, laid.lanes, laid.samples, laid.most)


def expected_types(bag: Bag, n: int, drawn: int) -> tuple[float, float]:
    """Return the expected number of types, and of types that occur once, in a random subset of the n items.

    A type that occurs in k items is missed when the subset is drawn from the n - k others; it occurs once when an item
    that contains it once is drawn, and none of the k - 1 others.
    """
    kind = np.repeat(np.arange(len(bag.times)), np.diff(bag.heads))
    begins = np.flatnonzero((np.diff(kind, prepend=-1) != 0) | (np.diff(bag.items, prepend=-1) != 0))
    often = np.diff(begins, append=len(kind))  # an item is listed as often as it contains the type
    kind = kind[begins]
    holders = np.bincount(kind, minlength=len(bag.times))
    others = np.arange(int(holders.max(initial=0)))
    # for every k: the probability that k items are missed, then that k other items are missed given one that is drawn
    missed = np.cumprod(np.concatenate([[1.0], np.maximum(n - drawn - others, 0) / (n - others)]))
    others_missed = np.cumprod(np.concatenate([[1.0], np.maximum(n - drawn - others[:-1], 0) / (n - 1 - others[:-1])]))
    alone = kind[often == 1]
    once = drawn / n * np.sum(bag.times[alone] * others_missed[holders[alone] - 1])
    return float(np.sum(bag.times * (1 - missed[holders]))), float(once)


def lay(resamples: Resamples) -> Lanes:
    """Return the resamples in the layout of the kernel, computed once."""
    return resamples.once("lanes", lambda: _lay(resamples))


def _lay(resamples: Resamples) -> Lanes:
    """Lay out resamples; counts above 255 continue in further rows of the item."""
    samples, number = resamples.weights.shape
    most = int(resamples.weights.max(initial=0))
    further = max(1, -(-most // lanes.BYTE))
    laid = np.zeros((-(-samples // lanes.TILE), further * number, lanes.TILE), dtype=np.uint8)
    for tile, rows in enumerate(laid):
        drawn = resamples.weights[tile * lanes.TILE : (tile + 1) * lanes.TILE].T
        for k in range(further):
            rows[k * number : (k + 1) * number, : drawn.shape[1]] = np.clip(drawn - k * lanes.BYTE, 0, lanes.BYTE)
    return Lanes(laid, samples, min(most, lanes.BYTE), further)


def _repeated(bag: Bag, laid: Lanes) -> Bag:
    """Return the bag with each item repeated for each of its rows."""
    number = laid.lanes.shape[1] // laid.further
    rows = np.arange(laid.further, dtype=np.int32) * number
    items, closing = ((part[:, None] + rows).ravel() for part in (bag.items, bag.closing))
    return Bag(bag.heads * laid.further, bag.times, items, bag.closed * laid.further, closing)
