"""Bags of n-grams over all items, and their summary in each of many draws."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels import bags, lanes
from assay.metrics.engine.large_bags import whole_sums
from assay.metrics.engine.spilled_bags import Bag, SpilledBag, spilled_bags
from assay.metrics.engine.statistics import Floats, Tokens
from assay.stats.resample import Draws
from assay.stats.threads import made_once


class Lanes(NamedTuple):
    """Draws side by side, as the kernel wants them."""

    lanes: NDArray[np.uint8]
    samples: int
    most: int
    further: int
    """How many rows an item has: one for every 255 times that it may have been drawn, each so many below the last as
    there are items."""


def ngram_bags(tokens: Tokens, orders: int) -> list[Bag]:
    """The bag of each order from 1 on. Which items end with an n-gram matters only where a longer one is counted."""

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


def bag_sums(tokens: Tokens, orders: int, draws: Draws) -> list[Floats]:
    """The summary of the bag of each order in each draw; of a large set without holding any bag."""
    if tokens.large and draws.is_whole:
        return whole_sums(tokens, orders)
    if tokens.large:
        return [fold_spilled(bag, draws) for bag in spilled_bags(tokens, orders)]
    return [fold_bag(bag, draws) for bag in ngram_bags(tokens, orders)]


def fold_bag(bag: Bag, draws: Draws) -> Floats:
    """The summary of the bag in each draw; columns as the kernel names them. Metrics that share a bag share it."""
    return made_once(_summaries(draws), bag, lambda: _folded(bag, lay(draws)))


def fold_spilled(bag: SpilledBag, draws: Draws) -> Floats:
    """The same of a bag on disk, one share of its types after the other."""

    def fold() -> Floats:
        laid = lay(draws)
        sums = np.zeros((laid.samples, lanes.COLUMNS))
        for share in bag:
            sums += _folded(share, laid)
        return sums

    return made_once(_summaries(draws), bag, fold)


def _summaries(draws: Draws) -> WeakKeyDictionary[Any, Floats]:
    """Of the bags that were folded: each as long as somebody has the bag. Draws may be kept for ever."""
    return draws.once("bags", WeakKeyDictionary)


def _folded(bag: Bag, laid: Lanes) -> Floats:
    counted = bag if laid.further == 1 else _repeated(bag, laid)
    return lanes.fold(*counted.columns, laid.lanes, laid.samples, laid.most)


def expected_types(bag: Bag, n: int, drawn: int) -> tuple[float, float]:
    """How many types, and how many that occur once, to expect in so many of the n items.

    A type that k items hold is missed when the draw is among the n - k others; it occurs once when one item that has it
    once is drawn, and none of the k - 1 others.
    """
    kind = np.repeat(np.arange(len(bag.times)), np.diff(bag.heads))
    begins = np.flatnonzero((np.diff(kind, prepend=-1) != 0) | (np.diff(bag.items, prepend=-1) != 0))
    often = np.diff(begins, append=len(kind))  # an item stands there as often as it has the type
    kind = kind[begins]
    holders = np.bincount(kind, minlength=len(bag.times))
    others = np.arange(int(holders.max(initial=0)))
    # the chance that k given items are missed, for every k; then that they are beside one that was drawn
    missed = np.cumprod(np.concatenate([[1.0], np.maximum(n - drawn - others, 0) / (n - others)]))
    besides = np.cumprod(np.concatenate([[1.0], np.maximum(n - drawn - others[:-1], 0) / (n - 1 - others[:-1])]))
    alone = kind[often == 1]
    once = drawn / n * np.sum(bag.times[alone] * besides[holders[alone] - 1])
    return float(np.sum(bag.times * (1 - missed[holders]))), float(once)


def lay(draws: Draws) -> Lanes:
    """The draws side by side, made once for the same draws."""
    return draws.once("lanes", lambda: _lay(draws))


def _lay(draws: Draws) -> Lanes:
    """What a byte cannot say stands in further rows of the item."""
    samples, number = draws.weights.shape
    most = int(draws.weights.max(initial=0))
    further = max(1, -(-most // lanes.BYTE))
    laid = np.zeros((-(-samples // lanes.TILE), further * number, lanes.TILE), dtype=np.uint8)
    for tile, rows in enumerate(laid):
        drawn = draws.weights[tile * lanes.TILE : (tile + 1) * lanes.TILE].T
        for k in range(further):
            rows[k * number : (k + 1) * number, : drawn.shape[1]] = np.clip(drawn - k * lanes.BYTE, 0, lanes.BYTE)
    return Lanes(laid, samples, min(most, lanes.BYTE), further)


def _repeated(bag: Bag, laid: Lanes) -> Bag:
    """The bag with each item as often as it has rows."""
    number = laid.lanes.shape[1] // laid.further
    rows = np.arange(laid.further, dtype=np.int32) * number
    items, closing = ((part[:, None] + rows).ravel() for part in (bag.items, bag.closing))
    return Bag(bag.heads * laid.further, bag.times, items, bag.closed * laid.further, closing)
