"""Upper bound of the utility of a partial set, for pruning in the exact selection of datasets.

It is the lower of two relaxations. The first has only the rules about one property with one value per candidate; its
optimum is greedy: the best required candidates, then the best of the rest within the limits. The second is Lagrangian:
for any multipliers (prices) no set that satisfies the rules is better than the best set at these prices. All values
are integers, so ties are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import NamedTuple

AT_FIRST, AT_EACH = 300, 4
"""Number of subgradient steps before the first branch, and at each branch, starting from the prices of its parent."""
PLAIN = 10**6
"""Maximum denominator when a utility is converted to an equal fraction, e.g. 15/26 or 0.37."""


class Limit(NamedTuple):
    """Counted candidates (one bit each, by rank), with minimum and maximum number."""

    who: int
    least: int
    most: int


Prices = tuple[int, ...]
"""One per limit: positive for a minimum, negative for a maximum."""


class Bound:
    def __init__(self, utilities: Sequence[float], size: int, limits: list[Limit], groups: list[list[Limit]]) -> None:
        """`utilities` are in descending order; each candidate is counted by at most one limit of a group."""
        self.worth = whole(utilities)
        self.size = size
        self.limits = limits
        self.groups = groups
        self.step = max(1, reduce(gcd, (each - self.worth[0] for each in self.worth), 0))
        """Minimum difference between sets of the same size with different utility."""
        self.lowest = sum(self.worth[-size:])
        self._largest = max(1, self.worth[0] - self.worth[-1])
        _, self.prices = self._priced(0, 0, (0,) * len(limits), AT_FIRST, self.lowest)

    def of(self, chosen: int, place: int, prices: Prices, enough: int) -> tuple[int | None, Prices]:
        """Return the bound of a set with the selected and later candidates, None if there is none, and its prices. A
        bound of at most `enough` need not be tight."""
        bound: int | None = None
        for group in self.groups or [[]]:
            most = self._grouped(chosen, place, group)
            if most is None or most <= enough:
                return most, prices
            bound = most if bound is None else min(bound, most)
        assert bound is not None
        if not self.limits:
            return bound, prices
        priced, prices = self._priced(chosen, place, prices, AT_EACH, enough)
        return min(bound, priced), prices

    def _grouped(self, chosen: int, place: int, group: list[Limit]) -> int | None:
        free = self.size - chosen.bit_count()
        needs = [max(0, limit.least - (chosen & limit.who).bit_count()) for limit in group]
        room = [limit.most - (chosen & limit.who).bit_count() for limit in group]
        spare = free - sum(needs)
        if spare < 0 or min(room, default=0) < 0:
            return None
        total = sum(worth for i, worth in enumerate(self.worth[:place]) if chosen >> i & 1)
        for i in range(place, len(self.worth)):
            own = next((n for n, limit in enumerate(group) if limit.who >> i & 1), -1)
            if own >= 0 and not room[own]:
                continue
            if own >= 0 and needs[own]:
                needs[own] -= 1
            elif spare:
                spare -= 1
            else:
                continue
            total += self.worth[i]
            if own >= 0:
                room[own] -= 1
        return None if spare or any(needs) else total

    def _priced(self, chosen: int, place: int, prices: Prices, steps: int, enough: int) -> tuple[int, Prices]:
        """Return the lowest bound over subgradient steps."""
        best, prices_of_best, now = None, prices, list(prices)
        for step in range(steps):
            total, taken = self._at(chosen, place, now)
            if best is None or total < best:
                best, prices_of_best = total, tuple(now)
            counts = [(taken & limit.who).bit_count() for limit in self.limits]
            wrong = [_wrong(n, limit, price) for n, limit, price in zip(counts, self.limits, now, strict=True)]
            if best < enough + self.step or not any(wrong):
                break
            length = max(1, self._largest // (step + 2 if steps == AT_FIRST else 8))
            length = max(1, min(length, (total - enough) // sum(each * each for each in wrong)))
            now = [_moved(price, length * off) for price, off in zip(now, wrong, strict=True)]
        assert best is not None
        return best, prices_of_best

    def _at(self, chosen: int, place: int, prices: Sequence[int]) -> tuple[int, int]:
        """Return the value of the best set at these prices, and its candidates."""
        priced = list(self.worth)
        total = 0
        for limit, price in zip(self.limits, prices, strict=True):
            if price:
                total -= price * (limit.least if price > 0 else limit.most)
                for i in range(len(priced)):
                    if limit.who >> i & 1:
                        priced[i] += price
        best = sorted(range(place, len(priced)), key=lambda i: -priced[i])[: self.size - chosen.bit_count()]
        total += sum(priced[i] for i in range(place) if chosen >> i & 1) + sum(priced[i] for i in best)
        return total, chosen | sum(1 << i for i in best)


def _wrong(count: int, limit: Limit, price: int) -> int:
    """Return the number of missing candidates; negative if there are too many."""
    if count < limit.least or (price > 0 and count > limit.least):
        return limit.least - count
    if count > limit.most or (price < 0 and count < limit.most):
        return limit.most - count
    return 0


def _moved(price: int, by: int) -> int:
    """Change a price; a change of sign stops at 0."""
    return 0 if price * (price + by) < 0 else price + by


def whole(utilities: Sequence[float]) -> list[int]:
    """Return the utilities as integers, scaled by a common factor."""
    meant = [Fraction(each).limit_denominator(PLAIN) for each in utilities]
    meant = [near if float(near) == each else Fraction(each) for near, each in zip(meant, utilities, strict=True)]
    factor = lcm(*(each.denominator for each in meant))
    return [int(each * factor) for each in meant]
