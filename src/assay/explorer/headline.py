"""The answer of a dataset in one sentence: which systems have the best scores, and which are tied with them.

The pages write the same sentence (`web/src/ranking.ts`), once their tests are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.results.table_section import TableSection

MOST = 3
"""Maximum number of systems that the sentence lists."""


def headline(section: TableSection, systems: Sequence[str]) -> str:
    """Return the sentence; empty where nothing was tested.

    Args:
        section: Tested scores.
        systems: Systems in the order of the table, best first.
    """
    verdicts = {
        name: each
        for name in section.numbers
        if any((each := {system: section.verdict(name, system) for system in systems}).values())
    }
    best = {system: sum(each[system] == "best" for each in verdicts.values()) for system in systems}
    tied = {system: sum(each[system] == "tied" for each in verdicts.values()) for system in systems}
    winners = sorted((system for system in systems if best[system]), key=lambda system: -best[system])
    if not winners or len(systems) < 2:
        return ""
    first, *others = winners
    if len(verdicts) == 1:
        share = f"on {section.label(next(iter(verdicts)))}"
    else:
        every = best[first] == len(verdicts)
        share = f"on all {len(verdicts)} metrics" if every else f"on {best[first]} of {len(verdicts)} metrics"
    also = f", {_listed(others, best)}" if others else ""
    return f"{first} has the best score {share}{also}{_ties(first, systems, tied, bool(others))}."


def _ties(first: str, systems: Sequence[str], tied: dict[str, int], several: bool) -> str:
    equal = sorted((system for system in systems if tied[system] and system != first), key=lambda system: -tied[system])
    whom = "the best" if several else "it"
    if not equal:
        return "; all other differences from the best are significant"
    if len(equal) == 1:
        return f"; {equal[0]} is statistically tied with {whom} on {tied[equal[0]]}"
    return f"; statistically tied with {whom}: {_listed(equal, tied)}"


def _listed(systems: Sequence[str], counts: dict[str, int]) -> str:
    words = [f"{system} on {counts[system]}" for system in systems]
    return ", ".join(words[:MOST]) + (f" and {len(words) - MOST} more" if len(words) > MOST else "")
