"""One rater against the majority of the others, and where single votes part from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from assay.errors import AssayError
from assay.records import Judgement
from assay.stats.votes import NO_ERROR, SEVERAL, errors_of, verdict

MAJORITY = "majority"


def against_majority(judgements: Sequence[Judgement], expert: str) -> tuple[list[Judgement], int]:
    """The answers of one rater beside what most of the others say of the same thing, and how often most say nothing.

    Kinds of error are settled as votes are: first whether, then which.
    """
    others: dict[tuple[str, str, str, str], list[Judgement]] = {}
    own: dict[tuple[str, str, str, str], Judgement] = {}
    for judgement in judgements:
        key = (judgement.id, judgement.system, judgement.criterion, judgement.unit)
        if judgement.annotator == expert:
            own[key] = judgement
        else:
            others.setdefault(key, []).append(judgement)
    if not own:
        names = ", ".join(sorted({judgement.annotator for judgement in judgements})[:5])
        raise AssayError(f"--expert {expert}: nobody of that name has judged; there is {names}")
    made, undecided = [], 0
    for key, mine in own.items():
        value = majority_value([judgement.value for judgement in others.get(key, ())])
        undecided += value is None
        if value is not None:
            made += [mine, msgspec.structs.replace(mine, annotator=MAJORITY, value=value)]
    if not made:
        raise AssayError(f"--expert {expert}: on nothing that {expert} has judged do the others have a majority")
    return made, undecided


def majority_value(values: Sequence[float | str]) -> float | str | None:
    """What more than half say, or None; kinds of error as votes are settled: first whether, then which."""
    if not values:
        return None
    if any(isinstance(value, str) and (SEVERAL in value or value.lower() in NO_ERROR) for value in values):
        found = verdict([errors_of(str(value)) for value in values])
        return (found.category if found.wrong else "NoE") if not found.wrong or found.category else None
    (value, count), *_ = Counter(values).most_common(1)
    return value if 2 * count > len(values) else None


def minority_votes(judgements: Sequence[Judgement], criterion: str) -> dict[tuple[str, str], int]:
    """How often a vote says something else than the majority of its sentence: by majority and by that vote."""
    units: dict[tuple[str, str, str], list[tuple[str, ...]]] = {}
    for judgement in judgements:
        if judgement.criterion == criterion:
            key = (judgement.id, judgement.system, judgement.unit)
            units.setdefault(key, []).append(errors_of(str(judgement.value)))
    counts: Counter[tuple[str, str]] = Counter()
    for votes in units.values():
        found = verdict(votes)
        if found.wrong and not found.category:
            continue
        most = found.category or "NoE"
        for named in votes:
            for name in named or ("NoE",):
                if name != most and most not in named:
                    counts[most, name] += 1
    return dict(counts)
