"""PRISM: likelihoods both ways under a sequence-to-sequence model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["the cat sat", "", "two dogs ran home"]
REFERENCES = [["the cat sat on the mat", "a b"], ["x"], ["a b c d"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "prism", "seq2seq")


def mean_log(folder: Path, given: str, text: str) -> float:
    """Token after token, each in a reading of its own, the one that ends the text last."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    source = torch.tensor([tokenizer(given)["input_ids"]])
    words, end = tokenizer(text)["input_ids"], tokenizer.eos_token_id
    wanted = [*words[: len(words) - (words[-1:] == [end])], end]
    begin, logs = [model.config.decoder_start_token_id], []
    for token in wanted:
        with torch.inference_mode():
            logits = model(input_ids=source, decoder_input_ids=torch.tensor([begin])).logits[0, -1].double()
        logs.append(float(torch.log_softmax(logits, -1)[token]))
        begin.append(token)
    return float(np.mean(logs))


def test_it_is_the_mean_of_both_ways(folder: Path) -> None:
    found = each(f"prism:model={folder}", OUTPUTS, REFERENCES)["prism"]
    expected = [
        max(np.mean([mean_log(folder, ref, out), mean_log(folder, out, ref)]) for ref in refs)
        for out, refs in zip(OUTPUTS, REFERENCES, strict=True)
    ]
    assert found == pytest.approx(expected, abs=1e-4)
    one_way = each(f"prism:model={folder}:against=source", OUTPUTS[:1], None, ["a b"])["prism"]
    assert one_way == pytest.approx([mean_log(folder, "a b", OUTPUTS[0])], abs=1e-4)


def test_a_model_without_an_encoder_is_refused(tmp_path: Path) -> None:
    wrong = save_tiny(tmp_path / "causal", "causal")
    for spec, why in ((f"prism:model={wrong}", "not a sequence-to-sequence model"), ("prism", "prism:model=PATH")):
        (skipped,) = assay.score(OUTPUTS, REFERENCES, metrics=f"ttr,{spec}").skipped
        assert why in skipped.why
