"""conversation: does a turn repeat earlier turns of the assistant, and take up words of the user?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.records.types import Message
from assay.text.english import STOP

COLUMNS = ("repeated", "later", "copied", "taken", "offered", "turns")
NGRAM = 4
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Conversation(SumMetric):
    """How turns of an assistant relate to the turns before them, over all items with `messages`.

    `conversation.repetition`: mean share of the word 4-grams of a turn that an earlier turn of the assistant has; first
    turns and turns below four words do not count. `conversation.copies`: share of later turns that equal an earlier one
    but for case and punctuation. `conversation.entrainment`: share of the different content words of the last turn of
    the user that the answer uses.
    """

    name: ClassVar = "conversation"
    category: ClassVar = "descriptive"
    summary: ClassVar = "repetition of earlier turns, and words of the user that are taken up"
    citation: ClassVar = (
        "Nenkova et al. (2008), High Frequency Word Entrainment in Spoken Dialogue; See et al. (2019), What makes a "
        "good conversation?"
    )
    needs: ClassVar = ("messages",)

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("conversation.repetition", better="lower", digits=3),
            Part("conversation.copies", better="lower", digits=3),
            Part("conversation.entrainment", better=None, digits=3),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def statistics(self, items: Items) -> Dense:
        pairs = zip(items.outputs, items.examples, strict=True)
        rows = [_row(output, example.messages) for output, example in pairs]
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        repeated, later, copied, taken, offered, turns = sums.T
        return {
            "conversation.repetition": divide(repeated, later),
            "conversation.copies": divide(copied, turns),
            "conversation.entrainment": divide(taken, offered),
        }

    def undefined(self, part: str) -> str:
        if part == "conversation.entrainment":
            return "no turn of a user has a content word"
        if part == "conversation.repetition":
            return f"no turn of {NGRAM} words or more has an earlier turn of the assistant"
        return "no item has an earlier turn of the assistant"


def _row(output: str, messages: Sequence[Message]) -> tuple[float, ...]:
    """Return repetition and whether it counts, copies, entrainment and whether it counts, later turns."""
    mine = WORD.findall(output.lower())
    earlier = [WORD.findall(one.content.lower()) for one in messages if one.role == "assistant" and one.content.strip()]
    grams = _grams(mine)
    known = {gram for turn in earlier for gram in _grams(turn)}
    counts = bool(earlier and grams)
    user = next((one.content for one in reversed(messages) if one.role == "user"), "")
    offered = {word for word in WORD.findall(user.lower()) if word not in STOP and len(word) > 1}
    return (
        sum(gram in known for gram in grams) / len(grams) if counts else 0.0, float(counts),
        float(bool(mine) and mine in earlier),
        len(offered & set(mine)) / len(offered) if offered else 0.0, float(bool(offered)), float(bool(earlier)),
    )  # fmt: skip


def _grams(turn: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(turn[i : i + NGRAM]) for i in range(len(turn) - NGRAM + 1)]
