"""Choosing datasets for a benchmark: a criteria survey turned into utilities, and a choice that keeps its promises.

GEM asked people about each candidate and about what matters, and then chose the best set that breaks no principle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import mean, median
from typing import Any

from assay.errors import AssayError, UsageError
from assay.records.documents import read_json

VOTES = {"positive": 1, "neutral": 0, "negative": -1}
LARGEST_SEARCH = 2_000_000
"""Sets looked at one by one; beyond that the choice would take too long and says so."""

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


@dataclass(frozen=True)
class Choice:
    chosen: tuple[Candidate, ...]
    utility: float
    considered: int
    """Sets of the asked size."""
    allowed: int
    """Of those, the sets that break no rule."""


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
    """Every value of a property is chosen equally often."""

    def holds(chosen: Sequence[Candidate]) -> bool:
        counts = [
            sum(c.properties.get(key) == value for c in chosen) for value in {c.properties.get(key) for c in chosen}
        ]
        return len(counts) > 1 and len(set(counts)) == 1

    return Rule(f"equal {key}", holds)


def at_least(count: int, key: str, value: Any) -> Rule:
    """At least so many candidates with this value, or with it among several."""
    return Rule(
        f"at least {count} with {key} {value}",
        lambda chosen: sum(_has(c, key, value) for c in chosen) >= count,
    )


def at_most(count: int, key: str, value: Any) -> Rule:
    return Rule(
        f"at most {count} with {key} {value}",
        lambda chosen: sum(_has(c, key, value) for c in chosen) <= count,
    )


def none_with(key: str, value: Any) -> Rule:
    """A hard criterion: nothing with this value, e.g. no closed licences."""
    return at_most(0, key, value)


def _has(candidate: Candidate, key: str, value: Any) -> bool:
    found = candidate.properties.get(key)
    return value in found if isinstance(found, list | tuple | set | frozenset) else found == value


def choose(candidates: Sequence[Candidate], size: int, rules: Sequence[Rule] = ()) -> Choice:
    """The set of `size` candidates with the highest utility that breaks no rule; ties by higher single rating."""
    if not 0 < size <= len(candidates):
        raise AssayError(f"cannot choose {size} of {len(candidates)} candidates")
    total = comb(len(candidates), size)
    if total > LARGEST_SEARCH:
        raise AssayError(f"{total:,} sets of {size} are too many to compare; leave out hopeless candidates first")
    ranked = sorted(candidates, key=lambda c: (-c.utility, c.name))
    allowed, best, best_key = 0, None, None
    for chosen in combinations(ranked, size):
        if not all(rule.holds(chosen) for rule in rules):
            continue
        allowed += 1
        key = (sum(c.utility for c in chosen), *(c.utility for c in chosen))
        if best_key is None or key > best_key:
            best, best_key = chosen, key
    if best is None:
        raise AssayError(f"no set of {size} keeps all rules: {', '.join(rule.name for rule in rules)}")
    return Choice(best, sum(c.utility for c in best), total, allowed)


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
