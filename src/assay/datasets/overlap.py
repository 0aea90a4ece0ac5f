"""Overlap of two sets of examples, such as test items that are also in the training set.

Exact: identical. Normalised: identical without case, punctuation and white space. Near: Jaccard index of word trigrams
of at least a threshold; the search is complete, not approximate.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

from assay.errors import UsageError
from assay.records.types import Example

Level = Literal["exact", "normalised", "near"]
LEVELS: tuple[Level, ...] = ("exact", "normalised", "near")
Side = Literal["inputs", "references"]
SIDES: tuple[Side, ...] = ("inputs", "references")
WORDS = 3


@dataclass(frozen=True)
class Match:
    """A test item and the most similar training item."""

    id: str
    other: str
    level: Level
    similarity: float


@dataclass(frozen=True)
class Overlap:
    side: Side
    items: int
    """Number of test items with such a text."""
    matches: list[Match]
    """At most one per test item: at the closest level, the most similar."""

    def counts(self) -> dict[Level, int]:
        """Return the number of test items at each level; an exact match also counts at the wider levels."""
        levels = Counter(match.level for match in self.matches)
        return {level: sum(levels[each] for each in LEVELS[: place + 1]) for place, level in enumerate(LEVELS)}


def overlap(train: Iterable[Example], test: Sequence[Example], near: float = 0.8) -> list[Overlap]:
    """Return the overlap of inputs and of references."""
    if not 0.5 <= near <= 1:
        raise UsageError(f"near={near:g}: a share from 0.5 to 1")
    train = list(train)
    taken: tuple[Callable[[Example], list[str]], ...] = (_inputs, _references)
    overlaps = []
    for side, texts in zip(SIDES, taken, strict=True):
        queries = [(example.id, text) for example in test for text in texts(example)]
        known = [(example.id, text) for example in train for text in texts(example)]
        if queries and known:
            overlaps.append(Overlap(side, len({id for id, _ in queries}), _matches(known, queries, near)))
    return overlaps


def _inputs(example: Example) -> list[str]:
    """Return the input of a system: the typed input, independent of field order, else the source."""
    if example.input is not None:
        return [json.dumps(_settled(example.input), ensure_ascii=False, sort_keys=True)]
    return [example.source] if example.source else []


def _settled(value: Any) -> Any:
    """Sort triples and slots, whose order has no meaning."""
    if isinstance(value, dict):
        return {str(key): _settled(each) for key, each in value.items() if each not in (None, [], {})}
    if isinstance(value, list | tuple):
        inner = [_settled(each) for each in value]
        if all(isinstance(each, list | dict) for each in inner):
            return sorted(inner, key=lambda each: json.dumps(each, sort_keys=True))
        return inner
    return value


def _references(example: Example) -> list[str]:
    return [text for text in example.references if text.strip()]


def normalised(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _matches(known: list[tuple[str, str]], queries: list[tuple[str, str]], near: float) -> list[Match]:
    exact = {text: id for id, text in reversed(known)}
    plain = {normalised(text): id for id, text in reversed(known)}
    best: dict[str, Match] = {}
    open_ones = []
    for id, text in queries:
        if text in exact:
            _keep(best, Match(id, exact[text], "exact", 1.0))
        elif (same := normalised(text)) in plain and same:
            _keep(best, Match(id, plain[same], "normalised", 1.0))
        else:
            open_ones.append((id, text))
    for match in _near(
        [(id, normalised(text)) for id, text in known], [(i, normalised(t)) for i, t in open_ones], near
    ):
        _keep(best, match)
    order = {id: place for place, (id, _) in enumerate(queries)}
    return sorted(best.values(), key=lambda match: order[match.id])


def _keep(best: dict[str, Match], match: Match) -> None:
    old = best.get(match.id)
    if old is None or (LEVELS.index(match.level), -match.similarity) < (LEVELS.index(old.level), -old.similarity):
        best[match.id] = match


def _near(known: list[tuple[str, str]], queries: list[tuple[str, str]], near: float) -> Iterator[Match]:
    """Yield all pairs of sets above the threshold: they share one of their rarest members (prefix filtering)."""
    sets = [_shingles(text) for _, text in known]
    frequency = Counter(member for each in sets for member in each)

    def prefix(members: frozenset[str]) -> list[str]:
        ranked = sorted(members, key=lambda member: (frequency[member], member))
        return ranked[: len(ranked) - ceil(near * len(ranked)) + 1]

    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, members in enumerate(sets):
        for member in prefix(members):
            places[member].append(place)
    for id, text in queries:
        mine = _shingles(text)
        closest, similarity = -1, 0.0
        for place in {place for member in prefix(mine) for place in places.get(member, ())}:
            shared = len(mine & sets[place])
            jaccard = shared / (len(mine) + len(sets[place]) - shared)
            if jaccard >= near and (jaccard, -place) > (similarity, -closest):
                closest, similarity = place, jaccard
        if closest >= 0:
            yield Match(id, known[closest][0], "near", similarity)


def _shingles(text: str) -> frozenset[str]:
    words = text.split()
    if len(words) <= WORDS:
        return frozenset([" ".join(words)] if words else [])
    return frozenset(" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1))
