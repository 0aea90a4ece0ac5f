"""refusal: phrases that decline, and texts that only contain such words."""

from __future__ import annotations

import pytest

import assay
from assay.metrics.answers.refusal import is_refusal
from tests.support.processor_time import processor_seconds


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.", "I cannot provide medical advice.", "I’m unable to answer this.",
        "As an AI language model, I have no opinions.", "The context does not mention the price.", "I don't know.",
        "Es tut mir leid, aber ich kann das nicht tun.", "Je ne peux pas répondre.", "申し訳ありません。",
    ],
)  # fmt: skip
def test_answers_that_decline_are_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text", ["The harbour is calm.", "She cannot help it: she writes every day.", "He was sorry for the delay.", ""]
)
def test_answers(text: str) -> None:
    assert not is_refusal(text)


def test_rate() -> None:
    found = assay.score(["I can't help with that.", "It is calm."], metrics="refusal")
    assert found.scores["refusal"].value == 0.5


def test_long_texts_take_linear_time() -> None:
    assert processor_seconds(lambda: is_refusal("i am " * 1_000_000), quick=1) < 1
