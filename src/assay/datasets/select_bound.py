"""How good a set can still become: the upper bound that lets the exact choice of datasets give up a branch.

Two relaxations, and the lower one counts. Of the rules about one property of which everybody has one value, all are
kept and all others forgotten: then taking the best that are asked for, and the best of the rest as far as allowed, is
exact. And all rules are kept at a price instead (Lagrange): whatever prices are chosen, no set that keeps the rules is
better than the best set at these prices. Everything is counted in whole numbers, so a tie is a tie."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import NamedTuple

AT_FIRST, AT_EACH = 300, 4
"""Steps by which prices are sought before the first branch, and from those of the branch before."""
PLAIN = 10**6
"""A utility is taken for the fraction that was meant, 15/26 or 0.37, if one with so small a denominator is the same."""


class Limit(NamedTuple):
    """Who is counted (a bit for each candidate, by rank), how many there are at least, and at most."""

    who: int
    least: int
    most: int


Prices = tuple[int, ...]
"""One a limit: above 0 for what is asked for, below for what is too much."""


class Bound:
    def __init__(self, utilities: Sequence[float], size: int, limits: list[Limit], groups: list[list[Limit]]) -> None:
        """`utilities` fall; a group are limits of which every candidate is counted by one at most."""
        self.worth = whole(utilities)
        self.size = size
        self.limits = limits
        self.groups = groups
        self.step = max(1, reduce(gcd, (each - self.worth[0] for each in self.worth), 0))
        """Two sets of the same size that differ, differ by this or more."""
        self.lowest = sum(self.worth[-size:])
        self._largest = max(1, self.worth[0] - self.worth[-1])
        _, self.prices = self._priced(0, 0, (0,) * len(limits), AT_FIRST, self.lowest)

    def of(self, chosen: int, place: int, prices: Prices, enough: int) -> tuple[int | None, Prices]:
        """The most that a set with these and others from this place on can be worth, None if there is none; and the
        prices that say so. What is not more than `enough` need not be known better."""
        found: int | None = None
        for group in self.groups or [[]]:
            most = self._grouped(chosen, place, group)
            if most is None or most <= enough:
                return most, prices
            found = most if found is None else min(found, most)
        assert found is not None
        if not self.limits:
            return found, prices
        priced, prices = self._priced(chosen, place, prices, AT_EACH, enough)
        return min(found, priced), prices

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
        """The lowest bound along a way of prices that goes against what the best set at each of them breaks."""
        best, held, now = None, prices, list(prices)
        for step in range(steps):
            total, taken = self._at(chosen, place, now)
            if best is None or total < best:
                best, held = total, tuple(now)
            counts = [(taken & limit.who).bit_count() for limit in self.limits]
            wrong = [_wrong(n, limit, price) for n, limit, price in zip(counts, self.limits, now, strict=True)]
            if best < enough + self.step or not any(wrong):
                break
            length = max(1, self._largest // (step + 2 if steps == AT_FIRST else 8))
            length = max(1, min(length, (total - enough) // sum(each * each for each in wrong)))
            now = [_moved(price, length * off) for price, off in zip(now, wrong, strict=True)]
        assert best is not None
        return best, held

    def _at(self, chosen: int, place: int, prices: Sequence[int]) -> tuple[int, int]:
        """What the best set is worth at these prices, and who is in it."""
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
    """How many are lacking; below 0, how many are too many. A price for what is not scarce falls."""
    if count < limit.least or (price > 0 and count > limit.least):
        return limit.least - count
    if count > limit.most or (price < 0 and count < limit.most):
        return limit.most - count
    return 0


def _moved(price: int, by: int) -> int:
    """A price does not become one of the other kind at once: in between it is none."""
    return 0 if price * (price + by) < 0 else price + by


def whole(utilities: Sequence[float]) -> list[int]:
    """The same in whole numbers, all by the same factor."""
    meant = [Fraction(each).limit_denominator(PLAIN) for each in utilities]
    meant = [near if float(near) == each else Fraction(each) for near, each in zip(meant, utilities, strict=True)]
    factor = lcm(*(each.denominator for each in meant))
    return [int(each * factor) for each in meant]
