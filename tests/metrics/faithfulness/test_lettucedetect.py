"""LettuceDetect: unsupported tokens and spans, groups of contexts, the two prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics import resolve
from assay.metrics.faithfulness.lettucedetect import LettuceDetect
from assay.models.context import Context
from assay.records import Example
from assay.records.types import Message, Passage
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUT = "a cat sat. dogs ran home."
PASSAGES = (Passage(id="p", text="the cat sat here."), Passage(id="q", text="two dogs ran home."))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "tokens", "tagger:2", length=700)


def metric(folder: Path) -> LettuceDetect:
    made = resolve([f"lettucedetect:model={folder}"])[0].metric
    assert isinstance(made, LettuceDetect)
    return made


def alone(folder: Path, prompt: str) -> Any:
    """Probabilities of class 1 of the tokens after the second separator, as the published detector reads them."""
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    model: Any = AutoModelForTokenClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    read = tokenizer(prompt, OUTPUT, return_tensors="pt")
    with torch.inference_mode():
        values = torch.softmax(model(**read).logits[0].double(), -1)[:, 1].numpy()
    start = read["input_ids"][0].tolist().index(tokenizer.sep_token_id) + 1
    return values[start:-1]


def test_tokens_spans_and_shares(folder: Path) -> None:
    example = Example(id="a", contexts=PASSAGES)
    prompt = "Summarize the following text:\npassage 1: the cat sat here.\npassage 2: two dogs ran home.\noutput:"
    expected = alone(folder, prompt)
    found, places = metric(folder).tokens(OUTPUT, example, Context())
    assert found == pytest.approx(expected, abs=1e-5)
    assert [OUTPUT[start:end] for start, end in places[:4]] == ["a", "c", "a", "t"]
    share = float(np.mean(expected < 0.5))
    assert 0 < share < 1
    result = assay.score({"a": OUTPUT}, examples=[example], metrics=f"lettucedetect:model={folder}")
    assert result.values == pytest.approx({"lettucedetect": share, "lettucedetect.clean": 0}, abs=1e-6)
    covered = {i for start, end, _ in metric(folder).spans(OUTPUT, example, Context()) for i in range(start, end)}
    wrong = {i for value, (start, end) in zip(expected, places, strict=True) if value >= 0.5 for i in range(start, end)}
    assert wrong <= covered
    assert not {start for value, (start, _) in zip(expected, places, strict=True) if value < 0.5} & covered


def test_a_question_has_its_own_prompt(folder: Path) -> None:
    asked = Example(id="a", contexts=PASSAGES[:1], messages=(Message(role="user", content="who sat?"),))
    prompt = metric(folder).prompt([PASSAGES[0].text], asked)
    assert prompt.startswith("Briefly answer the following question:\nwho sat?\nBear in mind")
    assert "following 1 passages:\npassage 1: the cat sat here.\nIn case" in prompt
    assert metric(folder).prompt(["x"], Example(id="b", source="x")).startswith("Summarize")
    by_source = Example(id="c", contexts=PASSAGES[:1], source="who sat?")
    assert metric(folder).prompt([PASSAGES[0].text], by_source) == prompt


def test_contexts_that_do_not_fit_are_read_in_groups(tmp_path: Path) -> None:
    """A token is as unsupported as its worst group says."""
    folder = save_tiny(tmp_path / "short", "tagger:2", length=95)
    found, _ = metric(folder).tokens(OUTPUT, Example(id="a", contexts=PASSAGES), Context())
    prompts = [f"Summarize the following text:\npassage 1: {one.text}\noutput:" for one in PASSAGES]
    assert found == pytest.approx(np.max([alone(folder, one) for one in prompts], axis=0), abs=1e-5)


def test_empty_and_missing(folder: Path) -> None:
    assert each(f"lettucedetect:model={folder}", ["", OUTPUT], None, ["a cat.", "a cat."])["lettucedetect"][0] == 0
    (skipped,) = assay.score(["a"], references=["b"], metrics=f"ttr,lettucedetect:model={folder}").skipped
    assert "1 items have neither contexts nor a source" in skipped.why
