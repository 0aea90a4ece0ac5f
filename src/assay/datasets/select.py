"""Select datasets for a benchmark: utilities from a survey, and the best selection under constraints.

GEM surveyed candidates and criteria, and then selected the best set that satisfies all principles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, fsum
from pathlib import Path
from statistics import mean, median
from typing import Any

from assay.datasets.select_bound import Bound, Limit
from assay.errors import AssayError, UsageError
from assay.records.documents import read_json
from assay.text.integers import is_integer

VOTES = {"positive": 1, "neutral": 0, "negative": -1}
MOST_STEPS = 2_000_000
"""Maximum number of partial sets; beyond it the search would take minutes."""

MANY = 2**62
"""Represents no limit."""
LARGEST_ANSWER = 1e100
"""Maximum absolute value of an answer; larger values cannot be averaged."""


@dataclass(frozen=True)
class Candidate:
    """A candidate dataset: its utility and the properties used by rules."""

    name: str
    utility: float
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Count:
    """Minimum and maximum number of candidates with a value of a property."""

    key: str
    value: Any
    least: int
    most: int

    def of(self, candidates: Sequence[Candidate]) -> int:
        return sum(map(self.has, candidates))

    def has(self, candidate: Candidate) -> bool:
        """Return whether the candidate has this value, alone or among several."""
        value: Any = candidate.properties.get(self.key)
        return self.value in value if _is_several(value) else value == self.value

    def rule(self, name: str) -> Rule:
        def holds(chosen: Sequence[Candidate]) -> bool:
            return self.least <= self.of(chosen) <= self.most

        def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
            have, more, free = self.of(chosen), self.of(rest), size - len(chosen)
            return have + min(free, more) >= self.least and have + max(0, free - len(rest) + more) <= self.most

        return Rule(name, holds, possible, self)


@dataclass(frozen=True)
class Rule:
    """A constraint on the selected set."""

    name: str
    holds: Callable[[Sequence[Candidate]], bool]
    possible: Callable[[Sequence[Candidate], Sequence[Candidate], int], bool] = lambda chosen, rest, size: True
    """Whether the selected candidates and the rest can still form a set of `size` that satisfies the rule. True is
    always valid, only slower."""
    count: Count | None = None
    """The counted value, if the rule is only a count."""


@dataclass(frozen=True)
class Choice:
    chosen: tuple[Candidate, ...]
    utility: float
    considered: int
    """Number of sets of the requested size."""
    steps: int
    """Number of partial sets examined to prove optimality."""


def utilities(votes: Mapping[str, Iterable[int | str]]) -> dict[str, float]:
    """Return the mean vote of each candidate; answers are words (`positive`) or numbers from -1 to 1."""
    means = {}
    for name, answers in votes.items():
        if not isinstance(answers, Iterable):
            raise AssayError(f"{name}: votes are a list of positive, neutral, negative or numbers, not {answers!r:.80}")
        numbers = [VOTES[vote] if isinstance(vote, str) and vote in VOTES else vote for vote in answers]
        bad = next((vote for vote in numbers if not isinstance(vote, int | float) or not -1 <= vote <= 1), None)
        if bad is not None or not numbers:
            raise AssayError(f"{name}: votes are positive, neutral, negative or numbers from -1 to 1, not {bad!r:.80}")
        means[name] = mean(float(vote) for vote in numbers)
    return means


def survey_summary(answers: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Return mean, median and number of answers of each numeric question."""
    return {
        question: {"mean": mean(values), "median": median(values), "n": len(values)}
        for question, values in answers.items()
        if values
    }


def equal(key: str) -> Rule:
    """Require equal counts of all selected values of a property, and at least two values."""

    def counts(of: Sequence[Candidate]) -> Counter[str]:
        return Counter(repr(candidate.properties.get(key)) for candidate in of)

    def holds(chosen: Sequence[Candidate]) -> bool:
        numbers = counts(chosen)
        return len(numbers) > 1 and len(set(numbers.values())) == 1

    def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
        have = counts(chosen)
        most = have + counts(rest)

        def each(count: int) -> bool:
            values = [value for value in most if most[value] >= count]
            return len(values) >= size // count > 1 and all(have[value] <= count <= most[value] for value in have)

        return any(size % count == 0 and each(count) for count in range(1, size))

    return Rule(f"equal {key}", holds, possible)


def at_least(count: int, key: str, value: Any) -> Rule:
    """Require at least N candidates with this value, alone or among several."""
    return Count(key, value, count, MANY).rule(f"at least {count} with {key} {value}")


def at_most(count: int, key: str, value: Any) -> Rule:
    return Count(key, value, 0, count).rule(f"at most {count} with {key} {value}")


def none_with(key: str, value: Any) -> Rule:
    """Exclude candidates with this value, e.g. closed licences."""
    return at_most(0, key, value)


def choose(candidates: Sequence[Candidate], size: int, rules: Sequence[Rule] = ()) -> Choice:
    """Return the set of `size` candidates with the highest utility under all rules; ties by higher single rating.

    Exact, by branch and bound: candidates are included or excluded in the order of their utility, and a branch is
    pruned if no completion that satisfies the rules can be better than the best set so far. Sets are visited in the
    order of their single ratings, so the first of several with the same sum wins the tie.
    """
    if not 0 < size <= len(candidates):
        raise AssayError(f"cannot choose {size} of {len(candidates)} candidates")
    ranked = sorted(candidates, key=lambda c: (-c.utility, c.name))
    bound = _bound(ranked, size, rules)
    others = [rule for rule in rules if rule.count is None or not _single(rule.count.key, ranked)]
    best: tuple[Candidate, ...] = ()
    highest = bound.lowest - bound.step
    steps = 0
    branches = [(0, 0, bound.prices)]
    while branches:
        marks, place, prices = branches.pop()
        steps += 1
        if steps > MOST_STEPS:
            raise AssayError(
                f"no best set of {size} of {len(candidates)} after {MOST_STEPS:,} steps; remove weak candidates"
            )
        if len(ranked) - place < size - marks.bit_count():
            continue
        most, prices = bound.of(marks, place, prices, highest)
        if most is None or most < highest + bound.step:
            continue
        chosen = tuple(each for i, each in enumerate(ranked[:place]) if marks >> i & 1)
        if len(chosen) == size:
            if all(rule.holds(chosen) for rule in rules):
                best, highest = chosen, most
            continue
        if all(rule.possible(chosen, ranked[place:], size) for rule in others):
            branches += [(marks, place + 1, prices), (marks | 1 << place, place + 1, prices)]
    if not best:
        raise AssayError(f"no set of {size} satisfies all rules: {', '.join(rule.name for rule in rules)}")
    return Choice(best, fsum(each.utility for each in best), comb(len(candidates), size), steps)


def _bound(ranked: Sequence[Candidate], size: int, rules: Sequence[Rule]) -> Bound:
    """Return the limits of the rules; of several for one value, the strictest."""
    limits: list[tuple[Count, Limit]] = []
    for count in (rule.count for rule in rules if rule.count):
        same = [i for i, (other, _) in enumerate(limits) if (other.key, other.value) == (count.key, count.value)]
        former = limits.pop(same[0])[1] if same else Limit(0, 0, size)
        who = sum(1 << i for i, each in enumerate(ranked) if count.has(each))
        limits.append((count, Limit(who, max(former.least, count.least), min(former.most, count.most))))
    keys = dict.fromkeys(count.key for count, _ in limits if _single(count.key, ranked))
    groups = [[limit for count, limit in limits if count.key == key] for key in keys]
    return Bound([each.utility for each in ranked], size, [limit for _, limit in limits], groups)


def _single(key: str, candidates: Sequence[Candidate]) -> bool:
    """Return whether each candidate has exactly one value of this property."""
    return not any(_is_several(each.properties.get(key)) for each in candidates)


def _is_several(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def rule(text: str) -> Rule:
    """Parse a rule of the command line: `equal:KEY`, `at-least:N:KEY=VALUE`, `at-most:...`, `none:KEY=VALUE`."""
    kind, *rest = text.split(":")
    key, _, value = rest[-1].partition("=") if rest else ("", "", "")
    if kind == "equal" and key and not value:
        return equal(key)
    if kind == "none" and key and value:
        return none_with(key, value)
    if kind in ("at-least", "at-most") and len(rest) == 2 and is_integer(rest[0]) and value:
        return (at_least if kind == "at-least" else at_most)(int(rest[0]), key, value)
    raise UsageError(f"rule {text}: write equal:KEY, at-least:N:KEY=VALUE, at-most:N:KEY=VALUE or none:KEY=VALUE")


def _numbers(values: list[Any]) -> bool:
    """Return whether all values are numbers of valid size."""
    return all(isinstance(value, int | float) and abs(value) < LARGEST_ANSWER for value in values)


def read_candidates(path: Path) -> tuple[list[Candidate], dict[str, dict[str, float]]]:
    """Read candidates by name from a JSON object, and the summary of its `survey`."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise AssayError(f"{path}: must be a JSON object of names with votes and properties")
    answers = content.pop("survey", {})
    if not isinstance(answers, dict) or not all(isinstance(each, list) and _numbers(each) for each in answers.values()):
        raise AssayError(f"{path} survey: must be an object of questions with lists of numbers")
    survey = survey_summary(answers)
    made = []
    for name, fields in content.items():
        if not isinstance(fields, dict) or not ("votes" in fields or "utility" in fields):
            raise AssayError(f'{path} {name}: needs "votes" or a number under "utility"')
        if "utility" in fields and not _numbers([fields["utility"]]):
            raise AssayError(f"{path} {name}: utility is a number, not {fields['utility']!r:.80}")
        utility = fields["utility"] if "utility" in fields else utilities({name: fields["votes"]})[name]
        properties = {key: value for key, value in fields.items() if key not in ("votes", "utility")}
        made.append(Candidate(name, float(utility), properties))
    return made, survey
