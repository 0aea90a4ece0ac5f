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

from assay.errors import AssayError, UsageError
from assay.records.documents import read_json

VOTES = {"positive": 1, "neutral": 0, "negative": -1}
MOST_STEPS = 2_000_000
"""Partial sets looked at; beyond that the choice takes minutes and says so."""

LARGEST_ANSWER = 1e100
"""What is larger answers no question, and cannot be averaged."""


@dataclass(frozen=True)
class Candidate:
    """A dataset that may be chosen: its utility and whatever the rules look at."""

    name: str
    utility: float
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """A principle the chosen set must not break."""

    name: str
    holds: Callable[[Sequence[Candidate]], bool]
    possible: Callable[[Sequence[Candidate], Sequence[Candidate], int], bool] = lambda chosen, rest, size: True
    """Whether a set of `size` that keeps the rule may still come of what is chosen and the rest. Saying yes is never
    wrong, only slow."""
    key: str = ""
    needs: Callable[[Sequence[Candidate]], int] = lambda chosen: 0
    """How many more with a value of this property it asks for. What several rules ask for of one property adds up, as
    long as a candidate has one value of it."""


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

    def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
        free = size - len(chosen)
        return _with(chosen, key, value) + min(free, _with(rest, key, value)) >= count

    def needs(chosen: Sequence[Candidate]) -> int:
        return max(0, count - _with(chosen, key, value))

    return Rule(f"at least {count} with {key} {value}", lambda chosen: not needs(chosen), possible, key, needs)


def at_most(count: int, key: str, value: Any) -> Rule:
    def possible(chosen: Sequence[Candidate], rest: Sequence[Candidate], size: int) -> bool:
        without = len(rest) - _with(rest, key, value)
        return _with(chosen, key, value) + max(0, size - len(chosen) - without) <= count

    return Rule(f"at most {count} with {key} {value}", lambda chosen: _with(chosen, key, value) <= count, possible)


def none_with(key: str, value: Any) -> Rule:
    """A hard criterion: nothing with this value, e.g. no closed licences."""
    return at_most(0, key, value)


def _with(candidates: Sequence[Candidate], key: str, value: Any) -> int:
    """How many have this value, or have it among several."""
    found: list[Any] = [candidate.properties.get(key) for candidate in candidates]
    return sum(value in one if _is_several(one) else one == value for one in found)


def choose(candidates: Sequence[Candidate], size: int, rules: Sequence[Rule] = ()) -> Choice:
    """The set of `size` candidates with the highest utility that breaks no rule; ties by higher single rating.

    Exact, by branch and bound: candidates are taken or left in the order of their utility, and a branch is given up
    once its best completion is no better than what was found. Sets come in the order of their single ratings, so the
    first of several with the same sum is the one that wins the tie.
    """
    if not 0 < size <= len(candidates):
        raise AssayError(f"cannot choose {size} of {len(candidates)} candidates")
    ranked = sorted(candidates, key=lambda c: (-c.utility, c.name))
    together = _together(candidates, rules)
    best: tuple[Candidate, ...] = ()
    highest = float("-inf")
    steps = 0
    branches: list[tuple[tuple[Candidate, ...], int]] = [((), 0)]
    while branches:
        chosen, place = branches.pop()
        steps += 1
        if steps > MOST_STEPS:
            raise AssayError(
                f"no best set of {size} of {len(candidates)} after {MOST_STEPS:,} steps; leave out hopeless candidates"
            )
        free = size - len(chosen)
        bound = fsum(c.utility for c in (*chosen, *ranked[place : place + free]))
        if len(ranked) - place < free or (best and bound <= highest):
            continue
        if not free:
            if all(rule.holds(chosen) for rule in rules):
                best, highest = chosen, bound
            continue
        if any(sum(rule.needs(chosen) for rule in group) > free for group in together):
            continue
        if all(rule.possible(chosen, ranked[place:], size) for rule in rules):
            branches += [(chosen, place + 1), ((*chosen, ranked[place]), place + 1)]
    if not best:
        raise AssayError(f"no set of {size} keeps all rules: {', '.join(rule.name for rule in rules)}")
    return Choice(best, highest, comb(len(candidates), size), steps)


def _together(candidates: Sequence[Candidate], rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules about one property of which every candidate has one value; of rules with one name, the first."""
    single = {r.key for r in rules if all(not _is_several(each.properties.get(r.key)) for each in candidates)}
    by_name: dict[str, dict[str, Rule]] = {}
    for each in rules:
        if each.key in single - {""}:
            value = each.name.partition(" with ")[2]
            held = by_name.setdefault(each.key, {}).setdefault(value, each)
            if each.needs(()) > held.needs(()):
                by_name[each.key][value] = each
    return [list(group.values()) for group in by_name.values()]


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
