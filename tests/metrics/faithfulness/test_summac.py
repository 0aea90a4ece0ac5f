"""SummaC: the highest entailment less the highest contradiction, and the convolution over histograms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics.faithfulness.summac import BINS, LAYERS, convolved
from tests.conftest import Call
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE = "The cat sat here. Yes, no. Two dogs ran home."
OUTPUT = "A cat sat down. Dogs ran home."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "nli", "classifier:3", length=128)


def probabilities(folder: Path) -> Any:
    """Entailment, contradiction and neutral of every pair of sentences above ten characters, as published."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    image = np.zeros((3, 2, 2))
    for i, premise in enumerate(("The cat sat here.", "Two dogs ran home.")):
        for j, claim in enumerate(("A cat sat down.", "Dogs ran home.")):
            with torch.inference_mode():
                logits = model(**tokenizer(premise, claim, return_tensors="pt")).logits[0].double()
            image[:, i, j] = torch.softmax(logits, -1).numpy()
    return image


def test_zero_shot(folder: Path) -> None:
    image = probabilities(folder)
    expected = np.mean(image[0].max(axis=0) - image[1].max(axis=0))
    spec = f"summac:model={folder}"
    found = each(spec, [OUTPUT, "", "Ok."], None, [SOURCE] * 3)["summac"]
    assert found == pytest.approx([expected, 0, 0], abs=1e-5)
    plain = each(f"{spec}:contradiction=false", [OUTPUT], None, [SOURCE])["summac"]
    assert plain == pytest.approx([np.mean(image[0].max(axis=0))], abs=1e-5)


def test_the_convolution_of_the_published_layers(folder: Path, tmp_path: Path, here: Callable[..., Call]) -> None:
    """Against the layers as published: a histogram of each sentence, a linear layer, three times the mean, another."""
    torch.manual_seed(2)
    mlp, final = torch.nn.Linear(len(BINS) - 1, 1), torch.nn.Linear(3, 2)
    state = {f"mlp.{name}": value for name, value in mlp.state_dict().items()}
    state |= {f"layer_final.{name}": value for name, value in final.state_dict().items()}
    torch.save(state, tmp_path / "conv.bin")
    to = tmp_path / "conv.safetensors"
    assert here("metric", "convert", "summac", str(tmp_path / "conv.bin"), "-o", str(to)).code == 0
    image = probabilities(folder)
    counts = [np.histogram(image[0, :, j], bins=BINS)[0] for j in range(2)]
    with torch.inference_mode():
        mean = mlp(torch.tensor(np.array(counts), dtype=torch.float32)).mean()
        expected = float(torch.softmax(final(torch.stack([mean] * 3)), -1)[1])
    found = each(f"summac:model={folder}:conv={to}", [OUTPUT, ""], None, [SOURCE] * 2)["summac.conv"]
    assert found == pytest.approx([expected, 0], abs=1e-5)
    weights: dict[str, Any] = {name: np.ones((1, 23)) if name == LAYERS[0] else np.zeros((2, 3)) for name in LAYERS}
    weights["mlp.bias"], weights["layer_final.bias"] = np.zeros(1), np.array([0.0, np.log(3)])
    assert convolved(weights, np.ones((5, 12))) == pytest.approx(0.75)


def test_the_small_model_that_ships() -> None:
    found = each("summac", ["Two dogs ran home.", "No dog ran home."], None, ["Two dogs ran home yesterday."] * 2)
    assert found["summac"][0] > 0.5 > found["summac"][1]


def test_a_wrong_file_is_said(tmp_path: Path, here: Callable[..., Call]) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "a.bin")
    call = here("metric", "convert", "summac", str(tmp_path / "a.bin"), "-o", str(tmp_path / "x"))
    assert "not the convolution of SummaC: 'mlp.weight' is missing" in call.err
    (skipped,) = assay.score(["a b"], sources=["a b"], metrics=f"ttr,summac:conv={tmp_path / 'x'}").skipped
    assert "file not found. Write it with `assay metric convert summac" in skipped.why
