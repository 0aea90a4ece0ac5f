"""Contextual BLEU-2: how much of its wording a response repeats from the preceding dialog turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import msgspec
import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.lexical.bleu import Tokenizer, bleu_statistics
from assay.records.items import Items
from assay.records.types import Example

SIDES = {"user": ("user", "usr"), "system": ("sys", "system", "agent", "assistant")}
"""Speaker names in files, by side of the dialog."""
NAMES = tuple(f"context_bleu.{side}" for side in SIDES)
CORRECT, TOTAL = 2, 6
"""First columns of matching n-grams and of all n-grams in the statistics of BLEU."""


@dataclass(frozen=True)
class ContextBleu(SumMetric):
    """BLEU-2 (unigrams and bigrams, no brevity penalty) of an output against the preceding turns of one side of the
    dialog: those of the user, and those of the system. Each score is the mean over the items with such turns.

    The scores describe lexical entrainment: a value near that of the references is natural, a higher one is
    repetition.
    """

    turns: int = 5
    """Number of preceding turns, of both sides together, that are compared."""
    lowercase: bool = True
    """Lower-case outputs and turns."""
    tokenizer: Tokenizer = "13a"
    """Tokenizer, as in sacrebleu."""
    smoothing: Literal["exp", "none"] = "exp"
    """Value of an output without a shared bigram: half a match, as in sentence BLEU, or 0."""

    name: ClassVar = "context_bleu"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how much of its wording a response repeats from preceding dialog turns"
    citation: ClassVar = "Bakshi et al. (2021), Structure-to-Text Generation with Self-Training, section 5"
    needs: ClassVar = ("inputs",)

    def __post_init__(self) -> None:
        self.require("turns", 1)

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, None, digits=1, bounds=(0.0, 100.0)) for name in NAMES)

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{name} {what}" for name in NAMES for what in ("score", "count"))

    def statistics(self, items: Items) -> Dense:
        made = np.zeros((len(items), 2 * len(NAMES)))
        for column, names in enumerate(SIDES.values()):
            turns_of = [self._turns(example, names) for example in items.examples]
            chosen = [i for i, turns in enumerate(turns_of) if turns]
            if chosen:
                against = tuple(msgspec.structs.replace(items.examples[i], references=turns_of[i]) for i in chosen)
                some = replace(items, outputs=tuple(items.outputs[i] for i in chosen), examples=against)
                made[chosen, 2 * column] = self._scores(bleu_statistics(some, self.tokenizer, self.lowercase))
                made[chosen, 2 * column + 1] = 1.0
        return Dense(self.columns(), made)

    def turns_of(self, example: Example, side: str) -> tuple[str, ...]:
        """Return the preceding turns of a side."""
        return self._turns(example, SIDES[side])

    def _turns(self, example: Example, names: tuple[str, ...]) -> tuple[str, ...]:
        turns = (example.input or {}).get("context")
        if not isinstance(turns, list):
            return ()
        last = [turn for turn in turns if isinstance(turn, dict)][-self.turns :]
        return tuple(str(turn.get("text") or "") for turn in last if str(turn.get("speaker", "")).lower() in names)

    def _scores(self, sums: Floats) -> Floats:
        """Return the geometric mean of the two precisions; an output of one word has unigram precision only."""
        logs = np.zeros((len(sums), 2))
        halves = np.ones(len(sums))
        for order in (0, 1):
            correct, total = sums[:, CORRECT + order], sums[:, TOTAL + order]
            if self.smoothing == "exp":
                halves = np.where((correct == 0) & (total > 0), halves / 2, halves)
                correct = np.where((correct == 0) & (total > 0), halves, correct)
            with np.errstate(divide="ignore"):
                logs[:, order] = np.log(divide(correct, total, 1.0))
        orders = 1 + (sums[:, TOTAL + 1] > 0)
        nothing = (sums[:, CORRECT] == 0) | (sums[:, TOTAL] == 0)
        return np.where(nothing, 0.0, 100 * np.exp(logs.sum(axis=1) / orders))

    def values(self, sums: Floats) -> Values:
        return {name: divide(sums[:, 2 * i], sums[:, 2 * i + 1]) for i, name in enumerate(NAMES)}

    def unfit(self, items: Items) -> str | None:
        if any(self._turns(example, names) for example in items.examples for names in SIDES.values()):
            return None
        return "no input has preceding turns (input.context: a list of {speaker: user or sys, text})"

    def undefined(self, part: str) -> str:
        return f"no item has a preceding {part.rpartition('.')[2]} turn"
