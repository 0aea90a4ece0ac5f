"""`assay metrics`: what can be measured, all of it and one by name."""

from __future__ import annotations

from collections.abc import Callable

from conftest import Call

Run = Callable[..., Call]


def test_metrics_lists_everything(here: Run) -> None:
    shown = here("metrics", "--json").json
    assert {"rouge", "bleu", "chrf", "chrf++", "ngrams", "msttr", "lengths"} <= shown["metrics"].keys()
    assert {"gem-light", "summarization", "data-to-text", "simplification"} <= shown["suites"].keys()
    for described in shown["metrics"].values():
        assert described["signature"]
        assert described["citation"]
        assert described["available"] or described["why_not"]
    text = here("metrics").out
    assert "rouge" in text
    assert "gem-light" in text


def test_metrics_tells_of_one(here: Run) -> None:
    call = here("metrics", "rouge2")
    assert "preset     rouge:gem is rouge:tokenizer=gem:stemmer=True:multi=jackknife" in call.out
    assert here("metrics", "blue").code == 1
    assert "did you mean bleu?" in here("metrics", "blue").err
