"""One annotator against the majority of the others, and votes that differ from the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from assay.errors import AssayError
from assay.records import Judgement
from assay.stats.votes import NO_ERROR, SEVERAL, errors_of, verdict

MAJORITY = "majority"


def against_majority(judgements: Sequence[Judgement], expert: str) -> tuple[list[Judgement], int]:
    """Return the judgements of one annotator paired with the majority of the others, and the number without one.

    Error categories are decided in two steps: first whether there is an error, then which.

    Raises:
        AssayError: The annotator has no judgement, or the others have no majority on any of them.
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
        raise AssayError(f"--expert {expert}: no judgement by this annotator. Annotators: {names}.")
    pairs, undecided = [], 0
    for key, mine in own.items():
        value = majority_value([judgement.value for judgement in others.get(key, ())])
        undecided += value is None
        if value is not None:
            pairs += [mine, msgspec.structs.replace(mine, annotator=MAJORITY, value=value)]
    if not pairs:
        raise AssayError(f"--expert {expert}: the others have no majority on any judgement of {expert}.")
    return pairs, undecided


def majority_value(values: Sequence[float | str]) -> float | str | None:
    """Return the value of more than half of the votes, or None.

    Error categories are decided in two steps: first whether there is an error, then which.
    """
    if not values:
        return None
    if any(isinstance(value, str) and (SEVERAL in value or value.lower() in NO_ERROR) for value in values):
        vote = verdict([errors_of(str(value)) for value in values])
        return (vote.category if vote.wrong else "NoE") if not vote.wrong or vote.category else None
    (value, count), *_ = Counter(values).most_common(1)
    return value if 2 * count > len(values) else None


def minority_votes(judgements: Sequence[Judgement], criterion: str) -> dict[tuple[str, str], int]:
    """Return the number of votes that differ from the majority of their sentence, by majority and by vote."""
    units: dict[tuple[str, str, str], list[tuple[str, ...]]] = {}
    for judgement in judgements:
        if judgement.criterion == criterion:
            key = (judgement.id, judgement.system, judgement.unit)
            units.setdefault(key, []).append(errors_of(str(judgement.value)))
    counts: Counter[tuple[str, str]] = Counter()
    for votes in units.values():
        majority = verdict(votes)
        if majority.wrong and not majority.category:
            continue
        most = majority.category or "NoE"
        for named in votes:
            for name in named or ("NoE",):
                if name != most and most not in named:
                    counts[most, name] += 1
    return dict(counts)
