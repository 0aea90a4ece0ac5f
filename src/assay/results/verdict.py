"""What may be said of a difference, and by which procedure: one place for terminal, report, page and Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from assay.results.comparison import Compared, Comparison

LEVEL = 0.05
"""A difference is told from chance when its adjusted p is below."""
Correction = Literal["holm", "bh"]
Family = Literal["all", "pair", "metric"]
Side = Literal["a", "b"]
CORRECTED = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "step-down": "Westfall and Young's step-down correction",
}
FAMILIES = {
    "all": " of all pairs of systems and all metrics",
    "pair": " of each pair of systems",
    "metric": " of each metric",
}
"""Where there are several pairs; of two systems all tests are one family, whatever it is called."""

MARK = "†"
"""Stands beside a value that is not told apart from the best."""
ARROWS = {"higher": "↑", "lower": "↓", None: ""}
"""Which way is better."""


class Procedure(NamedTuple):
    """The test in words, as exactly as it was done, and over how many such tests p was corrected."""

    test: str
    correction: Correction | Literal["step-down"] = "holm"
    family: Family = "all"
    tests: int = 1
    pairs: int = 1
    """Of systems, tested together."""

    def words(self) -> str:
        """`paired permutation, 1000 random swaps; p < .05 after Holm's correction over 5 tests`."""
        if not self.tests:
            return "nothing was tested"
        count = f"{self.tests} test{'s' if self.tests != 1 else ''}{self._family}"
        return f"{self.test}; p < {LEVEL:.2f}".replace("0.", ".") + f" after {CORRECTED[self.correction]} over {count}"

    @property
    def _family(self) -> str:
        return FAMILIES[self.family] if self.pairs > 1 or self.family == "metric" else ""

    def sure(self, row: Compared) -> bool:
        return is_sure(row.p_adjusted)


def is_sure(p_adjusted: float | None) -> bool:
    """Whether a difference is told from chance."""
    return p_adjusted is not None and p_adjusted < LEVEL


def better_side(difference: float, p_adjusted: float | None, better: Literal["higher", "lower"] | None) -> Side | None:
    """Which system is better beyond chance; nobody where the number only describes."""
    if not is_sure(p_adjusted) or better is None:
        return None
    return "b" if (difference > 0) == (better == "higher") else "a"


def said_of(rows: Comparison) -> str:
    """What may be said of b against a: better on, worse on, and higher or lower where a number only describes. Nothing
    is said of numbers that are not comparable."""
    sure = {name: row for name, row in rows.items() if is_sure(row.p_adjusted)}
    sides = {
        "better on": [row.label for row in sure.values() if row.better == "b"],
        "worse on": [row.label for row in sure.values() if row.better == "a"],
        "higher on": [row.label for row in sure.values() if row.better is None and (row.difference or 0) > 0],
        "lower on": [row.label for row in sure.values() if row.better is None and (row.difference or 0) < 0],
    }
    said = [f"{word} {', '.join(names)}" for word, names in sides.items() if names]
    if not said and len(rows.apart) < len(rows):
        said = ["no difference survives correction"]
    return "; ".join([*said, *unsaid(rows.apart)])


def unsaid(apart: Mapping[str, str], system: str = "") -> list[str]:
    """`nothing can be said of rouge1, rouge2 (other references)`, for each reason."""
    whys = {why: [name for name in apart if apart[name] == why] for why in dict.fromkeys(apart.values())}
    of = f" of {system}" if system else ""
    return [f"nothing can be said of {', '.join(names)}{of} ({why})" for why, names in whys.items()]


def within_margin(row: Compared, margin: str) -> str | None:
    """What the margin, written as a table shows it, allows to say; None where none was given."""
    if row.margin is None:
        return None
    if row.p_equal is None:
        return "nothing can be said about the margin"
    if row.p_equal < LEVEL:
        return f"equal within {margin}"
    if row.p_not_worse is not None and row.p_not_worse < LEVEL:
        return f"not worse by {margin} or more"
    return f"may be off by {margin} or more"
