"""Significance of a difference, its test procedure, and which system is better: one rule for every surface."""

from __future__ import annotations

from typing import Literal, NamedTuple

LEVEL = 0.05
"""Significance level: a difference is significant if its adjusted p is below it."""
Correction = Literal["holm", "bh"]
Family = Literal["all", "pair", "metric"]
Side = Literal["a", "b"]
CORRECTION_NAMES = {
    "holm": "Holm correction",
    "bh": "Benjamini-Hochberg correction",
    "step-down": "Westfall-Young max-T correction",
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
    correction: Correction | Literal["step-down"] = "holm"
    family: Family = "all"
    tests: int = 1
    """Number of tests in the largest family."""
    pairs: int = 1
    """Number of pairs of systems tested together."""

    def words(self) -> str:
        """Return e.g. `paired permutation test, 1,000 permutations; p < .05 after Holm correction over 5 tests`."""
        if not self.tests:
            return "no test was run"
        count = f"{self.tests} test{'s' if self.tests != 1 else ''}{self._family}"
        level = f"{LEVEL:.2f}".lstrip("0")
        return f"{self.test}; p < {level} after {CORRECTION_NAMES[self.correction]} over {count}"

    @property
    def _family(self) -> str:
        return FAMILIES[self.family] if self.pairs > 1 or self.family == "metric" else ""


def is_significant(p_adjusted: float | None) -> bool:
    """Return whether an adjusted p is below the significance level."""
    return p_adjusted is not None and p_adjusted < LEVEL


def better_side(difference: float, p_adjusted: float | None, better: Literal["higher", "lower"] | None) -> Side | None:
    """Return the significantly better system; None if not significant or if the metric has no better direction."""
    if not is_significant(p_adjusted) or better is None:
        return None
    return "b" if (difference > 0) == (better == "higher") else "a"
