"""MiniCheck: support of the best piece of a source, claims as a whole or sentence by sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from tests.support import each
from tests.support.tiny_models import save_tiny, save_tiny_t5

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE = "The cat sat here. Two dogs ran home. Rain fell on us all day."
OUTPUT = "A cat sat. Dogs ran."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "minicheck", "classifier:2")


def alone(folder: Path, document: str, claim: str) -> float:
    """As its makers ask it: one text, the end token between document and claim, the second class."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        given = tokenizer(f"{document}[SEP]{claim}", return_tensors="pt", truncation=True, max_length=64)
        return float(torch.softmax(model(**given).logits[0].double(), -1)[1])


def test_the_best_piece_counts(folder: Path) -> None:
    sentences = ["The cat sat here.", "Two dogs ran home.", "Rain fell on us all day."]
    found = each(f"minicheck:model={folder}:piece=22", [OUTPUT, ""], None, [SOURCE, SOURCE])["minicheck"]
    assert found == pytest.approx([max(alone(folder, one, OUTPUT) for one in sentences), 0], abs=1e-5)
    apart = each(f"minicheck:model={folder}:piece=22:claims=sentences", [OUTPUT], None, [SOURCE])["minicheck"]
    best = [max(alone(folder, one, claim) for one in sentences) for claim in ("A cat sat.", "Dogs ran.")]
    assert apart == pytest.approx([np.mean(best)], abs=1e-5)
    whole = each(f"minicheck:model={folder}", [OUTPUT], None, ["The cat sat here."])["minicheck"]
    assert whole == pytest.approx([alone(folder, "The cat sat here.", OUTPUT)], abs=1e-5)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    (skipped,) = assay.score([OUTPUT], sources=[SOURCE], metrics="ttr,minicheck").skipped
    assert "minicheck:model=PATH (lytang/MiniCheck-RoBERTa-Large" in skipped.why
    wrong = save_tiny(tmp_path / "three", "classifier:3")
    result = assay.score([OUTPUT], sources=[SOURCE], metrics=f"ttr,minicheck:model={wrong}")
    assert (
        "(contradiction, entailment, neutral). Give a model with two classes, one named supported or yes."
        in result.failed[0].why
    )


def test_a_model_that_writes_its_answer(tmp_path: Path) -> None:
    """The Flan-T5 checkpoint: the first token that it writes, 1 against 0, over chunks by words."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = save_tiny_t5(tmp_path / "t5")
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    no, yes = (tokenizer(answer, add_special_tokens=False)["input_ids"][0] for answer in "01")
    expected = []
    for document in (SOURCE, "The cat sat here.", "Two dogs ran home.", "Rain fell on us all day."):
        read = tokenizer(f"predict: {document}</s>{OUTPUT}", return_tensors="pt")
        with torch.inference_mode():
            start = torch.zeros((1, 1), dtype=torch.long)
            logits = model(
                input_ids=read["input_ids"], attention_mask=read["attention_mask"], decoder_input_ids=start
            ).logits[0, 0]
        expected.append(float(torch.softmax(logits[[no, yes]].double(), -1)[1]))
    found = each(f"minicheck:model={folder}", [OUTPUT], None, [SOURCE])["minicheck"]
    assert found == pytest.approx(expected[:1], abs=1e-5)
    pieces = each(f"minicheck:model={folder}:piece=6", [OUTPUT], None, [SOURCE])["minicheck"]
    assert pieces == pytest.approx([max(expected[1:])], abs=1e-5)
    assert len({round(value, 4) for value in expected}) > 1
