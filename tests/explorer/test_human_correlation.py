"""Human correlation: the page shows the values of `assay.meta`, also for error types and forced choices."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.errors import AssayError
from assay.explorer.human_correlation import human_page, human_scores
from assay.explorer.queries import Queries
from assay.records import Judgement
from assay.show.numbers import fixed


def test_sample_has_correlations_ranks_and_agreement(sample: Path) -> None:
    queries = Queries([sample])
    page = queries.correlation("news", "fluency")
    assert page.criteria == ["faithfulness", "fluency"]
    assert page.synthetic
    assert page.n == 48
    assert set(page.points.values) == set(page.metrics)
    both = page.correlations["rouge1"]
    assert both.partial is not None
    assert page.agreement is not None
    low, r, high = (float(end) for end in (both.raw.low, both.raw.r, both.raw.high) if isinstance(end, float))
    assert -1 <= low <= r <= high <= 1
    assert both.partial.raw == pytest.approx(both.raw.r)
    assert page.williams["rouge1"]["chrf"] == page.williams["chrf"]["rouge1"]
    assert [one.rank_low <= one.rank <= one.rank_high for one in page.ranked] == [True] * 4
    assert page.agreement.annotators == 3
    assert "alpha-ordinal" in page.agreement.coefficients
    (card,) = (card for card in queries.cards if card.name == "rouge1")
    raw, partial = (fixed(one.r, 2).replace("-", "−") for one in (both.raw, both.partial))
    known = f"news, fluency: r {raw}, partial r (controlled for system) {partial}"
    assert known in card.sections[-1].text


def test_scores_are_averaged_over_annotators() -> None:
    judged = [
        Judgement(id="1", system="a", annotator=who, criterion="c", value=value)
        for who, value in (("x", 1), ("y", 3), ("z", 5))
    ]
    frame, kinds = human_scores(judged, "c")
    assert kinds == []
    assert frame.to_dicts() == [{"id": "1", "system": "a", "c": 3.0}]


def test_error_types_of_sentences_are_decided_by_majority() -> None:
    """Two sentences, three votes each: one with a wrong entity by two of three, one fine."""
    votes = {0: ["EntE", "EntE", "NoE"], 1: ["NoE", "NoE", "OutE"]}
    judged = [
        Judgement(id="1", system="a", annotator=str(i), criterion="errors", value=value, unit=f"sentence:{sentence}")
        for sentence, values in votes.items()
        for i, value in enumerate(values)
    ]
    frame, kinds = human_scores(judged, "errors")
    assert kinds == ["EntE", "OutE"]
    assert frame.to_dicts() == [{"id": "1", "system": "a", "errors": 0.5, "EntE": 0.5, "OutE": 0.0}]


@pytest.mark.parametrize("votes", list(permutations(["NoE", "RelE", "EntE"])))
def test_order_of_votes_does_not_change_error_types(votes: tuple[str, ...]) -> None:
    """Two of three see an error and name different ones: the sentence is wrong, and its error is unassigned."""
    judged = [
        Judgement(id="1", system="a", annotator=str(i), criterion="errors", value=value, unit="sentence:0")
        for i, value in enumerate(votes)
    ]
    frame, _ = human_scores(judged, "errors")
    assert frame.to_dicts() == [{"id": "1", "system": "a", "errors": 0.0, "EntE": 0.0, "RelE": 0.0, "unassigned": 1.0}]


@pytest.fixture
def studied(tmp_path: Path) -> Path:
    """One run with sentence-level error labels and forced choices."""
    folder = tmp_path / "run"
    examples = [{"id": str(i), "references": [f"the {i} cats sat on mat {i}"]} for i in range(12)]
    outputs = {str(i): f"the {i if i % 3 else 99} cats sat on {'mat' if i % 2 else 'hat'} {i}" for i in range(12)}
    assay.score(outputs, examples=examples, metrics="rouge", save=folder, system="s")
    rows = [
        {
            "id": str(i), "system": "s", "annotator": who, "criterion": "errors", "unit": f"sentence:{k}",
            "value": "EntE" if i % 3 == 0 and k == 0 else "OutE" if i % 2 == 0 and k == 1 else "NoE",
        }
        for i in range(12)
        for who in ("x", "y")
        for k in (0, 1)
    ]  # fmt: skip
    (folder / "judgements.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    choices: list[dict[str, Any]] = [
        {"id": "1", "class": "rising", "against": "falling", "margin": 0.5},
        {"id": "2", "class": "rising", "against": "falling", "margin": -0.5},
        {"id": "3", "class": "falling", "against": "rising", "correct": True},
    ]
    (folder / "choices.jsonl").write_text("\n".join(map(json.dumps, choices)), encoding="utf-8")
    return folder


def test_ablation_and_confusion_matrices(studied: Path) -> None:
    queries = Queries([studied])
    (stored,) = queries.library.datasets.values()
    page = human_page(stored)
    assert set(page.ablation) == {"EntE", "OutE"}
    assert page.ablation["EntE"]["rouge1"] is not None
    assert page.correlations["rouge1"].partial is None  # one system: nothing to control for
    assert msgspec.to_builtins(page.confusions) == [
        {
            "system": "s",
            "classes": ["rising", "falling"],
            "cells": [{"row": 0, "column": 1, "n": 2, "wrong": 1}, {"row": 1, "column": 0, "n": 1, "wrong": 0}],
        }
    ]
    assert any("two systems" in warning for warning in page.warnings)


def test_dataset_without_judgements_is_refused(sample: Path) -> None:
    with pytest.raises(AssayError, match="no human judgements"):
        Queries([sample]).correlation("places")


def test_scored_choices_give_confusion_matrices(tmp_path: Path) -> None:
    """What `assay system choose` writes and `assay score --save` keeps, without any judgement."""
    examples = [
        {
            "id": str(k),
            "input": {"kind": "choice", "prefix": "the board", "positive": "raised", "negative": "lowered",
                      "positive_class": 1, "negative_class": 0},
            "tags": {"evaluation": "act"},
        }
        for k in range(3)
    ]  # fmt: skip
    outputs = [
        {"id": str(k), "output": f"{score}\traised\n-2.0\tlowered"} for k, score in enumerate(("-1.0", "-3.0", "-1.5"))
    ]
    assay.score(outputs, examples=examples, metrics="eq_accuracy", save=tmp_path / "run", system="s")
    queries = Queries([tmp_path / "run"])
    (name,) = queries.overview_page.judged
    page = queries.correlation(name)
    assert page.criteria == []
    assert msgspec.to_builtins(page.confusions) == [
        {
            "system": "s, act",
            "classes": ["1 · raised", "0 · lowered"],
            "cells": [{"row": 0, "column": 1, "n": 3, "wrong": 1}],
        }
    ]
