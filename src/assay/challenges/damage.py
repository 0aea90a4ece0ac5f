"""Sentences with one error each: negative training examples for an acceptability classifier."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from assay.errors import AssayError
from assay.records.kinds import Sentences
from assay.records.types import Example
from assay.seeds import rng_for
from assay.text.sentences import split_sentences

QUESTION = "acceptable"
"""First text of each pair: the classifier reads pairs, and a sentence is one text."""
SHORTEST = 4
"""Minimum number of words of a sentence to damage."""
AGREEING = (
    "is are",
    "was were",
    "has have",
    "does do",
    "this these",
    "that those",
    "a an",
    "he him",
    "she her",
    "they them",
)
OTHER = {a: b for pair in map(str.split, AGREEING) for a, b in (pair, pair[::-1])}
FUNCTION = frozenset("the a an of in on at to for with by from and or but that which who is are was were be as".split())
ENDINGS = (("ing", "ed"), ("ed", "ing"), ("s", ""), ("", "s"))
Words = list[str]


def _lost(words: Words, draw: Random, others: Words) -> Words:
    """Delete a function word, or any word if there is none."""
    places = [i for i, word in enumerate(words) if word.lower() in FUNCTION] or list(range(1, len(words) - 1))
    place = draw.choice(places)
    return [*words[:place], *words[place + 1 :]]


def _repeated(words: Words, draw: Random, others: Words) -> Words:
    place = draw.randrange(len(words) - 1)
    return [*words[: place + 1], words[place].lower(), *words[place + 1 :]]


def _swapped(words: Words, draw: Random, others: Words) -> Words:
    place = draw.randrange(len(words) - 2)
    return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]


def _moved(words: Words, draw: Random, others: Words) -> Words:
    place, onto = draw.sample(range(len(words) - 1), 2)
    rest = [*words[:place], *words[place + 1 :]]
    return [*rest[:onto], words[place], *rest[onto:]]


def _disagreeing(words: Words, draw: Random, others: Words) -> Words:
    """Break agreement (`are` for `is`), or change another ending."""
    places = [i for i, word in enumerate(words) if word.lower() in OTHER]
    if not places:
        return _inflected(words, draw, others)
    place = draw.choice(places)
    return [*words[:place], OTHER[words[place].lower()], *words[place + 1 :]]


def _inflected(words: Words, draw: Random, others: Words) -> Words:
    places = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    if not places:
        return words
    place = draw.choice(places)
    word = words[place]
    old, new = next((old, new) for old, new in ENDINGS if word.endswith(old))
    return [*words[:place], word.removesuffix(old) + new, *words[place + 1 :]]


def _replaced(words: Words, draw: Random, others: Words) -> Words:
    """Replace a word by one of another sentence."""
    place = draw.randrange(1, len(words) - 1)
    return [*words[:place], draw.choice(others), *words[place + 1 :]]


DAMAGES: dict[str, Callable[[Words, Random, Words], Words]] = {
    "lost word": _lost,
    "repeated word": _repeated,
    "swapped words": _swapped,
    "moved word": _moved,
    "agreement": _disagreeing,
    "ending": _inflected,
    "foreign word": _replaced,
}


def damaged(sentence: str, kind: str, draw: Random, others: Sequence[str]) -> str | None:
    """Return the sentence with one error; None if it is too short or unchanged."""
    words = sentence.split()
    if len(words) < SHORTEST:
        return None
    wrong = " ".join(DAMAGES[kind](words, draw, list(others)))
    return wrong if re.sub(r"\s+", " ", sentence.strip()) != wrong else None


def sentences_of(examples: Sequence[Example]) -> dict[str, Example]:
    """Return each sentence of the references once, with an example that contains it."""
    return {
        sentence: example
        for example in examples
        for text in example.references
        for sentence in split_sentences(text, language=example.language)
    }


def acceptability_pairs(examples: Sequence[Example], copies: int, seed: int) -> list[Example]:
    """Return each reference sentence as acceptable, and N damaged copies of it as unacceptable."""
    texts = sentences_of(examples)
    others = list(dict.fromkeys(word for sentence in texts for word in sentence.split() if word.isalpha()))
    made = []
    for number, (sentence, example) in enumerate(texts.items()):
        draw = rng_for(seed, f"{example.id} {number}")
        kinds = [draw.choice(list(DAMAGES)) for _ in range(copies)]
        wrong = {changed: kind for kind in kinds if (changed := damaged(sentence, kind, draw, others))}
        if wrong:
            candidates = [sentence, *wrong]
            structure = Sentences(candidates=candidates, labels=[1, *[0] * len(wrong)]).plain()
            tags = {"damage": "+".join(wrong.values())}
            made.append(
                Example(
                    id=f"{example.id} {number}", source=QUESTION, input=structure, language=example.language, tags=tags
                )
            )
    if not made:
        many = f"{len(examples)} example{'s' * (len(examples) != 1)}"
        raise AssayError(f"acceptability: no reference of {many} has a sentence of {SHORTEST} words; use longer ones")
    return made
