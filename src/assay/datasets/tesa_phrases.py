"""TESA's crowd answers: phrases normalised by the published rules, gold sets, and candidates to rank.

The paper speaks of removing determiners and numbers; the released program removes only `the` and the words two to six
at the start. The default follows the program; `extended` follows the paper.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from assay.errors import AssayError

NUMBERS = ("two", "three", "four", "five", "six")
NEVER = frozenset(("have", "are", "and"))
"""Words of a sentence, not of a phrase: an answer with one of them is discarded."""
TYPE_ONLY = frozenset(("people", "areas", "organizations"))
"""What the question itself says; no answer."""
EXTENDED = frozenset(("a", "an", "these", "those", "both", "all"))


def normalise(answer: str, extended: bool = False) -> str | None:
    """The gold form of one answer, or None when it is discarded or says nothing."""
    start = answer.lower().find(" are discussed")
    stop = answer.find(".")
    if 0 <= start < stop:
        answer = answer[stop + 1 :]
    words = answer.strip().rstrip(". ").lower().split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) > 1 and words[0] in NUMBERS:
        words = words[1:]
    while extended and len(words) > 1 and (words[0] in EXTENDED or words[0] in ("the", *NUMBERS) or words[0].isdigit()):
        words = words[1:]
    phrase = " ".join(words)
    if not words or NEVER & set(words) or "/" in phrase or phrase in ("the", "na") or phrase in TYPE_ONLY:
        return None
    return phrase


def annotation(answers: Iterable[str], impossible: bool = False, extended: bool = False) -> list[str]:
    """The phrases of one annotator, each once; none when the box "not possible" is ticked."""
    if impossible:
        return []
    return list(dict.fromkeys(phrase for answer in answers if (phrase := normalise(answer, extended)) is not None))


def gold(annotations: Sequence[Sequence[str]], least: int = 2) -> list[str]:
    """The union of all phrases if at least `least` annotators gave one; otherwise the group has no common name."""
    if sum(bool(phrases) for phrases in annotations) < least:
        return []
    return list(dict.fromkeys(phrase for phrases in annotations for phrase in phrases))


def candidates(
    golds: Mapping[str, Sequence[str]], types: Mapping[str, str], size: int = 24, seed: int = 2345
) -> dict[str, tuple[list[str], list[int]]]:
    """For each instance `size` phrases and their labels: its own gold and a sample of others' of the same type.

    The draw for an instance depends on its id and the seed alone.
    """
    pools: dict[str, set[str]] = {}
    for id, phrases in golds.items():
        pools.setdefault(types[id], set()).update(phrases)
    made = {}
    for id, phrases in golds.items():
        others = sorted(pools[types[id]] - set(phrases))
        wanted = size - len(phrases)
        if not phrases or wanted < 0 or wanted > len(others):
            raise AssayError(
                f"id {id}: cannot make {size} candidates of {len(phrases)} gold and {len(others)} other phrases"
                f" of type {types[id]}"
            )
        generator = random.Random(f"{seed}\0{id}")
        listed = sorted([*phrases, *generator.sample(others, wanted)])
        generator.shuffle(listed)
        made[id] = (listed, [int(phrase in phrases) for phrase in listed])
    return made
