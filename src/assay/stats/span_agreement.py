"""Agreement on marked spans: F1 of exact spans and of covered characters between annotators."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Span = tuple[int, int, str]  # start, end (exclusive), label


@dataclass(frozen=True)
class SpanAgreement:
    """F1 pooled over items and annotator pairs; F1 is symmetric in the two annotators."""

    exact: float
    overlap: float
    pairs: int
    spans: int


def span_agreement(marks: Mapping[str, Sequence[Sequence[Span]]], labelled: bool = True) -> SpanAgreement:
    """Return exact and character-level F1 of marked spans.

    Args:
        marks: Per item, one list of spans for each annotator who saw it; empty if they marked nothing.
        labelled: Whether spans must have the same label to match.
    """
    same = covered = 0
    spans = characters = pairs = 0
    for annotators in marks.values():
        for a, b in combinations(annotators, 2):
            pairs += 1
            one, two = _as_sets(a, labelled), _as_sets(b, labelled)
            same += len(one[0] & two[0])
            covered += len(one[1] & two[1])
            spans += len(one[0]) + len(two[0])
            characters += len(one[1]) + len(two[1])
    if not pairs:
        raise UndefinedStatistic("no item was marked by two annotators")
    if not spans:
        raise UndefinedStatistic("no annotator marked a span, so F1 has no value")
    return SpanAgreement(2 * same / spans, 2 * covered / characters, pairs, spans)


def _as_sets(spans: Sequence[Span], labelled: bool) -> tuple[set[Span], set[tuple[int, str]]]:
    for start, end, _ in spans:
        if not 0 <= start < end:
            raise UndefinedStatistic(f"span {start}-{end} is empty or ends before it starts")
    named = {(start, end, label if labelled else "") for start, end, label in spans}
    return named, {(character, label) for start, end, label in named for character in range(start, end)}
