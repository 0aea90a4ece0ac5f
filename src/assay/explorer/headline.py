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
    equal = [name for name, each in verdicts.items() if len(systems) > 1 and set(each.values()) == {"best"}]
    verdicts = {name: each for name, each in verdicts.items() if name not in equal}
    if equal and not verdicts:
        return f"All {len(systems)} systems have equal scores on {_named(section, equal, f'all {len(equal)} metrics')}."
    best = {system: sum(each[system] == "best" for each in verdicts.values()) for system in systems}
    tied = {system: sum(each[system] == "tied" for each in verdicts.values()) for system in systems}
    winners = sorted((system for system in systems if best[system]), key=lambda system: -best[system])
    if not winners or len(systems) < 2:
        return ""
    first, *others = winners
    single = len(verdicts) == 1
    every = "both metrics" if len(verdicts) == 2 else f"all {len(verdicts)} metrics"
    share = _named(section, list(verdicts), every)
    if best[first] < len(verdicts):
        share = f"{best[first]} of {len(verdicts)} metrics"
    also = f", {_listed(others, best, single)}" if others else ""
    close = sorted((system for system in systems if tied[system] and system != first), key=lambda system: -tied[system])
    whom = "the best" if others else "it"
    ties = "all other differences from the best are significant"
    if len(close) == 1:
        on = [name for name, each in verdicts.items() if each[close[0]] == "tied"]
        where = "" if single else f" on {_named(section, on, str(len(on)))}"
        ties = f"{close[0]} is statistically tied with {whom}{where}"
    elif close:
        ties = f"statistically tied with {whom}: {_listed(close, tied, single)}"
    same = f" All have equal scores on {_named(section, equal, f'{len(equal)} more metrics')}." if equal else ""
    return f"{first} has the best score on {share}{also}; {ties}.{same}"


def _named(section: TableSection, metrics: Sequence[str], several: str) -> str:
    return section.label(metrics[0]) if len(metrics) == 1 else several


def _listed(systems: Sequence[str], counts: dict[str, int], single: bool) -> str:
    words = [system if single else f"{system} on {counts[system]}" for system in systems]
    return ", ".join(words[:MOST]) + (f" and {len(words) - MOST} more" if len(words) > MOST else "")
