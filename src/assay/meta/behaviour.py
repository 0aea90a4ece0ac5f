"""What breaks a generator: pass rates of small tests on its outputs, each a question with a yes or a no.

Three types: what any output must be (minimum functionality), what must stay as it is when the input is altered in a
way that does not matter (invariance), and what must follow when it is altered in a way that does (direction).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.meta.minimum_functionality import CHECKS, Check
from assay.records.types import Example
from assay.stats.interval import clustered_wilson_interval
from assay.text.cardinals import cardinals
from assay.text.word_differences import WORD

Type = Literal["functionality", "invariance", "direction"]
SAME = 0.8
"""The share of words that two outputs must have in common to count as the same."""
INVARIANT = ("typos", "typos-exact", "casing", "no-punctuation", "number-format", "scramble", "backtranslation")
"""Kinds of challenge that leave what is to be said as it is."""
PAIR = re.compile(r"(.+?) -> (.+)")


class Failure(NamedTuple):
    id: str
    why: str
    output: str


@dataclass(frozen=True)
class Tested:
    """One test on all outputs that it can be asked of."""

    type: Type
    test: str
    about: str
    n: int
    passed: int
    low: float
    high: float
    failures: list[Failure] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.passed / self.n

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"rate": self.rate, "failures": [each._asdict() for each in self.failures]}


class Changed(NamedTuple):
    """A challenge set that the system has answered."""

    examples: Sequence[Example]
    outputs: Mapping[str, str]


class Asked(NamedTuple):
    """One answer of a system to a test."""

    of: str
    """The item that was altered: what became of one item is worth less than so many items."""
    id: str
    passed: bool
    why: str
    output: str


def behaviour(
    examples: Sequence[Example], outputs: Mapping[str, str], changed: Sequence[Changed] = (), *, same: float = SAME
) -> tuple[list[Tested], list[str]]:
    """Every test that these outputs can be asked, and what a reader should know."""
    if not 0 < same <= 1:
        raise AssayError(f"same={same:g}: a share of words from 0 to 1")
    by_id = {example.id: example for example in examples}
    missing = [id for id in by_id if id not in outputs]
    if missing:
        raise AssayError(f"id {missing[0]}: no output, of {len(missing)} items; give the outputs of all examples")
    tests = [_tested("functionality", name, about, _functionality(check, examples, outputs))
             for name, (about, check) in CHECKS.items()]  # fmt: skip
    notes = []
    for each in changed:
        for kind, children in _by_kind(each.examples).items():
            found, lost = _pairs(children, by_id, outputs, each.outputs)
            if lost:
                notes.append(f"{kind}: {lost} of {len(children)} items have no parent or no output here")
            tests.append(_invariance(kind, found, same) if kind.split(":")[0] in INVARIANT else None)
            tests.append(_direction(kind, found))
            if tests[-2:] == [None, None]:
                notes.append(
                    f"{kind}: nothing is expected of it that a rule could test; compare --against-parents does"
                )
    return [test for test in tests if test is not None], notes


def _tested(type: Type, name: str, about: str, asked: Iterator[Asked]) -> Tested | None:
    """None where no output can be asked."""
    answers = list(asked)
    if not answers:
        return None
    hits = np.array([answer.passed for answer in answers], dtype=np.float64)
    low, high = clustered_wilson_interval(hits, np.unique([answer.of for answer in answers], return_inverse=True)[1])
    failures = [Failure(answer.id, answer.why, answer.output) for answer in answers if not answer.passed]
    return Tested(type, name, about, len(answers), int(hits.sum()), low, high, failures)


def _functionality(check: Check, examples: Sequence[Example], outputs: Mapping[str, str]) -> Iterator[Asked]:
    for example in examples:
        why = check(example, outputs[example.id])
        if why is not None:
            yield Asked(example.id, example.id, not why, why, outputs[example.id])


def _by_kind(examples: Sequence[Example]) -> dict[str, list[Example]]:
    kinds: dict[str, list[Example]] = {}
    for example in examples:
        if example.parent is None or "challenge" not in example.tags:
            raise AssayError(f"id {example.id}: names no parent and challenge; make the set with assay challenge make")
        kinds.setdefault(example.tags["challenge"], []).append(example)
    return kinds


class _Pair(NamedTuple):
    child: Example
    before: str
    after: str


def _pairs(
    children: Sequence[Example], parents: Mapping[str, Example], outputs: Mapping[str, str], new: Mapping[str, str]
) -> tuple[list[_Pair], int]:
    found = []
    for child in children:
        parent = child.parent or ""
        if parent in parents and child.id in new:
            found.append(_Pair(child, outputs[parent], new[child.id]))
    return found, len(children) - len(found)


def shared_words(a: str, b: str) -> float:
    """The words that two texts have in common, in small letters: twice their number over that of both."""
    one, other = (Counter(WORD.findall(text.lower())) for text in (a, b))
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _invariance(kind: str, pairs: Sequence[_Pair], same: float) -> Tested | None:
    def asked() -> Iterator[Asked]:
        for pair in pairs:
            texts = [pair.before, pair.after]
            if kind.split(":")[0] == "number-format":  # an output may write its numbers as the input does now
                texts = [_in_digits(text, pair.child.language) for text in texts]
            alike = shared_words(*texts)
            why = f"{alike:.0%} of the words are those of the parent's output: {pair.before!r}"
            yield Asked(pair.child.parent or "", pair.child.id, alike >= same, why, pair.after)

    return _tested("invariance", kind, f"the output has {same:.0%} of its words in common with that before", asked())


def _direction(kind: str, pairs: Sequence[_Pair]) -> Tested | None:
    """Where an output said a number that is another now, it says the new one and no longer the old."""

    def asked() -> Iterator[Asked]:
        for pair in pairs:
            listed = [PAIR.fullmatch(each) for each in pair.child.tags.get("numbers", "").split("; ")]
            known = [(match[1], match[2]) for match in listed if match]
            before, after = (_values(text, pair.child.language) for text in (pair.before, pair.after))
            moved = [(old, new) for old, new in known if _value(old) in before]
            if not moved:
                continue
            news = {_value(new) for _, new in known}  # an old number may be the new one of another
            wrong = [
                (old, new)
                for old, new in moved
                if (_value(old) in after - news or not (_value(new) in after or _says(pair.after, new)))
            ]
            why = f"{wrong[0][0]} became {wrong[0][1]}, and the output does not follow" if wrong else ""
            yield Asked(pair.child.parent or "", pair.child.id, not wrong, why, pair.after)

    return _tested("direction", kind, "a number that the output said follows the input", asked())


def _in_digits(text: str, language: str | None) -> str:
    for number in reversed(cardinals(text, language=language)):
        text = f"{text[: number.start]}{number.value.normalize():f}{text[number.end :]}"
    return text


def _values(text: str, language: str | None) -> set[Decimal]:
    """The numbers that a text says, however they are written; times and dates are none."""
    return {number.value for number in cardinals(text, years=True, units=True, language=language)}


def _value(number: str) -> Decimal | None:
    return next((each.value for each in cardinals(number, years=True)), None)


def _says(text: str, number: str) -> bool:
    """Word for word: a lone `one` is no number to `cardinals`."""
    return re.search(rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)", text) is not None
