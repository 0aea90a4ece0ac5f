"""Significance of a difference, its test procedure, and which system is better: one rule for every surface."""

from __future__ import annotations

from math import floor, log2
from typing import Literal, NamedTuple

from assay.show.numbers import probability

LEVEL = 0.05
"""Significance level: a difference is significant if its adjusted p is below it."""
SMALL = 100
"""Below this number of independent items or clusters a comparison warns of its small sample."""
CRITICAL = 1.96
"""Size in standard errors from which a difference is significant, tested alone."""
Correction = Literal["max-t", "holm", "bh"]
Family = Literal["all", "pair", "metric"]
Side = Literal["a", "b"]
CORRECTION_NAMES = {
    "max-t": "Westfall-Young max-T correction",
    "holm": "Holm correction",
    "bh": "Benjamini-Hochberg correction",
}
FAMILIES = {
    "all": " of all pairs of systems and all metrics",
    "pair": " per pair of systems",
    "metric": " per metric",
}
"""Wording of a family of tests for several pairs; two systems have one family, whatever its name."""

MARK = "†"
"""Marks a score that is not significantly different from the best one."""
ARROWS = {"higher": "↑", "lower": "↓", None: ""}
"""Direction in which a score is better."""


class Procedure(NamedTuple):
    """A significance test and the correction for multiple comparisons that was applied to it."""

    test: str
    """Name of the test with its number of resamples or permutations."""
    correction: Correction = "max-t"
    family: Family = "all"
    tests: int = 1
    """Number of tests in the largest family."""
    pairs: int = 1
    """Number of pairs of systems tested together."""
    sets: int = 1
    """Number of sets of items (subsets) tested together."""
    smallest: float = 0.0
    """The smallest p that the tests could give for these outputs; with max-T, the smallest adjusted p."""

    def words(self) -> str:
        """Return e.g. `paired permutation test, 1,000 permutations; p < .05 after Holm correction over 5 tests`."""
        if not self.tests:
            return "no test was run"
        level = f"{LEVEL:.2f}".lstrip("0")
        if self.tests == 1:
            return f"{self.test}; p < {level}, one test{self._family}"
        correction = CORRECTION_NAMES[self.correction]
        return f"{self.test}; p < {level} after {correction} over {self.tests} tests{self._family}"

    @property
    def _family(self) -> str:
        sets = f" on {self.sets} subsets" if self.sets > 1 else ""
        return (FAMILIES[self.family] if self.pairs > 1 or self.family == "metric" else "") + sets

    @property
    def attainable(self) -> bool:
        """Whether any result could have been significant: with few items, even the smallest p may be too large."""
        return self.smallest < self.needed

    @property
    def needed(self) -> float:
        """The level that the smallest p of the family must be below."""
        return LEVEL / max(self.tests, 1) if self.correction == "holm" else LEVEL

    def unattainable(self, units: int, what: str = "items") -> str:
        """Return why no result could have been significant; empty if one could.

        Args:
            units: Number of independent items or clusters.
            what: Their name.
        """
        if self.attainable or not self.tests:
            return ""
        if self.smallest >= 1:
            return f"No result could be significant: the scores do not change when {what} swap systems."
        fewest = fewest_units(self.tests if self.correction == "holm" else 1)
        few = f"with {units} {what}" if units < fewest else f"too few of the {units:,} {what} differ:"
        needs = f"; {self.tests} tests need {probability(self.needed)}" if self.needed < LEVEL else ""
        return (
            f"No result could be significant: {few} no p below {probability(self.smallest)} exists{needs}. At least "
            f"{fewest} {what} with different outputs are required"
            f"{' (--cluster none takes items for independent)' if what == 'clusters' else ''}."
        )


def fewest_units(tests: int = 1) -> int:
    """Return the number of items or clusters from which a p below the level exists in a paired permutation test.

    All outputs of one system better is one of 2^n assignments, and its mirror is as extreme: p is at least 2 / 2^n.

    Args:
        tests: Number of tests that p is multiplied by (Holm). Max-T needs no more items for several tests.
    """
    return floor(log2(2 * tests / LEVEL)) + 1


def is_significant(p_adjusted: float | None) -> bool:
    """Return whether an adjusted p is below the significance level."""
    return p_adjusted is not None and p_adjusted < LEVEL


def better_side(difference: float, p_adjusted: float | None, better: Literal["higher", "lower"] | None) -> Side | None:
    """Return the significantly better system; None if not significant or if the metric has no better direction."""
    if not is_significant(p_adjusted) or better is None:
        return None
    return "b" if (difference > 0) == (better == "higher") else "a"
