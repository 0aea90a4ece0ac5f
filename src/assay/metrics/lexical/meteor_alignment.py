"""METEOR's alignment: every possible match of words and phrases, then those that cover most in fewest chunks.

The search is the original's, with what it does by chance of its program: halves of a match are cut off to whole words,
and the distance of a match is counted on the paths that did not take it. Without these the alignments would be others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from assay.metrics.lexical.meteor_data import LONGEST, Phrase

BEAM = 40
WEIGHT = (1.0, 0.5, 0.5, 0.5)
"""Of a match in the search: of the same word, else of any other stage."""
RANK = itemgetter(0, 1, 2)
Path = tuple[int, int, int, int, int, int, int, int, Any]


class Match(NamedTuple):
    """A stretch of the reference and one of the output."""

    start: int
    length: int
    other: int
    other_length: int
    stage: int


class Stages(NamedTuple):
    """What may match besides equal words; None where a stage is left out."""

    stem: Callable[[str], str] | None = None
    senses: Callable[[str], frozenset[int]] | None = None
    phrases: Mapping[Phrase, Sequence[Phrase]] | None = None


def align(output: Sequence[str], reference: Sequence[str], stages: Stages) -> tuple[list[Match], int]:
    """The matches of the best alignment, in the order of the reference, and how many chunks they make."""
    found = _exact(output, reference)
    if list(output) != list(reference):
        if stages.stem:
            stems = [stages.stem(word) for word in output], [stages.stem(word) for word in reference]
            _alike(found, output, reference, *stems, stage=1)
        if stages.senses:
            _share(found, output, reference, stages.senses)
        if stages.phrases:
            _phrases(found, output, reference, stages.phrases)
    chosen = _search(found, len(output))
    return chosen, _chunks(chosen)


def _exact(output: Sequence[str], reference: Sequence[str]) -> list[list[Match]]:
    places: dict[str, list[int]] = {}
    for j, word in enumerate(output):
        places.setdefault(word, []).append(j)
    return [[Match(i, 1, j, 1, 0) for j in places.get(word, ())] for i, word in enumerate(reference)]


def _alike(
    found: list[list[Match]],
    output: Sequence[str],
    reference: Sequence[str],
    a: Sequence[str],
    b: Sequence[str],
    stage: int,
) -> None:
    """Words that are not the same and have the same form."""
    places: dict[str, list[int]] = {}
    for j, form in enumerate(a):
        places.setdefault(form, []).append(j)
    for i, form in enumerate(b):
        found[i] += [Match(i, 1, j, 1, stage) for j in places.get(form, ()) if output[j] != reference[i]]


def _share(
    found: list[list[Match]], output: Sequence[str], reference: Sequence[str], senses: Callable[[str], frozenset[int]]
) -> None:
    known = [(j, word, held) for j, word in enumerate(output) if (held := senses(word))]
    for i, word in enumerate(reference):
        own = senses(word)
        if own:
            found[i] += [Match(i, 1, j, 1, 2) for j, other, held in known if other != word and not own.isdisjoint(held)]


def _phrases(
    found: list[list[Match]], output: Sequence[str], reference: Sequence[str], table: Mapping[Phrase, Sequence[Phrase]]
) -> None:
    """Paraphrases, looked up from both sides: a pair that the table has both ways is there twice."""
    for texts, swapped in (((reference, output), False), ((output, reference), True)):
        one, two = texts
        places: dict[str, list[int]] = {}
        for j, word in enumerate(two):
            places.setdefault(word, []).append(j)
        for i in range(len(one)):
            for length in range(1, min(LONGEST, len(one) - i) + 1):
                for phrase in table.get(tuple(one[i : i + length]), ()):
                    for j in places.get(phrase[0], ()):
                        if tuple(two[j : j + len(phrase)]) == phrase:
                            match = (
                                Match(j, len(phrase), i, length, 3) if swapped else Match(i, length, j, len(phrase), 3)
                            )
                            found[match.start].append(match)


def _search(found: list[list[Match]], width: int) -> list[Match]:
    """From left to right over the reference, with the best paths at each word.

    A path is (covered words, negative; chunks; distance; covered words of both sides; where it goes on; where its last
    match ends in the output; words of the output that it has used; its matches, the last one first).
    """
    fixed = _certain(found, width)
    taken = 0
    held: set[int] = set()
    for match in fixed.values():
        taken |= ((1 << match.other_length) - 1) << match.other
        held.update(range(match.start, match.start + match.length))
    masks = [
        [(match, ((1 << match.other_length) - 1) << match.other) for match in here if i not in fixed
         and held.isdisjoint(range(match.start, match.start + match.length))]
        for i, here in enumerate(found)
    ]  # fmt: skip
    paths: list[Path] = [(0, 0, 0, 0, 0, 0, -1, taken, None)]
    for i in range(len(found)):
        if len(paths) > 1:
            paths.sort(key=RANK)
            del paths[BEAM:]
        following: list[Path] = []
        certain = fixed.get(i)
        for path in paths:
            covered, chunks, distance, ours, theirs, reach, end, used, trail = path
            if i < reach:
                following.append(path)
            elif certain is not None:
                following.append(_taken(path, certain, used, distance + abs(certain.start - certain.other)))
            elif i in held:
                continue
            else:
                for match, mask in masks[i]:
                    if not used & mask:
                        following.append(_taken((covered, chunks, distance, ours, theirs, reach, end, used, trail),
                                                match, used | mask, distance))  # fmt: skip
                        distance += abs(match.start - match.other)
                following.append((covered, chunks + (end != -1), distance, ours, theirs, i + 1, -1, used, trail))
        paths = following or paths[:1]
    paths.sort(key=RANK)
    done = [(path[0], path[1] + (path[6] != -1), path[2], path[8]) for path in paths[:BEAM]]
    trail = min(done, key=RANK)[3]
    chosen: list[Match] = []
    while trail:
        match, trail = trail
        chosen.append(match)
    return chosen[::-1]


def _taken(path: Path, match: Match, used: int, distance: int) -> Path:
    _, chunks, _, ours, theirs, _, end, _, trail = path
    weight = WEIGHT[match.stage]
    ours, theirs = int(ours + match.other_length * weight), int(theirs + match.length * weight)
    chunks += end not in (-1, match.other)
    return (-(ours + theirs), chunks, distance, ours, theirs, match.start + match.length,
            match.other + match.other_length, used, (match, trail))  # fmt: skip


def _certain(found: list[list[Match]], width: int) -> dict[int, Match]:
    """Matches that no other comes near, by where they start."""
    ours, theirs = [0] * width, [0] * len(found)
    for here in found:
        for match in here:
            for j in range(match.other, match.other + match.other_length):
                ours[j] += 1
            for i in range(match.start, match.start + match.length):
                theirs[i] += 1
    return {
        i: match
        for i, (match, *more) in ((i, here) for i, here in enumerate(found) if here)
        if not more
        and all(count == 1 for count in theirs[i : i + match.length])
        and all(count == 1 for count in ours[match.other : match.other + match.other_length])
    }


def _chunks(matches: Sequence[Match]) -> int:
    """Runs of matches that follow one another on both sides."""
    count, here, there = 0, -1, -1
    for match in matches:
        count += (match.start, match.other) != (here, there)
        here, there = match.start + match.length, match.other + match.other_length
    return count
