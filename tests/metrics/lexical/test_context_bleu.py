"""Contextual BLEU-2: sacrebleu without brevity penalty, both sides of a dialog, inputs without a dialog."""

from __future__ import annotations

import math

import pytest

import assay
from assay.records import Example, Items
from tests.support import score

PAST = [("sys", "Old words nobody remembers."), ("user", "Is it warm?"), ("sys", "It will be 60 degrees, dry."),
        ("user", "And tomorrow?"), ("sys", "It will be about 50 degrees, dry at 8 pm."), ("user", "It?")]  # fmt: skip
ANSWERS = ["It will be about 48 degrees, dry at 9 pm.", "Forecast: fog, 48.", "warm", ""]


def dialogs(outputs: list[str], past: list[tuple[str, str]]) -> Items:
    context = [{"speaker": speaker, "text": text} for speaker, text in past]
    acts = {"kind": "acts", "service": "Weather_1", "acts": [], "context": context}
    return Items(tuple(outputs), tuple(Example(id=str(i), input=acts) for i in range(len(outputs))))


@pytest.mark.parametrize("smoothing", ["exp", "none"])
def test_equal_to_sacrebleu_without_brevity_penalty(smoothing: str) -> None:
    from sacrebleu.metrics import BLEU

    theirs = BLEU(max_ngram_order=2, effective_order=True, lowercase=True, smooth_method=smoothing)
    for side, names in (("user", "user"), ("system", "sys")):
        turns = [text for speaker, text in PAST[-5:] if speaker == names]
        for answer in ANSWERS[:3]:
            actual = score(f"context_bleu:smoothing={smoothing}", dialogs([answer], PAST))[f"context_bleu.{side}"]
            whole = theirs.sentence_score(answer, turns)
            assert actual == pytest.approx(whole.score / whole.bp if whole.bp else 0, abs=1e-9)


def test_a_response_that_repeats_the_dialog_scores_higher() -> None:
    entrained, plain, *_, empty = (score("context_bleu", dialogs([text], PAST)) for text in ANSWERS)
    assert entrained["context_bleu.system"] > 2 * plain["context_bleu.system"]
    assert empty == {"context_bleu.user": 0, "context_bleu.system": 0}
    last = score("context_bleu:turns=1", dialogs(ANSWERS[:1], PAST))
    assert last["context_bleu.user"] == score("context_bleu", dialogs(ANSWERS[:1], PAST[-1:]))["context_bleu.user"]
    assert math.isnan(last["context_bleu.system"])


def test_the_mean_is_over_items_that_have_such_turns() -> None:
    one, other = dialogs(ANSWERS[:1], PAST), dialogs(ANSWERS[:1], PAST[-1:])
    both = Items((*one.outputs, *other.outputs), (*one.examples, *other.examples))
    assert score("context_bleu", both)["context_bleu.system"] == score("context_bleu", one)["context_bleu.system"]
    result = assay.score({"0": "x"}, examples=list(other.examples), metrics="context_bleu")
    assert result.scores["context_bleu.system"].why == "no item has a preceding system turn"


def test_a_turn_without_text_is_ignored() -> None:
    turns = [{"speaker": "user", "text": None}, {"speaker": "user", "text": "a cat"}]
    example = Example(id="1", input={"kind": "acts", "context": turns})
    assert score("context_bleu", Items(("none",), (example,)))["context_bleu.user"] == 0


def test_inputs_without_a_dialog_are_skipped_with_the_reason() -> None:
    slots = Example(id="0", input={"kind": "slots", "slots": [["food", "French"]]})
    (skipped,) = assay.score({"0": "x"}, examples=[slots], metrics="ttr,context_bleu").skipped
    assert "no input has preceding turns (input.context" in skipped.why
