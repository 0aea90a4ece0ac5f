"""Choosing datasets for a benchmark: a criteria survey turned into utilities, and a choice that keeps its promises.

GEM asked people about each candidate and about what matters, and then chose the best set that breaks no principle.
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

VOTES = {"positive": 1, "neutral": 0, "negative": -1}
MOST_STEPS = 2_000_000
"""Partial sets looked at; beyond that the choice takes minutes and says so."""

MANY = 2**62
"""As good as no limit."""
LARGEST_ANSWER = 1e100
"""What is larger answers no question, and cannot be averaged."""


@dataclass(frozen=True)
class Candidate:
    """A dataset that may be chosen: its utility and whatever the rules look at."""

    name: str
    utility: float
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Count:
    """How many have a value of a property, at least and at most."""

    key: str
    value: Any
    least: int
    most: int

    def of(self, candidates: Sequence[Candidate]) -> int:
        return sum(map(self.has, candidates))

    def has(self, candidate: Candidate) -> bool:
        """Whether it has this value, or has it among several."""
        found: Any = candidate.properties.get(self.key)
        return self.value in found if _is_several(found) else found == self.value

    def rule(self, name: str) -> Rule:
        def holds(chosen: Sequence[Candidate]) -> bool:
            return self.least <= self.of(chosen) <= self.most

        def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
            have, more, free = self.of(chosen), self.of(rest), size - len(chosen)
            return have + min(free, more) >= self.least and have + max(0, free - len(rest) + more) <= self.most

        return Rule(name, holds, possible, self)


@dataclass(frozen=True)
class Rule:
    """A principle the chosen set must not break."""

    name: str
    holds: Callable[[Sequence[Candidate]], bool]
    possible: Callable[[Sequence[Candidate], Sequence[Candidate], int], bool] = lambda chosen, rest, size: True
    """Whether a set of `size` that keeps the rule may still come of what is chosen and the rest. Saying yes is never
    wrong, only slow."""
    count: Count | None = None
    """What it counts, if that is all it does."""


@dataclass(frozen=True)
class Choice:
    chosen: tuple[Candidate, ...]
    utility: float
    considered: int
    """Sets of the asked size."""
    steps: int
    """Partial sets that had to be looked at to know that none is better."""


def utilities(votes: Mapping[str, Iterable[int | str]]) -> dict[str, float]:
    """Mean vote for each candidate; answers are words (`positive`) or numbers from -1 to 1."""
    found = {}
    for name, given in votes.items():
        if not isinstance(given, Iterable):
            raise AssayError(f"{name}: votes are a list of positive, neutral, negative or numbers, not {given!r:.80}")
        numbers = [VOTES[vote] if isinstance(vote, str) and vote in VOTES else vote for vote in given]
        bad = next((vote for vote in numbers if not isinstance(vote, int | float) or not -1 <= vote <= 1), None)
        if bad is not None or not numbers:
            raise AssayError(f"{name}: votes are positive, neutral, negative or numbers from -1 to 1, not {bad!r:.80}")
        found[name] = mean(float(vote) for vote in numbers)
    return found


def survey_summary(answers: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Mean, median and number of answers for each numeric question (how many tasks, how much not English, ...)."""
    return {
        question: {"mean": mean(values), "median": median(values), "n": len(values)}
        for question, values in answers.items()
        if values
    }


def equal(key: str) -> Rule:
    """Every value of a property that is chosen at all is chosen equally often, and there are at least two."""

    def counts(of: Sequence[Candidate]) -> Counter[str]:
        return Counter(repr(candidate.properties.get(key)) for candidate in of)

    def holds(chosen: Sequence[Candidate]) -> bool:
        found = counts(chosen)
        return len(found) > 1 and len(set(found.values())) == 1

    def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
        have = counts(chosen)
        most = have + counts(rest)

        def each(count: int) -> bool:
            values = [value for value in most if most[value] >= count]
            return len(values) >= size // count > 1 and all(have[value] <= count <= most[value] for value in have)

        return any(size % count == 0 and each(count) for count in range(1, size))

    return Rule(f"equal {key}", holds, possible)


def at_least(count: int, key: str, value: Any) -> Rule:
    """At least so many candidates with this value, or with it among several."""
    return Count(key, value, count, MANY).rule(f"at least {count} with {key} {value}")


def at_most(count: int, key: str, value: Any) -> Rule:
    return Count(key, value, 0, count).rule(f"at most {count} with {key} {value}")


def none_with(key: str, value: Any) -> Rule:
    """A hard criterion: nothing with this value, e.g. no closed licences."""
    return at_most(0, key, value)


def choose(candidates: Sequence[Candidate], size: int, rules: Sequence[Rule] = ()) -> Choice:
    """The set of `size` candidates with the highest utility that breaks no rule; ties by higher single rating.

    Exact, by branch and bound: candidates are taken or left in the order of their utility, and a branch is given up
    once no completion that keeps the rules can be better than what was found. Sets come in the order of their single
    ratings, so the first of several with the same sum is the one that wins the tie.
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
                f"no best set of {size} of {len(candidates)} after {MOST_STEPS:,} steps; leave out hopeless candidates"
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
        raise AssayError(f"no set of {size} keeps all rules: {', '.join(rule.name for rule in rules)}")
    return Choice(best, fsum(each.utility for each in best), comb(len(candidates), size), steps)


def _bound(ranked: Sequence[Candidate], size: int, rules: Sequence[Rule]) -> Bound:
    """What the rules count, each once: of several about one value the strictest."""
    limits: list[tuple[Count, Limit]] = []
    for count in (rule.count for rule in rules if rule.count):
        same = [i for i, (other, _) in enumerate(limits) if (other.key, other.value) == (count.key, count.value)]
        held = limits.pop(same[0])[1] if same else Limit(0, 0, size)
        who = sum(1 << i for i, each in enumerate(ranked) if count.has(each))
        limits.append((count, Limit(who, max(held.least, count.least), min(held.most, count.most))))
    keys = dict.fromkeys(count.key for count, _ in limits if _single(count.key, ranked))
    groups = [[limit for count, limit in limits if count.key == key] for key in keys]
    return Bound([each.utility for each in ranked], size, [limit for _, limit in limits], groups)


def _single(key: str, candidates: Sequence[Candidate]) -> bool:
    """Whether everybody has one value of this property."""
    return not any(_is_several(each.properties.get(key)) for each in candidates)


def _is_several(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def rule(text: str) -> Rule:
    """A rule as written on the command line: `equal:KEY`, `at-least:N:KEY=VALUE`, `at-most:...`, `none:KEY=VALUE`."""
    kind, *rest = text.split(":")
    key, _, value = rest[-1].partition("=") if rest else ("", "", "")
    if kind == "equal" and key and not value:
        return equal(key)
    if kind == "none" and key and value:
        return none_with(key, value)
    if kind in ("at-least", "at-most") and len(rest) == 2 and rest[0].isdigit() and value:
        return (at_least if kind == "at-least" else at_most)(int(rest[0]), key, value)
    raise UsageError(f"rule {text}: write equal:KEY, at-least:N:KEY=VALUE, at-most:N:KEY=VALUE or none:KEY=VALUE")


def _numbers(values: list[Any]) -> bool:
    """Whether all of them are numbers that can be added up."""
    return all(isinstance(value, int | float) and abs(value) < LARGEST_ANSWER for value in values)


def read_candidates(path: Path) -> tuple[list[Candidate], dict[str, dict[str, float]]]:
    """Candidates from a JSON object by name, and the summary of what stands under `survey`."""
    given = read_json(path)
    if not isinstance(given, dict):
        raise AssayError(f"{path}: give a JSON object from name to votes and properties")
    answers = given.pop("survey", {})
    if not isinstance(answers, dict) or not all(isinstance(each, list) and _numbers(each) for each in answers.values()):
        raise AssayError(f"{path} survey: give an object from question to a list of numbers")
    survey = survey_summary(answers)
    made = []
    for name, fields in given.items():
        if not isinstance(fields, dict) or not ("votes" in fields or "utility" in fields):
            raise AssayError(f'{path} {name}: needs "votes" or a number under "utility"')
        if "utility" in fields and not _numbers([fields["utility"]]):
            raise AssayError(f"{path} {name}: utility is a number, not {fields['utility']!r:.80}")
        utility = fields["utility"] if "utility" in fields else utilities({name: fields["votes"]})[name]
        properties = {key: value for key, value in fields.items() if key not in ("votes", "utility")}
        made.append(Candidate(name, float(utility), properties))
    return made, survey
