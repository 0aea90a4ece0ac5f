"""COMET: what its package is asked and how its answers are read. The package itself asks for an older transformers than
ours; here a module with its documented calls stands in for it."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.metrics import resolve
from assay.metrics.semantic.comet import Comet
from tests.support import each


class Model:
    """Longer outputs are better, and those nearer in length to the reference."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []

    def predict(self, samples: list[dict[str, str]], **options: Any) -> dict[str, Any]:
        assert options == {"batch_size": 8, "gpus": 0, "progress_bar": False, "num_workers": 1}
        self.asked += samples
        scores = [len(one["mt"]) - abs(len(one["mt"]) - len(one.get("ref", one["src"]))) for one in samples]
        return {"scores": scores, "system_score": sum(scores) / len(scores)}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    made = Model()
    module: Any = types.ModuleType("comet")
    module.__spec__ = types.SimpleNamespace(submodule_search_locations=[])
    module.load_from_checkpoint = lambda path, local_files_only: made
    module.download_model = lambda name: name
    monkeypatch.setitem(sys.modules, "comet", module)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "weights" / "checkpoints").mkdir(parents=True)
    (tmp_path / "weights" / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    monkeypatch.chdir(tmp_path)
    from assay.metrics.semantic.comet import _loaded

    _loaded.cache_clear()
    return made


OUTPUTS, REFERENCES, SOURCES = (
    ["a cat", "", "dogs"],
    [["a cat sat", "cats!"], ["x"], ["dog"]],
    ["eine Katze", "x", "Hunde"],
)


def test_of_several_references_the_best_counts(model: Model) -> None:
    assert each("comet:model=weights", OUTPUTS, REFERENCES, SOURCES)["comet"] == [5, -1, 3]
    assert model.asked[0] == {"src": "eine Katze", "mt": "a cat", "ref": "a cat sat"}
    assert len(model.asked) == 4
    assert each("comet:model=weights:reads=source", OUTPUTS[:1], None, SOURCES[:1])["comet"] == [0]
    assert model.asked[-1] == {"src": "eine Katze", "mt": "a cat"}


def test_the_second_run_asks_nothing(model: Model) -> None:
    first = assay.score(OUTPUTS, REFERENCES, sources=SOURCES, metrics="comet:model=weights")
    asked = len(model.asked)
    assert assay.score(OUTPUTS, REFERENCES, sources=SOURCES, metrics="comet:model=weights").scores == first.scores
    assert len(model.asked) == asked
    assert "|model:weights-" in first.scores["comet"].signature
    assert "|libraries:unbabel-comet-" in first.scores["comet"].signature
    Path("weights/checkpoints/model.ckpt").write_bytes(b"others")
    assert resolve("comet:model=weights")[0].metric.signature("1") != first.scores["comet"].signature


def test_what_is_missing_is_said(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "comet:model=PATH (Unbabel/wmt22-comet-da" in str(resolve("comet")[0].metric.why_not())
    (tmp_path / "empty").mkdir()
    assert "empty: no checkpoints/model.ckpt" in str(resolve("comet:model=empty")[0].metric.why_not())
    monkeypatch.setattr(Model, "predict", lambda self, rows, **more: {"scores": [float("nan")] * len(rows)})
    result = assay.score(["q"], [["r"]], sources=["s"], metrics="ttr,comet:model=weights")
    assert "returned no finite score for" in result.failed[0].why
    monkeypatch.delitem(sys.modules, "comet")
    if Comet().package.endswith("missing"):
        assert "pip install 'assay-eval[comet]'" in str(resolve("comet:model=weights")[0].metric.why_not())
