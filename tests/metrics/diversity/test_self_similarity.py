"""Self-similarity: cosines of all pairs, between outputs and inside them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from assay.models.cache import Cache
from assay.models.context import Context
from assay.models.encoder import Encoder
from tests.support import each, score
from tests.support.tiny_models import save_tiny

pytest.importorskip("torch")
pytest.importorskip("transformers")

TEXTS = ["The cat sat. Two dogs ran home. A cat sat.", "Rain fell.", "The tax rose. The tax rose."]


@pytest.fixture
def folder(tmp_path: Path, one_thread: None) -> Path:
    return save_tiny(tmp_path / "encoder", "encoder")


def cosines(folder: Path, texts: list[str], cache: Path) -> list[float]:
    vectors = Encoder(str(folder)).vectors(texts, Context(Cache(cache))).astype(np.float64)
    return [float(one @ other) for one, other in combinations(vectors, 2)]


def test_it_is_the_mean_over_all_pairs(folder: Path, tmp_path: Path) -> None:
    actual = score(f"self_similarity:model={folder}", TEXTS)
    assert actual["self_similarity"] == pytest.approx(np.mean(cosines(folder, TEXTS, tmp_path / "values")), abs=1e-6)
    inside = np.mean(cosines(folder, ["The cat sat.", "Two dogs ran home.", "A cat sat."], tmp_path / "values"))
    assert actual["self_similarity.within"] == pytest.approx((inside + 1) / 2, abs=1e-6)
    diversity = score(f"embedding_diversity:model={folder}", TEXTS)["embedding_diversity"]
    assert actual["self_similarity"] == pytest.approx(1 - diversity, abs=1e-12)


def test_single_outputs_and_sentences_are_undefined(folder: Path) -> None:
    actual = score(f"self_similarity:model={folder}", ["Rain fell."])
    assert np.isnan([actual["self_similarity"], actual["self_similarity.within"]]).all()
    assert each(f"self_similarity:model={folder}", TEXTS) == {}
