"""QuestEval: what its package is asked. A module with its documented calls stands in for it: the published one asks for
an environment of its own."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.metrics import resolve
from tests.support import each


class Theirs:
    def __init__(self, task: str, no_cuda: bool) -> None:
        assert no_cuda
        self.task = task

    def corpus_questeval(
        self, hypothesis: list[str], sources: list[str] | None = None,
        list_references: list[list[str]] | None = None, batch_size: int = 512,
    ) -> dict[str, Any]:  # fmt: skip
        given = sources or [refs[0] for refs in list_references or []]
        scores = [len({*a.split()} & {*b.split()}) / 10 for a, b in zip(hypothesis, given, strict=True)]
        return {"corpus_score": sum(scores) / len(scores), "ex_level_scores": scores}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner: Any = types.ModuleType("questeval.questeval_metric")
    inner.QuestEval = Theirs
    outer: Any = types.ModuleType("questeval")
    outer.__spec__ = types.SimpleNamespace(submodule_search_locations=[])
    monkeypatch.setitem(sys.modules, "questeval", outer)
    monkeypatch.setitem(sys.modules, "questeval.questeval_metric", inner)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("package")
def test_source_or_references_are_asked_about() -> None:
    texts = ["a b", "", "c d"]
    assert each("questeval", texts, None, ["a b", "x", "c"])["questeval"] == pytest.approx([0.2, 0, 0.1])
    refs = [["a", "b"], ["x"], ["c d"]]
    assert each("questeval:against=references", texts, refs)["questeval"] == pytest.approx([0.1, 0, 0.2])
    signature = assay.score(texts, sources=texts, metrics="questeval").scores["questeval"].signature
    assert "|task:summarization|against:source|libraries:questeval-" in signature


def test_what_is_missing_is_said() -> None:
    if "questeval" not in sys.modules and (why := resolve("questeval")[0].metric.why_not()):
        assert "pip install questeval in a separate environment" in why
        assert "--scores" in why
