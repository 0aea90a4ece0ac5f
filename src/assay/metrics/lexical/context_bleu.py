"""Contextual BLEU-2: how much of its wording an answer takes over from the turns before it."""

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
"""The number that a speaker's turns belong to, by how files call them."""
NAMES = tuple(f"context_bleu.{side}" for side in SIDES)
CORRECT, TOTAL = 2, 6
"""Where BLEU's statistics have the n-grams that match, and all of them."""


@dataclass(frozen=True)
class ContextBleu(SumMetric):
    """BLEU over words and pairs of words without a penalty for brevity, of an output against all turns of one side that
    stand before it in the dialog: the user's, and the system's own. Each is the mean over the items that have such
    turns. It describes how a system entrains: near the references' value is natural, more is parroting."""

    turns: int = 5
    """The last so many turns of both sides that count."""
    lowercase: bool = True
    tokenizer: Tokenizer = "13a"
    smoothing: Literal["exp", "none"] = "exp"
    """What becomes of an output without a pair in common: half a pair, as sentence BLEU has it, or 0."""

    name: ClassVar = "context_bleu"
    category: ClassVar = "descriptive"
    summary: ClassVar = "how much of its wording an answer takes over from the turns before"
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
            said = [self._said(example, names) for example in items.examples]
            chosen = [i for i, turns in enumerate(said) if turns]
            if chosen:
                against = tuple(msgspec.structs.replace(items.examples[i], references=said[i]) for i in chosen)
                some = replace(items, outputs=tuple(items.outputs[i] for i in chosen), examples=against)
                made[chosen, 2 * column] = self._scores(bleu_statistics(some, self.tokenizer, self.lowercase))
                made[chosen, 2 * column + 1] = 1.0
        return Dense(self.columns(), made)

    def _said(self, example: Example, names: tuple[str, ...]) -> tuple[str, ...]:
        turns = (example.input or {}).get("context")
        if not isinstance(turns, list):
            return ()
        last = [turn for turn in turns if isinstance(turn, dict)][-self.turns :]
        return tuple(str(turn.get("text") or "") for turn in last if str(turn.get("speaker", "")).lower() in names)

    def _scores(self, sums: Floats) -> Floats:
        """The geometric mean of two precisions; of one word there are no pairs, and the first stands alone."""
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
        if any(self._said(example, names) for example in items.examples for names in SIDES.values()):
            return None
        return "no input has turns before it (input.context: a list of speaker, user or sys, and text)"

    def undefined(self, part: str) -> str:
        return f"no item has a turn of the {part.rpartition('.')[2]} before it"
