"""TESA's phrases: crowd answers normalised by the published rules, gold sets, candidates to rank, and the split.

The paper removes determiners and numbers; the released program removes only `the` and the words two to six
at the start. The default follows the program; `extended` follows the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from assay.errors import AssayError
from assay.records.inputs import read_input, with_input
from assay.records.kinds import Entities
from assay.records.types import Example
from assay.seeds import rng_for

NUMBERS = ("two", "three", "four", "five", "six")
NEVER = frozenset(("have", "are", "and"))
"""Words that indicate a sentence: an answer with one of them is discarded."""
NOTHING = frozenset(("the", "na", "people", "areas", "organizations"))
"""Phrases that only repeat the question; they are no answer."""
EXTENDED = frozenset(("the", "a", "an", "these", "those", "both", "all", *NUMBERS, "seven", "eight", "nine", "ten"))
SIZE = 24
"""Number of candidates of a ranking."""


def normalise(answer: str, extended: bool = False) -> str | None:
    """Return the normalised answer; None if it is discarded."""
    stop = answer.find(".")
    if stop >= 0 and " are discussed" in answer[:stop].lower():
        answer = answer[stop + 1 :]
    words = answer.strip().rstrip(". ").lower().split()
    for group in (("the",), NUMBERS):
        if len(words) > 1 and words[0] in group:
            words = words[1:]
    while extended and len(words) > 1 and (words[0] in EXTENDED or words[0].isdigit()):
        words = words[1:]
    phrase = " ".join(words)
    return None if not words or NEVER & set(words) or "/" in phrase or phrase in NOTHING else phrase


def annotation(answers: Iterable[str], impossible: bool = False, extended: bool = False) -> list[str]:
    """Return the distinct phrases of one annotator; none if the box "not possible" is ticked."""
    if impossible:
        return []
    return list(dict.fromkeys(phrase for answer in answers if (phrase := normalise(answer, extended)) is not None))


def gold(annotations: Sequence[Sequence[str]], least: int = 2) -> list[str]:
    """Return the union of all phrases if at least `least` annotators gave one; otherwise none."""
    if sum(bool(phrases) for phrases in annotations) < least:
        return []
    return list(dict.fromkeys(phrase for phrases in annotations for phrase in phrases))


def with_candidates(examples: Sequence[Example], *, size: int = SIZE, seed: int = 2345) -> list[Example]:
    """Return rankings: the gold phrases and others of the same entity type, from all examples, in random order."""
    pools: dict[str, set[str]] = {}
    for example in examples:
        pools.setdefault(str(read_input(example, Entities).type), set()).update(example.references)
    made = []
    for example in examples:
        gold = list(dict.fromkeys(example.references))
        if not gold:
            raise AssayError(f"id {example.id}: no gold phrase; a ranking without gold has no score")
        kind = read_input(example, Entities).type
        pool = sorted(pools[str(kind)] - set(gold))
        if len(gold) > size or len(pool) < size - len(gold):
            raise AssayError(
                f"id {example.id}: {len(pool)} other phrases of type {kind} cannot fill {size} "
                f"candidates next to {len(gold)} gold ones; pass more examples, or another --size"
            )
        draw = rng_for(seed, example.id)
        candidates = sorted([*gold, *draw.sample(pool, size - len(gold))])
        draw.shuffle(candidates)
        labels = [int(candidate in gold) for candidate in candidates]
        tags = {**example.tags, "gold": str(len(gold))}
        ranked = with_input(example, candidates=candidates, labels=labels)
        made.append(msgspec.structs.replace(ranked, references=tuple(gold), tags=tags))
    return made


def split_examples(examples: Sequence[Example], seed: int = 2345) -> list[Example]:
    """Split instances 2:1:1, rounded half to even."""
    order = list(examples)
    rng_for(seed, "split").shuffle(order)
    share = round(0.25 * len(order))
    names = ["test"] * share + ["validation"] * share
    names += ["train"] * (len(order) - len(names))
    return [msgspec.structs.replace(one, split=name) for one, name in zip(order, names, strict=True)]
