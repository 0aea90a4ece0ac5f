"""METEOR as in NLTK: words matched greedily by form, then by stem, then by synonym; mean over items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.meteor_data import find_wordnet
from assay.records.items import Items
from assay.text._kernels.porter import stem
from assay.text.sentences import split_sentences
from assay.text.treebank import treebank_words
from assay.text.wordnet import synonyms

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
Pair = tuple[int, int]


def nltk_rows(items: Items) -> Floats:
    """Return score, precision, recall and penalty of each item against its best reference, and a count of one."""
    rows = np.ones((len(items.outputs), 5))
    cut = lru_cache(maxsize=1 << 14)(nltk_words)
    for place, (output, references) in enumerate(zip(items.outputs, items.references, strict=True)):
        rows[place, :4] = max((nltk_score(cut(output), cut(text)) for text in references), key=lambda scores: scores[0])
    return rows


def nltk_words(text: str) -> tuple[str, ...]:
    """Return the lower-cased Treebank tokens of a text, sentence by sentence."""
    sentences = split_sentences(text, language="en")
    return tuple(word.lower() for sentence in sentences for word in treebank_words(sentence))


def nltk_score(output: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float, float]:
    """Return METEOR of one pair, with precision, recall and penalty."""
    matches = nltk_matches(output, reference)
    if not matches:
        return 0.0, 0.0, 0.0, 0.0
    precision, recall = len(matches) / len(output), len(matches) / len(reference)
    chunks = 1 + sum((a + 1, b + 1) != following for (a, b), following in pairwise(matches))
    penalty = GAMMA * (chunks / len(matches)) ** BETA
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return (1 - penalty) * mean, precision, recall, penalty


def nltk_matches(output: Sequence[str], reference: Sequence[str]) -> list[Pair]:
    """Return the aligned positions in output and reference, in the order of the output."""
    ours, theirs = list(range(len(output))), list(range(len(reference)))
    matches: list[Pair] = []
    folder = find_wordnet()
    stages: list[tuple[Callable[[str], str], Callable[[str], Collection[str]]]] = [
        (str, lambda word: (word,)),
        (_stem, lambda word: (_stem(word),)),
    ]
    if folder is not None:  # NLTK looks up the stems, not the words, on both sides
        stages.append((_stem, lambda word: synonyms(_stem(word), folder)))
    for form, forms in stages:
        places: dict[str, list[int]] = {}
        for j in theirs:
            places.setdefault(form(reference[j]), []).append(j)
        for i in reversed(ours):
            last = max((places[one][-1] for one in forms(output[i]) if places.get(one)), default=None)
            if last is not None:
                places[form(reference[last])].pop()
                matches.append((i, last))
        taken = {i for i, _ in matches}, {j for _, j in matches}
        ours, theirs = [i for i in ours if i not in taken[0]], [j for j in theirs if j not in taken[1]]
    return sorted(matches)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return stem(word)
