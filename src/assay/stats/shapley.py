"""Shapley values: a total divided among players by their average marginal value over all orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def shapley(players: Sequence[str], value: Callable[[frozenset[str]], Floats]) -> dict[str, Floats]:
    """Return the share of each player in `value` of all of them; the shares sum to it.

    Args:
        players: Names of players; the number of evaluations doubles with each.
        value: Value of a set of players, an array of any shape; that of no player counts as nothing shared.
    """
    known = {
        frozenset(group): value(frozenset(group))
        for size in range(len(players) + 1)
        for group in combinations(players, size)
    }
    orders = factorial(len(players))
    shares = {}
    for player in players:
        share = np.zeros_like(known[frozenset()])
        for group, without in known.items():
            if player not in group:
                weight = factorial(len(group)) * factorial(len(players) - len(group) - 1) / orders
                share = share + weight * (known[group | {player}] - without)
        shares[player] = share
    return shares
