"""bartscore: what transformers says of each token after another text, four directions, windows, and no model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.metrics import resolve
from assay.models.context import Context
from assay.systems.neural.conditional import Conditional
from tests.support import each, score
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["the cat sat", "two dogs ran home"]
SOURCES = ["the cat sat on the mat", "a b c d two dogs ran"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for kind in ("causal", "seq2seq"):
        save_tiny(folder / kind, kind)
    return folder


def causal_logs(folder: Path, before: str | None, text: str, most: int = 32) -> list[float]:
    """Token by token, each in a reading of its own."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)

    def cut(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    row = [tokenizer.bos_token_id]
    if before is not None:
        row += [*cut(before)[:most], *cut("\n\nSummary:")]
    logs = []
    for token in [*cut(f" {text}"), tokenizer.eos_token_id]:
        with torch.inference_mode():
            said = model(input_ids=torch.tensor([row])).logits[0, -1].double().log_softmax(-1)
        logs.append(float(said[token]))
        row.append(token)
    return logs


def test_faithfulness_is_the_mean_over_tokens_after_the_source(models: Path) -> None:
    folder = models / "causal"
    found = each(f"bartscore:model={folder}", OUTPUTS, None, SOURCES)["bartscore"]
    wanted = [np.mean(causal_logs(folder, source, text)) for source, text in zip(SOURCES, OUTPUTS, strict=True)]
    assert found == pytest.approx(wanted, rel=1e-5)
    relative = each(f"bartscore:model={folder}:relative", OUTPUTS, None, SOURCES)["bartscore"]
    alone = [np.mean(causal_logs(folder, None, text)) for text in OUTPUTS]
    assert relative == pytest.approx(np.subtract(wanted, alone), rel=1e-4)


def test_a_model_with_an_encoder_is_asked_as_the_paper_does(models: Path) -> None:
    """The loss that transformers computes for the output as labels."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = models / "seq2seq"
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    wanted = []
    for source, text in zip(SOURCES, OUTPUTS, strict=True):
        labels = tokenizer(text)["input_ids"]
        assert labels[-1] == tokenizer.eos_token_id
        given = tokenizer(source)["input_ids"]
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([given]), labels=torch.tensor([labels])).logits[0].double()
        logs = logits.log_softmax(-1)[torch.arange(len(labels)), torch.tensor(labels)]
        wanted.append(float(logs.mean()))
    assert each(f"bartscore:model={folder}", OUTPUTS, None, SOURCES)["bartscore"] == pytest.approx(wanted, rel=1e-5)


def test_four_directions(models: Path) -> None:
    folder = models / "causal"
    references = [["the cat sat down", "a cat"], ["dogs ran"]]
    sides = {
        direction: each(f"bartscore:model={folder}:direction={direction}", OUTPUTS, references, SOURCES)["bartscore"]
        for direction in ("precision", "recall", "f1")
    }
    onto = [
        [np.mean(causal_logs(folder, ref, out)) for ref in refs] for out, refs in zip(OUTPUTS, references, strict=True)
    ]
    back = [
        [np.mean(causal_logs(folder, out, ref)) for ref in refs] for out, refs in zip(OUTPUTS, references, strict=True)
    ]
    assert sides["precision"] == pytest.approx([max(one) for one in onto], rel=1e-5)
    assert sides["recall"] == pytest.approx([max(one) for one in back], rel=1e-5)
    assert sides["f1"] == pytest.approx(np.mean([sides["precision"], sides["recall"]], axis=0), rel=1e-6)


def test_long_sources_are_cut_or_read_in_windows(models: Path) -> None:
    folder, long = models / "causal", "a b c d " * 30 + "the cat sat"
    cut = score(f"bartscore:model={folder}:window=8", ["the cat sat"], None, [long])["bartscore"]
    assert cut == pytest.approx(np.mean(causal_logs(folder, long, "the cat sat", 8)), rel=1e-5)
    windows = score(f"bartscore:model={folder}:window=8:long=windows", ["the cat sat"], None, [long])["bartscore"]
    assert windows >= cut
    endless = score(f"bartscore:model={folder}", ["two dogs ran home " * 40], None, [long])["bartscore"]
    assert np.isfinite(endless)


def test_an_empty_output_is_as_likely_as_the_end(models: Path) -> None:
    folder = models / "causal"
    empty, source = each(f"bartscore:model={folder}", ["", "a"], None, ["a b", ""])["bartscore"]
    assert empty < 0
    assert np.isfinite(source)


def test_before_an_empty_output_there_is_no_space(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To many tokenizers a space alone is a token."""
    read: list[list[int]] = []

    def tokens(loaded: Any, text: str) -> list[int]:
        read.append([5] * len(text))
        return read[-1]

    monkeypatch.setattr(Conditional, "_tokens", staticmethod(tokens))
    logs = Conditional(str(models / "causal")).logs([("a b", ""), ("a b", " \n"), ("a b", "c")], Context())
    assert [len(one) for one in logs] == [1, 1, 3]  # the end; the space, c and the end


def test_the_second_run_asks_nothing(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = f"bartscore:model={models / 'causal'}"
    first = assay.score(OUTPUTS, sources=SOURCES, metrics=spec)
    monkeypatch.setattr("assay.systems.neural.conditional.load", None)
    again = assay.score(OUTPUTS, sources=SOURCES, metrics=spec)
    assert not first.failed
    assert again.scores == first.scores
    signature = again.scores["bartscore"].signature
    assert "|model:causal-" in signature
    assert "|window:400|long:cut|prompt:" in signature


def test_what_is_no_model_and_no_prompt_is_said(tmp_path: Path) -> None:
    reason = resolve(f"bartscore:model={tmp_path / 'nothing'}")[0].metric.why_not()
    assert reason is not None
    assert "not found. Give a model folder" in reason
    with pytest.raises(AssayError, match=r"write \{given\} exactly once"):
        resolve("bartscore:prompt=Say it again")


def test_weights_that_are_no_numbers_are_said(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    folder = save_tiny(tmp_path / "nan", "causal")
    model = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.transformer.ln_f.bias.fill_(float("nan"))
    model.save_pretrained(folder)
    (failed,) = assay.score(["a cat"], sources=["a cat sat"], metrics=f"bartscore:model={folder}").failed
    assert "the output of the model is not finite" in failed.why
