"""AlignScore: the class that counts by its name, pieces of a source, and published checkpoints as folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.metrics.faithfulness.alignscore import as_classifier, pieces_of
from tests.support import each
from tests.support.tiny_models import pair_checkpoint, save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE, OUTPUT = "The cat sat here. Two dogs ran home.", "A cat sat. Dogs ran."


def alone(folder: Path, place: int, source: str, claim: str) -> float:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        given = tokenizer(source, claim, return_tensors="pt", truncation="only_first", max_length=64)
        return float(torch.softmax(model(**given).logits[0].double(), -1)[place])


def test_the_class_that_counts_is_found_by_its_name(tmp_path: Path) -> None:
    for order in (["aligned", "contradict", "neutral"], ["neutral", "contradict", "aligned"]):
        folder = save_tiny(tmp_path / order[0], "classifier:3")
        about = json.loads((folder / "config.json").read_text())
        names = {"id2label": dict(enumerate(order)), "label2id": {name: i for i, name in enumerate(order)}}
        (folder / "config.json").write_text(json.dumps(about | names))
        found = each(f"alignscore:model={folder}", [OUTPUT, ""], None, [SOURCE, SOURCE])["alignscore"]
        place = order.index("aligned")
        expected = np.mean([alone(folder, place, SOURCE, claim) for claim in ("A cat sat.", "Dogs ran.")])
        assert found == pytest.approx([expected, 0], abs=1e-5)
    folder = save_tiny(tmp_path / "wrong", "classifier:3")
    wrong = {"id2label": {0: "x", 1: "y", 2: "z"}, "label2id": {"x": 0, "y": 1, "z": 2}}
    (folder / "config.json").write_text(json.dumps(about | wrong))
    result = assay.score([OUTPUT], sources=[SOURCE], metrics=f"ttr,alignscore:model={folder}")
    assert (
        "a classifier of 3 classes (x, y, z). Give a model with three classes, one named aligned"
        in result.failed[0].why
    )


def test_a_sentence_longer_than_the_model_reads_loses_its_end(tmp_path: Path) -> None:
    """The source alone cannot be cut where the sentence fills all that is read."""
    folder = save_tiny(tmp_path / "tiny", "classifier:3")
    about = json.loads((folder / "config.json").read_text())
    names = {"id2label": {0: "aligned", 1: "b", 2: "c"}, "label2id": {"aligned": 0, "b": 1, "c": 2}}
    (folder / "config.json").write_text(json.dumps(about | names))
    long = " ".join(["cat dog ran home"] * 200)
    spec = f"alignscore:model={folder}"
    found = each(spec, [long, f"{long} again", OUTPUT], None, [SOURCE] * 3)["alignscore"]
    assert 0 < found[0] < 1
    assert found[0] == pytest.approx(found[1], abs=1e-5)
    assert found[2] == pytest.approx(each(spec, [OUTPUT], None, [SOURCE])["alignscore"][0], abs=1e-5)


def test_empty_outputs_are_said(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path / "m", "classifier:3")
    told = [
        assay.score(
            ["", OUTPUT, *[""] * more], sources=[SOURCE] * (2 + more), metrics=f"alignscore:model={folder}"
        ).notes
        for more in (0, 1)
    ]
    assert "alignscore: 1 empty output scores 0" in told[0]
    assert "alignscore: 2 empty outputs score 0" in told[1]


@pytest.mark.parametrize(
    ("words", "sentences", "pieces"), [(100, 10, 1), (349, 10, 1), (350, 10, 2), (1100, 10, 5), (2000, 3, 3), (5, 0, 1)]
)
def test_pieces_have_about_as_many_words(words: int, sentences: int, pieces: int) -> None:
    """By its makers' rule: as many sentences each as the words divided by 350 allow."""
    assert len(pieces_of(" ".join(["w"] * words), [f"s{i}." for i in range(sentences)])) == pieces


def test_a_published_checkpoint_becomes_a_folder(tmp_path: Path) -> None:
    """Its own head, a pooled vector and a layer of three, says the same as the classifier's head made of it."""
    from transformers import RobertaForSequenceClassification

    made = tmp_path / "made"
    tokenizer, config, body, head = pair_checkpoint()
    state = {f"base_model.{name}": tensor for name, tensor in body.state_dict().items()}
    state |= {f"tri_layer.{name}": tensor for name, tensor in head.state_dict().items()}
    config.num_labels = 3
    model = RobertaForSequenceClassification(config)
    assert not model.load_state_dict(as_classifier(state), strict=False).missing_keys
    model.save_pretrained(made)
    tokenizer.save_pretrained(made)
    with torch.inference_mode():
        given = tokenizer(SOURCE, "A cat sat.", return_tensors="pt")
        theirs = torch.softmax(head(body(**given).pooler_output)[0].double(), -1)[0]
    assert each(f"alignscore:model={made}", ["A cat sat."], None, [SOURCE])["alignscore"] == pytest.approx(
        [float(theirs)], abs=1e-5
    )
    with pytest.raises(AssayError, match=r"not a checkpoint of AlignScore: 'pooler.dense.weight' is missing"):
        as_classifier({})
