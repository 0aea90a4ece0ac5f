"""MoverScore: the cheapest movement by another solver, weights by rarity, pieces that weigh nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics.semantic.moverscore import MoverScore
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
optimize = pytest.importorskip("scipy.optimize")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["a b c, d.", "", "b b a", ". ,"]
REFERENCES = [["b c x", "d e"], ["x"], ["a"], ["y"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "encoder", "encoder")


def pieces(folder: Path, text: str, rarity: dict[str, float] | None) -> tuple[Any, Any]:
    """Unit vectors of the last layer and weights, as the published second version has them: marks weigh nothing."""
    from transformers import AutoModel, AutoTokenizer

    model: Any = AutoModel.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    given = tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        vectors = model(**given).last_hidden_state[0, 1:-1].double().numpy()
    words = tokenizer.convert_ids_to_tokens(given["input_ids"][0])[1:-1]
    kept = [i for i, word in enumerate(words) if word not in ",." and "##" not in word]
    weights = np.array([rarity.get(words[i], math.log(3)) if rarity else 1.0 for i in kept])
    return vectors[kept] / np.linalg.norm(vectors[kept], axis=1, keepdims=True), weights / weights.sum()


def moved(folder: Path, one: str, other: str, rarity: dict[str, float] | None = None) -> float:
    (a, weigh_a), (b, weigh_b) = pieces(folder, one, rarity), pieces(folder, other, rarity)
    far = np.linalg.norm(a[:, None] - b[None], axis=2)
    rows = np.kron(np.eye(len(a)), np.ones(len(b)))
    columns = np.kron(np.ones(len(a)), np.eye(len(b)))
    found = optimize.linprog(far.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([weigh_a, weigh_b]))
    return 1 - float(found.fun)


def test_it_is_one_minus_the_cheapest_movement(folder: Path) -> None:
    found = each(f"moverscore:model={folder}", OUTPUTS, REFERENCES)["moverscore"]
    best = max(moved(folder, OUTPUTS[0], text) for text in REFERENCES[0])
    assert found == pytest.approx([best, 0, moved(folder, "b b a", "a"), 0], abs=1e-5)


def test_rare_pieces_weigh_more(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "refs.txt").write_text("b c x\nb e\n", encoding="utf-8")
    rarity = {"b": math.log(3 / 3), "c": math.log(3 / 2), "x": math.log(3 / 2), "e": math.log(3 / 2)}
    found = each(f"moverscore:model={folder}:idf={tmp_path / 'refs.txt'}", ["a c"], ["c x e"])["moverscore"]
    assert found == pytest.approx([moved(folder, "a c", "c x e", rarity)], abs=1e-5)
    result = assay.score(["a"], ["a"], metrics=f"ttr,moverscore:model={folder}:idf=nowhere.txt")
    assert "moverscore:idf=nowhere.txt: file not found" in result.skipped[0].why


def test_what_is_cut_off_weighs_nothing(folder: Path) -> None:
    spec = f"moverscore:model={folder}:window=8:long=cut"
    assert each(spec, ["a b c d e a b c"], ["b"])["moverscore"] == each(spec, ["a b c d e a"], ["b"])["moverscore"]


def test_an_empty_reference_beats_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        MoverScore, "_similarities", lambda _, pairs, __: np.array([[-0.3 * bool(b.strip())] for _, b in pairs])
    )
    assert each(f"moverscore:model={folder}", ["a cat"], [["two dogs", " "]])["moverscore"] == [-0.3]
