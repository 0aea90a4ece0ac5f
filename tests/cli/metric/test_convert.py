"""`assay metric convert`: published checkpoints as folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.support import each
from tests.support.tiny_models import pair_checkpoint

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.mark.usefixtures("own_cache")
def test_alignscore(tmp_path: Path, here: Callable[..., Call]) -> None:
    """A checkpoint as Lightning writes it, with heads that are not used, becomes a classifier of three classes."""
    from transformers import RobertaForMaskedLM

    base = tmp_path / "base"
    tokenizer, config, body, head = pair_checkpoint()
    RobertaForMaskedLM(config).save_pretrained(base)
    tokenizer.save_pretrained(base)
    state = {f"base_model.{name}": tensor for name, tensor in body.state_dict().items()}
    state |= {f"tri_layer.{name}": tensor for name, tensor in head.state_dict().items()}
    state |= {"bin_layer.weight": torch.ones(2, 32), "mlm_head.bias": torch.ones(5)}
    torch.save({"state_dict": state, "epoch": 3, "pytorch-lightning_version": "1.7.7"}, tmp_path / "a.ckpt")
    call = here(
        "metric", "convert", "alignscore", str(tmp_path / "a.ckpt"), "--base", str(base), "-o", str(tmp_path / "made")
    )
    assert call.code == 0, call.err
    assert "-m alignscore:model=" in call.err + call.out
    source, claim = "The cat sat here.", "A cat sat."
    with torch.inference_mode():
        pooled = body(**tokenizer(source, claim, return_tensors="pt")).pooler_output
        expected = float(torch.softmax(head(pooled)[0].double(), -1)[0])
    assert each(f"alignscore:model={tmp_path / 'made'}", [claim], None, [source])["alignscore"] == pytest.approx(
        [expected], abs=1e-5
    )
    call = here("metric", "convert", "summac", str(tmp_path / "a.ckpt"), "--base", "x", "-o", str(tmp_path / "m"))
    assert "leave out --base" in call.err
