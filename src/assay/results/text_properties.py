"""Properties of outputs that a difference between systems may be associated with, one or two numbers per item."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.records.types import Example
    from assay.text.mentions import Mentions

Numbers = tuple[float, ...]
WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u9fff]+")
"""A word; one letter in scripts without spaces."""
COPIED = 3
"""Number of words in a row that count as copied if the source has them, too."""


def mentions(text: str) -> Mentions:
    """Return the names and numbers of a text. The module is imported late: its patterns take a tenth of a second."""
    from assay.text.mentions import mentions as find_mentions

    return find_mentions(text)


def words_of(text: str) -> list[str]:
    return WORD.findall(text.lower())


def length(output: str, example: Example) -> Numbers:
    """Return how far an output is too short and too long, as logarithms of its length relative to the references.

    Two numbers, because a missing word and a superfluous one change a score differently.
    """
    references = [len(words_of(reference)) for reference in example.references]
    expected = sum(references) / len(references) if references else 0.0
    ratio = float(np.log((len(words_of(output)) + 1) / (expected + 1)))
    return min(ratio, 0.0), max(ratio, 0.0)


def copying(output: str, example: Example) -> Numbers:
    """Return the share of the output's sequences of three words that are in the source."""
    ours, theirs = _sequences(words_of(output)), set(_sequences(words_of(example.source or "")))
    return (sum(each in theirs for each in ours) / len(ours) if ours else 0.0,)


def _sequences(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(COPIED)), strict=False))


def repetition(output: str, _: Example) -> Numbers:
    """Return the share of pairs of words that repeat an earlier pair of the same output."""
    pairs = list(pairwise(words_of(output)))
    return (1 - len(set(pairs)) / len(pairs) if pairs else 0.0,)


def entities(output: str, example: Example) -> Numbers:
    """Return the share of names of the first reference (or source) that the output has."""
    return _overlap(output, example, lambda text: text.entities)


def numbers(output: str, example: Example) -> Numbers:
    """Return the share of numbers and dates of the first reference (or source) that the output has."""
    return _overlap(output, example, lambda text: (*text.numbers, *text.dates))


def _overlap(output: str, example: Example, kind: Callable[[Mentions], tuple[str, ...]]) -> Numbers:
    target = example.references[0] if example.references else example.source or ""
    wanted = set(kind(mentions(target)))
    return (len(wanted & set(kind(mentions(output)))) / len(wanted) if wanted else 0.0,)


PROPERTIES: Mapping[str, Callable[[str, Example], Numbers]] = {
    "length": length,
    "copying": copying,
    "repetition": repetition,
    "entities": entities,
    "numbers": numbers,
}


def property_table(name: str, outputs: Sequence[str], examples: Sequence[Example]) -> Floats:
    """Return the numbers of a property, one row per item.

    Raises:
        AssayError: The items lack the texts that it compares with.
    """
    if name == "copying" and not any(example.source for example in examples):
        raise AssayError("explain copying: the items have no source. Give --sources, or examples with a source.")
    return np.array([PROPERTIES[name](text, each) for text, each in zip(outputs, examples, strict=True)])
