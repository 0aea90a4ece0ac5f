"""Majority votes on the errors of a sentence: first whether there is an error, then which one.

An annotator can name several errors. If all votes were counted together, one vote for "no error" and two for different
errors would be a tie, although two of three annotators have seen an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

NO_ERROR = frozenset({"noe", "none", "no error", "ok", "correct", "0"})
"""Labels for a sentence without errors."""
SEVERAL = "+"
"""Separator of several errors in one vote: `RelE+OutE`."""
UNASSIGNED = "unassigned"


def errors_of(vote: str) -> tuple[str, ...]:
    """Return the errors that one vote names; empty for "no error"."""
    named = dict.fromkeys(part.strip() for part in vote.split(SEVERAL))
    return tuple(name for name in named if name and name.lower() not in NO_ERROR)


@dataclass(frozen=True)
class Verdict:
    """The majority vote on one sentence."""

    wrong: bool
    """Whether at least half of the annotators named an error."""
    category: str | None = None
    """The error that most annotators named; None if there is none, or several are equally frequent."""
    tied: tuple[str, ...] = ()
    """Equally frequent errors, if more than one has a majority."""


def verdict(votes: Sequence[Collection[str]]) -> Verdict:
    """Return the majority vote of annotators who each named some errors, or none."""
    with_error = sum(bool(named) for named in votes)
    if not votes or 2 * with_error < len(votes):
        return Verdict(False)
    counts = Counter(name for named in votes for name in set(named))
    most = max(counts.values())
    first = sorted(name for name, count in counts.items() if count == most)
    if 2 * most <= len(votes):
        return Verdict(True)
    return Verdict(True, first[0]) if len(first) == 1 else Verdict(True, None, tuple(first))


def error_shares(verdicts: Iterable[Verdict], categories: Sequence[str]) -> dict[str, float]:
    """Return the share of sentences by error; `unassigned` are sentences with an error but no majority for one."""
    sentences = list(verdicts)
    counts = Counter(each.category if each.category in categories else UNASSIGNED for each in sentences if each.wrong)
    return {name: counts[name] / len(sentences) for name in (*categories, UNASSIGNED)}
