"""Votes on the errors of a sentence: first whether there is one, by majority, and only then which.

A person may name several errors at once. Counted all together, one vote for "no error" and two for different errors
would be a tie that the order of the votes decides; two of three people have seen an error there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

NO_ERROR = frozenset({"noe", "none", "no error", "ok", "correct", "0"})
"""Words by which annotators say that a sentence is fine."""
SEVERAL = "+"
"""Between the errors that one person names for one sentence: `RelE+OutE`."""
UNASSIGNED = "unassigned"


def errors_of(vote: str) -> tuple[str, ...]:
    """What one person named; nothing where the vote says that there is no error."""
    named = dict.fromkeys(part.strip() for part in vote.split(SEVERAL))
    return tuple(name for name in named if name and name.lower() not in NO_ERROR)


@dataclass(frozen=True)
class Verdict:
    """What most people said of one sentence."""

    wrong: bool
    """At least half of them named an error: a text is held to be right only if most say so."""
    category: str | None = None
    """The one error that most of them named; None if there is none, or several are as frequent."""
    tied: tuple[str, ...] = ()
    """The errors that are as frequent, where more than one reached the majority."""


def verdict(votes: Sequence[Collection[str]]) -> Verdict:
    """The verdict of people of whom each named some errors, or none."""
    saw = sum(bool(named) for named in votes)
    if not votes or 2 * saw < len(votes):
        return Verdict(False)
    counts = Counter(name for named in votes for name in set(named))
    most = max(counts.values())
    first = sorted(name for name, count in counts.items() if count == most)
    if 2 * most <= len(votes):
        return Verdict(True)
    return Verdict(True, first[0]) if len(first) == 1 else Verdict(True, None, tuple(first))


def error_shares(verdicts: Iterable[Verdict], categories: Sequence[str]) -> dict[str, float]:
    """Share of sentences by error, and `unassigned` for those that most hold to be wrong without agreeing why."""
    given = list(verdicts)
    counts = Counter(each.category if each.category in categories else UNASSIGNED for each in given if each.wrong)
    return {name: counts[name] / len(given) for name in (*categories, UNASSIGNED)}
