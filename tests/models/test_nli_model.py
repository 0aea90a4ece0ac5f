"""The entailment model of ours: merged and plain updates agree, damage is named, and what ships is small and sane."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.models.cache import Cache
from assay.models.checkpoints import locate
from assay.models.context import Context
from assay.models.encoder import Encoder
from assay.models.nli import load_nli
from assay.models.nli_labels import label_order
from assay.models.text_pairs import _batches
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

PREMISE = "A man in a red coat plays a guitar on a stage."
PAIRS = [(PREMISE, "A man is playing an instrument."), (PREMISE, "The man is asleep at home in his bed."),
         (PREMISE, "The man was born in Spain.")]  # fmt: skip
SHIPPED = Path(locate("assay-nli"))


@pytest.fixture(autouse=True)
def here() -> None:
    if why_not := Encoder().why_not():
        pytest.skip(why_not)


@pytest.fixture
def context(tmp_path: Path, one_thread: None) -> Context:
    return Context(Cache(tmp_path / "values"), "cpu")


def test_what_ships_is_small_and_tells_the_classes_apart(context: Context) -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 5_000_000
    found = load_nli().probabilities(PAIRS, context)
    assert np.allclose(found.sum(axis=1), 1)
    assert found[0, 0] > found[1, 0]
    assert found[1].argmax() == 2
    assert load_nli().languages == frozenset({"en"})


def test_merged_updates_say_the_same(context: Context) -> None:
    from assay.models.load import load
    from assay.models.nli_network import NliNetwork

    network = NliNetwork.from_folder(SHIPPED).eval()
    given = load("minilm", encoder=True).tokenizer(*PAIRS[1], return_tensors="pt")
    with torch.inference_mode():
        plain = torch.softmax(network(**given).logits[0], -1).numpy()
        merged = torch.softmax(network.merge()(**given).logits[0], -1).numpy()
    assert merged == pytest.approx(plain, abs=1e-5)
    assert load_nli().probabilities([PAIRS[1]], context)[0] == pytest.approx(plain, abs=1e-4)


def test_an_update_is_for_the_weights_it_was_made_for(tmp_path: Path, context: Context) -> None:
    folder = shutil.copytree(SHIPPED, tmp_path / "m")
    for name in ("tokenizer.json", "vocab.txt"):
        shutil.copy(Encoder().folder / name, folder / name)
    assert load_nli(str(folder)).probabilities(PAIRS, context).shape == (3, 3)
    about = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(about | {"base_weights": "0" * 20}), encoding="utf-8")
    with pytest.raises(AssayError, match="trained on other weights of minilm"):
        load_nli(str(folder))
    del about["base"]
    (folder / "config.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(AssayError, match=r"config.json does not name the encoder it updates\. Copy the whole folder"):
        load_nli(str(folder))


def test_a_pair_is_no_longer_than_the_encoder_beneath_reads(tmp_path: Path, context: Context) -> None:
    from assay.models.nli_network import NliNetwork

    base = save_tiny(tmp_path / "base", "encoder", length=40)
    folder = tmp_path / "m"
    folder.mkdir()
    NliNetwork(str(base), 2, [1, 2], 8).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(base / name, folder / name)
    (folder / "tokenizer_config.json").unlink()
    model = load_nli(str(folder))
    assert model.limit == 40
    assert model.probabilities([("a cat sat " * 20, "a cat")], context).shape == (1, 3)


def test_damaged_weights_are_named(tmp_path: Path, context: Context) -> None:
    folder = shutil.copytree(SHIPPED, tmp_path / "m")
    shutil.copy(Encoder().folder / "tokenizer.json", folder / "tokenizer.json")
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[:1000])
    with pytest.raises(AssayError, match="damaged"):
        load_nli(str(folder)).probabilities(PAIRS, context)


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["entailment", "neutral", "contradiction"], [0, 1, 2]),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [2, 1, 0]),
        (["contradiction", "entailment", "neutral"], [1, 2, 0]),
    ],
)
def test_the_order_of_classes_is_read_from_their_names(names: list[str], order: list[int]) -> None:
    assert label_order("m", dict(enumerate(names))) == order


def test_batches_are_bounded_by_pairs_and_by_padded_tokens() -> None:
    lengths = [900, 10, 600, 10, 400, 2000, 10]
    order = sorted(range(7), key=lengths.__getitem__)  # 1 3 6 4 2 0 5
    assert list(_batches(order, lengths, 2, 1024)) == [[1, 3], [6, 4], [2], [0], [5]]
    assert list(_batches(order, lengths, 3, None)) == [[1, 3, 6], [4, 2, 0], [5]]
    assert list(_batches([], [], 3, 1024)) == []
