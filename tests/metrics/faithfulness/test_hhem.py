"""HHEM: the class of the first token of the published prompt, from a converted checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.metrics.faithfulness.hhem import PROMPT
from tests.conftest import Call
from tests.support import each
from tests.support.tiny_models import save_tiny, save_tiny_t5

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE = "The cat sat here. Two dogs ran home."
OUTPUT = "A cat sat. Dogs ran."


def published(folder: Path, base: Path) -> tuple[Any, Path]:
    """Return a model of the published architecture, and its file as published: every name after `t5.`."""
    from safetensors.torch import save_file
    from transformers import AutoConfig, T5ForTokenClassification

    torch.manual_seed(4)
    model = T5ForTokenClassification(AutoConfig.from_pretrained(base, num_labels=2)).eval()
    torch.nn.init.normal_(model.classifier.weight, 0, 0.1)
    state = {f"t5.{name}": each.clone() for name, each in model.state_dict().items() if "embed_tokens" not in name}
    folder.mkdir()
    save_file(state, str(folder / "model.safetensors"))
    return model, folder / "model.safetensors"


def test_a_converted_checkpoint_gives_the_value_of_the_original(tmp_path: Path, here: Callable[..., Call]) -> None:
    from transformers import AutoTokenizer

    base = save_tiny_t5(tmp_path / "base")
    model, file = published(tmp_path / "published", base)
    call = here("metric", "convert", "hhem", str(file), "--base", str(base), "-o", str(tmp_path / "hhem"))
    assert call.code == 0, call.err
    tokenizer: Any = AutoTokenizer.from_pretrained(base)
    expected = []
    for claim in (OUTPUT, "A cat sat.", "Dogs ran."):
        read = tokenizer(PROMPT.format(source=SOURCE, claim=claim), return_tensors="pt")
        assert read["input_ids"][0, 0] == tokenizer.pad_token_id
        with torch.inference_mode():
            logits = model(input_ids=read["input_ids"], attention_mask=read["attention_mask"]).logits[:, 0]
        expected.append(float(torch.softmax(logits.double(), -1)[0, 1]))
    spec = f"hhem:model={tmp_path / 'hhem'}"
    found = each(spec, [OUTPUT, "", OUTPUT], None, [SOURCE, SOURCE, ""])["hhem"]
    assert found == pytest.approx([expected[0], 0, 0], abs=1e-5)
    assert len({round(value, 4) for value in expected}) == 3  # texts make a difference
    apart = each(f"{spec}:claims=sentences", [OUTPUT], None, [SOURCE])["hhem"]
    assert apart == pytest.approx([sum(expected[1:]) / 2], abs=1e-5)
    long = " ".join(["the cat sat on the mat"] * 200)
    assert 0 < each(spec, [OUTPUT], None, [long])["hhem"][0] < 1  # the source is not cut at 512 tokens


def test_what_cannot_be_converted_is_said(tmp_path: Path, here: Callable[..., Call]) -> None:
    base = save_tiny_t5(tmp_path / "base")
    _, file = published(tmp_path / "published", base)
    arguments = ("metric", "convert", "hhem", str(file))
    out = ("-o", str(tmp_path / "out"))
    assert "--base google/flan-t5-base" in here(*arguments, *out).err
    wide = save_tiny_t5(tmp_path / "wide", d_model=48)
    assert "has another shape than in" in here(*arguments, "--base", str(wide), *out).err
    deep = save_tiny_t5(tmp_path / "deep", num_layers=2)
    assert "the checkpoint lacks transformer.encoder.block.1" in here(*arguments, "--base", str(deep), *out).err
    other = save_tiny(tmp_path / "other", "tagger:2") / "model.safetensors"
    call = here("metric", "convert", "hhem", str(other), "--base", str(base), *out)
    assert "not a checkpoint of HHEM 2.1: 't5.classifier.weight' is missing" in call.err or call.code == 1
    assert here(*arguments, "--base", str(base), "-o", str(base)).err.endswith("delete it.\n")


def test_missing_weights() -> None:
    (skipped,) = assay.score([OUTPUT], sources=[SOURCE], metrics="ttr,hhem").skipped
    assert "hhem:model=PATH (a folder converted from vectara/hallucination_evaluation_model" in skipped.why
