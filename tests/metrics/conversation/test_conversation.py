"""conversation: values by hand."""

from __future__ import annotations

import pytest

from assay.metrics import resolve
from assay.metrics.engine.base import Metric
from assay.metrics.engine.statistics import Dense
from assay.records import Example, Items
from assay.records.types import Message


def values(metric: Metric, chats: list[list[str]]) -> dict[str, float]:
    """Score chats in which user and assistant alternate; the last turn is the output."""
    examples = []
    for number, chat in enumerate(chats):
        roles = ["user" if i % 2 == 0 else "assistant" for i in range(len(chat) - 1)]
        turns = [Message(role=role, content=text) for role, text in zip(roles, chat[:-1], strict=True)]
        examples.append(Example(id=str(number), messages=tuple(turns)))
    items = Items(tuple(chat[-1] for chat in chats), tuple(examples))
    rows = metric.statistics(items)
    assert isinstance(rows, Dense)
    return {name: float(value[0]) for name, value in metric.values(rows.values.sum(axis=0, keepdims=True)).items()}


def test_values_by_hand() -> None:
    chats = [
        ["Is the harbour calm?", "The harbour is calm."],
        ["Hello", "Is there anything else today", "Ships?", "Is there anything else now"],  # one of two 4-grams
        ["Hello", "Good day.", "Again?", "good day"],  # a copy, too short for a 4-gram
    ]
    (metric,) = (one.metric for one in resolve(["conversation"]))
    found = values(metric, chats)
    assert found["conversation.repetition"] == pytest.approx(0.5)
    assert found["conversation.copies"] == pytest.approx(0.5)
    assert found["conversation.entrainment"] == pytest.approx((1 + 0 + 0) / 2)  # "again" is a stop word
