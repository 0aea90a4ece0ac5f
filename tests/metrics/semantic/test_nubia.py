"""NUBIA: what its package is asked, and its parts. A module with its documented calls stands in for it: the published
one needs fairseq."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from assay.metrics import resolve
from tests.support import each, score


class Theirs:
    def score(self, ref: str, hyp: str, get_features: bool = False) -> dict[str, Any]:
        shared = len({*ref.split()} & {*hyp.split()})
        features = {"semantic_relation": shared, "contradiction": 2.0, "irrelevancy": 3.0, "logical_agreement": 95.0,
                    "grammar_ref": 1.0, "grammar_hyp": 1.0}  # fmt: skip
        return {"nubia_score": shared / 10, "features": features}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType("nubia_score")
    module.__spec__ = types.SimpleNamespace(submodule_search_locations=[])
    module.Nubia = Theirs
    monkeypatch.setitem(sys.modules, "nubia_score", module)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("package")
def test_the_best_reference_counts_with_all_its_parts() -> None:
    found = each("nubia", ["a b c", ""], [["a", "a b"], ["x"]])
    assert found["nubia"] == pytest.approx([0.2, 0])
    assert found["nubia.similarity"] == [2, 0]
    assert score("nubia", ["a b c"], [["a"]])["nubia.agreement"] == 95


def test_what_is_missing_is_said() -> None:
    if why := resolve("nubia")[0].metric.why_not():
        assert "pip install nubia-score in a separate environment" in why
