"""Implausible outputs of systems on the same items: empty, equal to references, or copies of another system's.

Thresholds lie well above what sound systems reach: long outputs that equal a reference (at most 7 % in released files),
and equal outputs of related systems (82 % of two versions of one model).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from assay.metrics.checks.corruption import find_damage, take_sample
from assay.metrics.checks.mismatch import find_mismatch
from assay.show.numbers import share as percent
from assay.text.blank import is_blank

if TYPE_CHECKING:
    from assay.records.items import Items
    from assay.records.types import Example

Words = tuple[str, ...]
WORD = re.compile(r"\w+")
LONG = 8
"""Number of words from which two texts are hardly ever equal by coincidence."""
LONG_UNSPACED = 20
"""The same in characters, for scripts without spaces."""
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u9fff]")
"""Thai, Lao, Japanese and Chinese letters."""
MIN_OUTPUTS = 20
"""Minimum number of long outputs for a finding."""
EMPTY_SHARE = 0.01
LEAKED_SHARE = 0.10
EQUAL_SHARE = 0.90
SIMILAR_SHARE = 0.97
"""Share of similar outputs that is a copy with small edits."""
SIMILARITY = 0.9
"""F-score of shared words from which two outputs are similar."""
SAMPLED = 300
"""Number of items on which two systems are compared."""
CHECKED = 2_000
"""Number of outputs that are compared with their references."""
SHOWN = 3


@dataclass(frozen=True)
class Implausible:
    """One finding about the texts of one system, or of two."""

    kind: str
    """misaligned, damaged, empty, leak or copy."""
    systems: tuple[str, ...]
    problem: str


def find_implausible(systems: Sequence[Items]) -> Iterator[Implausible]:
    """Yield findings about outputs of systems on one set of items."""
    for items in systems:
        own = (items.system,)
        sample = take_sample(items)
        # Ids of outputs may be wrong, too; but short answers at random fit no item, and are in no other order.
        long = sum(_is_long(words_of(text)) for text in sample.outputs)
        suspected = replace(items, by_position=2 * long > len(sample.outputs))
        for kind, warnings in (("misaligned", find_mismatch(suspected)), ("damaged", find_damage(sample))):
            yield from (Implausible(kind, own, text.removeprefix(f"{items.system}: ")) for text in warnings)
        for kind, problem in (("empty", _empty(items)), ("leak", _leak(items))):
            if problem:
                yield Implausible(kind, own, problem)
    yield from _copies(systems)


def _empty(items: Items) -> str | None:
    """Return the problem if outputs are empty where a text is expected."""
    ids = [
        example.id
        for text, example in zip(items.outputs, items.examples, strict=True)
        if is_blank(text) and not (example.references and all(map(is_blank, example.references)))
    ]
    if not ids or len(ids) < EMPTY_SHARE * len(items):
        return None
    return (
        f"{len(ids):,} of {len(items):,} outputs are empty ({_first(ids)}); check that the system answered every item"
    )


def _leak(items: Items) -> str | None:
    """Return the problem if more long outputs equal a reference than independent texts do."""
    rows = [
        (words_of(text), example)
        for text, example in zip(items.outputs[:CHECKED], items.examples[:CHECKED], strict=True)
    ]
    long = [(words, example) for words, example in rows if example.references and _is_long(words)]
    if len(long) < MIN_OUTPUTS:
        return None
    ids = [example.id for words, example in long if words in _references(example)]
    usual = sum(_references(example)[0] in _references(example)[1:] for _, example in long if _references(example))
    if len(ids) < LEAKED_SHARE * len(long) or len(ids) <= 2 * usual:
        return None
    return (
        f"{len(ids):,} of {len(long):,} long outputs equal a reference ({_first(ids)}); check that the system had no "
        "access to references"
    )


def _references(example: Example) -> list[Words]:
    """Return the references in words, without those that only repeat the source."""
    source = words_of(example.source or "")
    return [words for words in map(words_of, example.references) if words != source]


def _copies(systems: Sequence[Items]) -> Iterator[Implausible]:
    """Yield pairs of systems with nearly the same outputs."""
    texts = {items.system: dict(zip(items.ids, items.outputs, strict=True)) for items in systems}
    sampled = {items.system: _sample(items) for items in systems}
    for a, b in combinations(texts, 2):
        pairs = [(words, words_of(texts[b][id])) for id, words in sampled[a].items() if id in texts[b]]
        if len(pairs) < MIN_OUTPUTS:
            continue
        equal = sum(mine == theirs for mine, theirs in pairs) / len(pairs)
        if equal >= EQUAL_SHARE:
            yield _copy(a, b, f"{percent(equal)} of {len(pairs)} compared outputs are equal")
        elif _all_similar(pairs):
            yield _copy(a, b, f"nearly all of {len(pairs)} compared outputs differ by a few words at most")


def _copy(a: str, b: str, what: str) -> Implausible:
    return Implausible("copy", (a, b), f"{what} in {a} and {b}; check that they are different systems")


def _sample(items: Items) -> dict[str, Words]:
    """Return long outputs by id, spread over the set, without those that hardly change their source: systems that
    simplify or correct a text are alike wherever they leave it as it is."""
    step = max(1, len(items) // SAMPLED)
    rows = zip(items.outputs[::step], items.examples[::step], strict=True)
    sampled = ((example, words_of(text)) for text, example in rows)
    return {
        example.id: words
        for example, words in sampled
        if _is_long(words) and not _similar(words, words_of(example.source or ""))
    }


def _all_similar(pairs: Sequence[tuple[Words, Words]]) -> bool:
    """Return whether enough pairs of texts are similar; most pairs of systems are refused after a few texts."""
    allowed = int((1 - SIMILAR_SHARE) * len(pairs))
    for mine, theirs in pairs:
        allowed -= not _similar(mine, theirs)
        if allowed < 0:
            return False
    return True


def _similar(a: Words, b: Words) -> bool:
    most = SIMILARITY * (len(a) + len(b)) / 2
    if a == b or min(len(a), len(b)) < most:
        return a == b
    return sum((Counter(a) & Counter(b)).values()) >= most


def words_of(text: str) -> Words:
    """Return the words of a text without case and punctuation."""
    return tuple(WORD.findall(text.lower()))


def _is_long(words: Words) -> bool:
    return len(words) >= LONG or (sum(map(len, words)) >= LONG_UNSPACED and UNSPACED.match(words[0]) is not None)


def _first(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" …" if len(ids) > SHOWN else "")
