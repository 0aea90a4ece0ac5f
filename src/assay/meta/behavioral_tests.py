"""Behavioural tests of a generator: pass rates of rules on its outputs.

Three types: requirements on any output (minimum functionality), outputs that must not change with an irrelevant change
of the input (invariance), and outputs that must follow a relevant change (direction).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.meta.minimum_functionality import CHECKS, Check
from assay.records.types import Example
from assay.stats.interval import clustered_wilson_interval
from assay.text.cardinals import cardinals
from assay.text.word_differences import WORD

Type = Literal["functionality", "invariance", "direction"]
SAME = 0.8
"""Default minimum share of common words of two outputs that count as the same."""
INVARIANT = ("typos", "typos-exact", "casing", "no-punctuation", "number-format", "scramble", "backtranslation")
"""Kinds of challenge that do not change the content of the correct output."""
PAIR = re.compile(r"(.+?) -> (.+)")


class Failure(NamedTuple):
    """An output that does not pass a test."""

    id: str
    why: str
    output: str


@dataclass(frozen=True)
class BehavioralTest:
    """The pass rate of one test on all outputs that it applies to."""

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
        """The pass rate."""
        return self.passed / self.n

    def to_dict(self) -> dict[str, object]:
        """Return the test as `assay challenge test --json` prints it."""
        return asdict(self) | {"rate": self.rate, "failures": [each._asdict() for each in self.failures]}


class ChallengeOutputs(NamedTuple):
    """A challenge set and the outputs of the system for it."""

    examples: Sequence[Example]
    outputs: Mapping[str, str]


class TestCase(NamedTuple):
    """One output under one test."""

    of: str
    """The original item: cases of one original item are not independent."""
    id: str
    passed: bool
    why: str
    output: str


def run_behavioral_tests(
    examples: Sequence[Example],
    outputs: Mapping[str, str],
    changed: Sequence[ChallengeOutputs] = (),
    *,
    same: float = SAME,
) -> tuple[list[BehavioralTest], list[str]]:
    """Run every test that applies to these outputs.

    Args:
        examples: Original items.
        outputs: Outputs of the system by item id.
        changed: Challenge sets with the outputs of the system.
        same: Minimum share of common words for invariance.

    Returns:
        The tests, and notes about items that were left out.

    Raises:
        AssayError: Outputs are missing, or `same` is not between 0 and 1.
    """
    if not 0 < same <= 1:
        raise AssayError(f"same={same:g}: use a share of words above 0 and at most 1.")
    by_id = {example.id: example for example in examples}
    missing = [id for id in by_id if id not in outputs]
    if missing:
        raise AssayError(f"id {missing[0]}: no output ({len(missing)} items). Give the outputs of all examples.")
    tests = [_tested("functionality", name, about, _functionality(check, examples, outputs))
             for name, (about, check) in CHECKS.items()]  # fmt: skip
    notes = []
    for each in changed:
        for kind, children in _by_kind(each.examples).items():
            pairs, lost = _pairs(children, by_id, outputs, each.outputs)
            if lost:
                notes.append(f"{kind}: {lost} of {len(children)} items without parent or output are left out.")
            tests.append(_invariance(kind, pairs, same) if kind.split(":")[0] in INVARIANT else None)
            tests.append(_direction(kind, pairs))
            if tests[-2:] == [None, None]:
                notes.append(f"{kind}: no rule applies. Use `assay compare --against-parents`.")
    return [test for test in tests if test is not None], notes


def _tested(type: Type, name: str, about: str, generated: Iterator[TestCase]) -> BehavioralTest | None:
    """Return the test; None if it applies to no output."""
    cases = list(generated)
    if not cases:
        return None
    hits = np.array([case.passed for case in cases], dtype=np.float64)
    low, high = clustered_wilson_interval(hits, np.unique([case.of for case in cases], return_inverse=True)[1])
    failures = [Failure(case.id, case.why, case.output) for case in cases if not case.passed]
    return BehavioralTest(type, name, about, len(cases), int(hits.sum()), low, high, failures)


def _functionality(check: Check, examples: Sequence[Example], outputs: Mapping[str, str]) -> Iterator[TestCase]:
    for example in examples:
        why = check(example, outputs[example.id])
        if why is not None:
            yield TestCase(example.id, example.id, not why, why, outputs[example.id])


def _by_kind(examples: Sequence[Example]) -> dict[str, list[Example]]:
    kinds: dict[str, list[Example]] = {}
    for example in examples:
        if example.parent is None or "challenge" not in example.tags:
            raise AssayError(f"id {example.id}: no parent or challenge tag. Make the set with `assay challenge make`.")
        kinds.setdefault(example.tags["challenge"], []).append(example)
    return kinds


class _Pair(NamedTuple):
    child: Example
    before: str
    after: str


def _pairs(
    children: Sequence[Example], parents: Mapping[str, Example], outputs: Mapping[str, str], new: Mapping[str, str]
) -> tuple[list[_Pair], int]:
    pairs = []
    for child in children:
        parent = child.parent or ""
        if parent in parents and child.id in new:
            pairs.append(_Pair(child, outputs[parent], new[child.id]))
    return pairs, len(children) - len(pairs)


def shared_words(a: str, b: str) -> float:
    """Return the share of common words of two texts in lower case (Dice coefficient)."""
    one, other = (Counter(WORD.findall(text.lower())) for text in (a, b))
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _invariance(kind: str, pairs: Sequence[_Pair], same: float) -> BehavioralTest | None:
    def cases() -> Iterator[TestCase]:
        for pair in pairs:
            texts = [pair.before, pair.after]
            if kind.split(":")[0] == "number-format":  # an output may follow the number format of the input
                texts = [_in_digits(text, pair.child.language) for text in texts]
            common = shared_words(*texts)
            why = f"{common:.0%} of the words are in the output for the original item: {pair.before!r}"
            yield TestCase(pair.child.parent or "", pair.child.id, common >= same, why, pair.after)

    return _tested(
        "invariance", kind, f"the output shares {same:.0%} of its words with the output for the original item", cases()
    )


def _direction(kind: str, pairs: Sequence[_Pair]) -> BehavioralTest | None:
    """Test whether numbers in the output follow changed numbers of the input."""

    def cases() -> Iterator[TestCase]:
        for pair in pairs:
            listed = [PAIR.fullmatch(each) for each in pair.child.tags.get("numbers", "").split("; ")]
            known = [(match[1], match[2]) for match in listed if match]
            before, after = (_values(text, pair.child.language) for text in (pair.before, pair.after))
            moved = [(old, new) for old, new in known if _value(old) in before]
            if not moved:
                continue
            news = {_value(new) for _, new in known}  # an old number may also be the new value of another
            wrong = [
                (old, new)
                for old, new in moved
                if (_value(old) in after - news or not (_value(new) in after or _says(pair.after, new)))
            ]
            why = f"{wrong[0][0]} became {wrong[0][1]}, but the output did not change accordingly" if wrong else ""
            yield TestCase(pair.child.parent or "", pair.child.id, not wrong, why, pair.after)

    return _tested("direction", kind, "numbers in the output follow the input", cases())


def _in_digits(text: str, language: str | None) -> str:
    for number in reversed(cardinals(text, language=language)):
        text = f"{text[: number.start]}{number.value.normalize():f}{text[number.end :]}"
    return text


def _values(text: str, language: str | None) -> set[Decimal]:
    """Return the numbers in a text in any notation, without times and dates."""
    return {number.value for number in cardinals(text, years=True, units=True, language=language)}


def _value(number: str) -> Decimal | None:
    return next((each.value for each in cardinals(number, years=True)), None)


def _says(text: str, number: str) -> bool:
    """Return whether the text contains the number verbatim: `cardinals` does not read a lone `one`."""
    return re.search(rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)", text) is not None
