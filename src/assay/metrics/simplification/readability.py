"""Flesch-Kincaid grade level and Flesch reading ease, with their components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.layout import shared
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.text.english import by_rule, dictionary, syllables
from assay.text.sentences import Splitter, split_sentences
from assay.text.tokenize import letter_words, loose_words


@dataclass(frozen=True)
class Fkgl(SumMetric):
    """0.39 words per sentence + 11.8 syllables per word - 15.59, over all outputs together.

    The score is descriptive: it was fitted to human-written text, ignores meaning, and falls with every full stop
    inserted at random. Report its two components with it.
    """

    floor: bool = False
    """Round words per sentence down, as the tool behind many published scores did (integer division)."""
    punctuation: bool = False
    """Count punctuation marks between spaces as words without syllables, as that tool did on tokenized text."""
    rules_only: bool = False
    """Count syllables by rule for every word, without the dictionary."""
    splitter: Splitter = "plain"
    """Sentence splitter; the signature writes `plain` as `sentences:rule`."""

    name: ClassVar = "fkgl"
    category: ClassVar = "simplification"
    summary: ClassVar = "Flesch-Kincaid grade level (US school grade)"
    citation: ClassVar = "Kincaid et al. (1975); Tanprasert and Kauchak (2021), FKGL is Not a Simplification Metric"
    needs: ClassVar = ()
    presets: ClassVar = {
        "floored": {"floor": True},
        "tanprasert2021": {"floor": True, "punctuation": True, "rules_only": True},
    }

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("fkgl", None, bounds=(None, None), taken_for="lower"),
            Part("fkgl.words_per_sentence", None, bounds=(0, None)),
            Part("fkgl.syllables_per_word", None, bounds=(0, None)),
        )

    def columns(self) -> tuple[str, ...]:
        return "sentences", "words", "syllables"

    def statistics(self, items: Items) -> Dense:
        key = ("readability", self.punctuation, self.rules_only, self.splitter)
        counts = shared(items, key, lambda: _count(items, self.punctuation, self.rules_only, self.splitter))
        return Dense(self.columns(), counts)

    def values(self, sums: Floats) -> Values:
        per_sentence, per_word = self.components(sums)
        return {
            "fkgl": 0.39 * per_sentence + 11.8 * per_word - 15.59,
            "fkgl.words_per_sentence": per_sentence,
            "fkgl.syllables_per_word": per_word,
        }

    def components(self, sums: Floats) -> tuple[Floats, Floats]:
        """Return words per sentence and syllables per word."""
        ends, words, sounds = sums.T
        per_sentence = np.where(words > 0, words / np.maximum(ends, 1), np.nan)
        per_word = divide(sounds, words)
        return np.floor(per_sentence) if self.floor else per_sentence, per_word

    def signature(self, nrefs: str) -> str:
        options = super().signature(nrefs).replace(f"|splitter:{self.splitter}", "")
        cut = "rule" if self.splitter == "plain" else self.splitter
        return f"{options}|syllables:{'rule' if self.rules_only else dictionary()}|sentences:{cut}"

    def undefined(self, part: str) -> str:
        return "the outputs have no words"

    def explained(self, a: Mapping[str, float], b: Mapping[str, float]) -> str | None:
        """Return how much each component contributes to the difference; neither makes a text better by itself."""
        sentences = 0.39 * (b["fkgl.words_per_sentence"] - a["fkgl.words_per_sentence"])
        sounds = 11.8 * (b["fkgl.syllables_per_word"] - a["fkgl.syllables_per_word"])
        if isnan(sentences + sounds):
            return None
        size = f"the difference of {sentences + sounds:+.2f} is {sentences:+.2f} from words per sentence"
        return f"{self.name}: {size} and {sounds:+.2f} from syllables per word; neither direction is better"

    def notes(self, items: Items) -> list[str]:
        english = all((example.language or "en").split("-")[0] == "en" for example in items.bare)
        notes = [f"{self.name}: descriptive only; random full stops improve it, so report its components"]
        if not english:
            notes.append(f"{self.name}: fitted to English; its values are not valid for other languages")
        return notes


@dataclass(frozen=True)
class Flesch(Fkgl):
    """206.835 - 1.015 words per sentence - 84.6 syllables per word, over all outputs together. A higher value is read
    as easier; the score is descriptive, like `fkgl`."""

    name: ClassVar = "flesch"
    summary: ClassVar = "Flesch reading ease"
    citation: ClassVar = "Flesch (1948), A New Readability Yardstick"

    def parts(self) -> tuple[Part, ...]:
        return (Part("flesch", None, digits=1, bounds=(None, None), taken_for="higher"),)

    def explained(self, a: Mapping[str, float], b: Mapping[str, float]) -> str | None:
        return None  # it has no component scores

    def values(self, sums: Floats) -> Values:
        per_sentence, per_word = self.components(sums)
        return {"flesch": 206.835 - 1.015 * per_sentence - 84.6 * per_word}


def _count(items: Items, punctuation: bool, rules_only: bool, splitter: Splitter) -> Floats:
    cut = loose_words if punctuation else letter_words
    counted = by_rule if rules_only else syllables
    known: dict[str, int] = {}
    table = np.zeros((len(items), 3))
    for i, (text, example) in enumerate(zip(items.outputs, items.bare, strict=True)):
        words = cut(text)
        total = 0
        for word in words:
            if word not in known:
                known[word] = counted(word)
            total += known[word]
        table[i] = len(split_sentences(text, splitter, example.language)), len(words), total
    return table
