"""Masking sentences for pre-training: random spans, entities, predicates, values of a representation, concepts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

MASK = "[MASK]"


def mask_strings(sentence: str, strings: Iterable[str], mask: str = MASK) -> str:
    """One mask for each whole-word occurrence, longest string first, whatever the case."""
    wanted = sorted({string for string in strings if string.strip()}, key=lambda s: (-len(s), s))
    if not wanted:
        return sentence
    pattern = "|".join(re.escape(string) for string in wanted)
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda _: mask, sentence, flags=re.IGNORECASE)


def mask_triples(sentence: str, triples: Iterable[Iterable[str]], what: str = "entity+predicate") -> str:
    """Mask what a sentence says of its triples: `entity`, `predicate` or `entity+predicate`."""
    entities, predicates = [], []
    for subject, predicate, object in triples:
        entities += [subject.replace("_", " "), object.replace("_", " ")]
        predicates.append(predicate.replace("_", " "))
    chosen = {"entity": entities, "predicate": predicates, "entity+predicate": entities + predicates}
    return mask_strings(sentence, chosen[what])


def mask_random(sentence: str, rate: float = 0.15, longest: int = 3, seed: int = 0) -> tuple[str, list[str]]:
    """Corrupt about `rate` of the words in spans of up to `longest`; the text and the hidden spans in order."""
    words = sentence.split(" ")
    goal = round(len(words) * rate)
    if not words or goal == 0:
        return sentence, []
    generator = random.Random(seed)
    hidden: set[int] = set()
    while len(hidden) < goal:
        start = generator.randrange(len(words))
        hidden.update(range(start, min(start + generator.randint(1, longest), len(words), start + goal - len(hidden))))
    made: list[str] = []
    spans: list[list[str]] = []
    for i, word in enumerate(words):
        if i not in hidden:
            made.append(word)
        elif i - 1 in hidden:
            spans[-1].append(word)
        else:
            made.append(MASK)
            spans.append([word])
    return " ".join(made), [" ".join(span) for span in spans]
