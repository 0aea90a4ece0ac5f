"""The alignment of METEOR in plain Python, to compare the kernel with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

LONGEST = 7
Phrase = tuple[str, ...]

BEAM = 40
WEIGHT = (1.0, 0.5, 0.5, 0.5)
"""Weight of a match in the search, by stage."""
RANK = itemgetter(0, 1, 2)
Path = tuple[int, int, int, int, int, int, int, int, Any]


class Match(NamedTuple):
    """A matching phrase of the reference and of the output."""

    start: int
    length: int
    other: int
    """Start in the output."""
    other_length: int
    stage: int


class Stages(NamedTuple):
    """Resources of the stages after exact matches; None for a stage that is not used."""

    stem: Callable[[str], str] | None = None
    senses: Callable[[str], frozenset[int]] | None = None
    phrases: Mapping[Phrase, Sequence[Phrase]] | None = None


def align(output: Sequence[str], reference: Sequence[str], stages: Stages) -> tuple[list[Match], int]:
    """Return the matches of the best alignment, in the order of the reference, and the number of chunks."""
    matches = _exact(output, reference)
    if list(output) != list(reference):
        if stages.stem:
            stems = [stages.stem(word) for word in output], [stages.stem(word) for word in reference]
            _add_same_form(matches, output, reference, *stems, stage=1)
        if stages.senses:
            _add_synonyms(matches, output, reference, stages.senses)
        if stages.phrases:
            _add_paraphrases(matches, output, reference, stages.phrases)
    chosen = _search(matches, len(output))
    return chosen, _chunks(chosen)


def _exact(output: Sequence[str], reference: Sequence[str]) -> list[list[Match]]:
    places: dict[str, list[int]] = {}
    for j, word in enumerate(output):
        places.setdefault(word, []).append(j)
    return [[Match(i, 1, j, 1, 0) for j in places.get(word, ())] for i, word in enumerate(reference)]


def _add_same_form(
    matches: list[list[Match]],
    output: Sequence[str],
    reference: Sequence[str],
    a: Sequence[str],
    b: Sequence[str],
    stage: int,
) -> None:
    """Add matches of different words with the same form (stem)."""
    places: dict[str, list[int]] = {}
    for j, form in enumerate(a):
        places.setdefault(form, []).append(j)
    for i, form in enumerate(b):
        matches[i] += [Match(i, 1, j, 1, stage) for j in places.get(form, ()) if output[j] != reference[i]]


def _add_synonyms(
    matches: list[list[Match]], output: Sequence[str], reference: Sequence[str], senses: Callable[[str], frozenset[int]]
) -> None:
    """Add matches of words that share a sense."""
    known = [(j, word, ids) for j, word in enumerate(output) if (ids := senses(word))]
    for i, word in enumerate(reference):
        own = senses(word)
        if own:
            matches[i] += [Match(i, 1, j, 1, 2) for j, other, ids in known if other != word and not own.isdisjoint(ids)]


def _add_paraphrases(
    matches: list[list[Match]],
    output: Sequence[str],
    reference: Sequence[str],
    table: Mapping[Phrase, Sequence[Phrase]],
) -> None:
    """Add paraphrases, looked up from both sides; a pair that the table has in both directions is added twice."""
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
                            matches[match.start].append(match)


def _search(matches: list[list[Match]], width: int) -> list[Match]:
    """Return the matches of the best path of a beam search from left to right over the reference.

    A path is (negative number of covered words; chunks; distance; covered words of output and reference; next reference
    position; end of the last match in the output; bit mask of used output words; matches, the last one first).
    """
    fixed = _unambiguous(matches, width)
    taken = 0
    covered_by_fixed: set[int] = set()
    for match in fixed.values():
        taken |= ((1 << match.other_length) - 1) << match.other
        covered_by_fixed.update(range(match.start, match.start + match.length))
    masks = [
        [(match, ((1 << match.other_length) - 1) << match.other) for match in here if i not in fixed
         and covered_by_fixed.isdisjoint(range(match.start, match.start + match.length))]
        for i, here in enumerate(matches)
    ]  # fmt: skip
    paths: list[Path] = [(0, 0, 0, 0, 0, 0, -1, taken, None)]
    for i in range(len(matches)):
        if len(paths) > 1:
            paths.sort(key=RANK)
            del paths[BEAM:]
        following: list[Path] = []
        fixed_match = fixed.get(i)
        for path in paths:
            covered, chunks, distance, ours, theirs, reach, end, used, trail = path
            if i < reach:
                following.append(path)
            elif fixed_match is not None:
                following.append(
                    _extend(path, fixed_match, used, distance + abs(fixed_match.start - fixed_match.other))
                )
            elif i in covered_by_fixed:
                continue
            else:
                for match, mask in masks[i]:
                    if not used & mask:
                        following.append(_extend((covered, chunks, distance, ours, theirs, reach, end, used, trail),
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


def _extend(path: Path, match: Match, used: int, distance: int) -> Path:
    """Return the path with one more match."""
    _, chunks, _, ours, theirs, _, end, _, trail = path
    weight = WEIGHT[match.stage]
    ours, theirs = int(ours + match.other_length * weight), int(theirs + match.length * weight)
    chunks += end not in (-1, match.other)
    return (-(ours + theirs), chunks, distance, ours, theirs, match.start + match.length,
            match.other + match.other_length, used, (match, trail))  # fmt: skip


def _unambiguous(matches: list[list[Match]], width: int) -> dict[int, Match]:
    """Return the matches that overlap with no other match, by their start."""
    ours, theirs = [0] * width, [0] * len(matches)
    for here in matches:
        for match in here:
            for j in range(match.other, match.other + match.other_length):
                ours[j] += 1
            for i in range(match.start, match.start + match.length):
                theirs[i] += 1
    return {
        i: match
        for i, (match, *more) in ((i, here) for i, here in enumerate(matches) if here)
        if not more
        and all(count == 1 for count in theirs[i : i + match.length])
        and all(count == 1 for count in ours[match.other : match.other + match.other_length])
    }


def _chunks(matches: Sequence[Match]) -> int:
    """Return the number of chunks: runs of matches that are adjacent on both sides."""
    count, here, there = 0, -1, -1
    for match in matches:
        count += (match.start, match.other) != (here, there)
        here, there = match.start + match.length, match.other + match.other_length
    return count


def counted(output: list[str], reference: list[str], stages: Stages, function: frozenset[str]) -> list[float]:
    """Return lengths, chunks, and matches by side, kind of word and stage. A complete match counts as no chunk."""
    matches, chunks = align(output, reference, stages)
    covered = sum(match.other_length for match in matches), sum(match.length for match in matches)
    if chunks == 1 and covered == (len(output), len(reference)):
        chunks = 0
    is_function = [[word.lower() in function for word in text] for text in (output, reference)]
    counts = [[[0.0] * 4 for _ in range(2)] for _ in range(2)]
    for match in matches:
        for j in range(match.other, match.other + match.other_length):
            counts[0][is_function[0][j]][match.stage] += 1
        for i in range(match.start, match.start + match.length):
            counts[1][is_function[1][i]][match.stage] += 1
    lengths = (len(output), sum(is_function[0]), len(reference), sum(is_function[1]), chunks)
    return [*map(float, lengths), *(n for side in counts for kind in side for n in kind)]
