"""`assay analyze human-ceiling`: people with each other as references; symmetric where the metric is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rouge_score import rouge_scorer

from assay.meta.human_ceiling import human_ceiling
from assay.metrics import resolve
from tests.conftest import Call

Run = Callable[..., Call]
TEXTS = {
    "ann": {"1": "two boys burned a barn", "2": "a judge was shot", "3": "alone"},
    "ben": {"1": "boys burned the old barn", "2": "they shot a judge"},
    "cleo": {"1": "a barn burned down", "2": "gunmen shot a judge in lima"},
}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = []
    for name, texts in TEXTS.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"id": id, "output": text}) + "\n" for id, text in texts.items()))
        made.append(path)
    return made


def test_every_ordered_pair_as_rouge_score_has_it(here: Run, files: list[Path]) -> None:
    call = here("analyze", "human-ceiling", *files, "-m", "rouge:rouge_score:stemmer=true", "--json")
    assert call.code == 0, call.err
    assert call.json["n"] == 2  # the third item has one writer
    found = {(one["reference"], one["output"]): one["scores"] for one in call.json["pairs"]}
    assert len(found) == 6
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    for (reference, output), scores in found.items():
        for name in ("rouge1", "rougeL"):
            expected = sum(scorer.score(TEXTS[reference][i], TEXTS[output][i])[name].fmeasure for i in "12") / 2
            assert scores[name]["value"] == pytest.approx(expected)
            assert scores[name]["value"] == pytest.approx(found[output, reference][name]["value"])


def test_precision_and_recall_change_sides() -> None:
    made = human_ceiling({name: [texts["1"]] for name, texts in TEXTS.items()}, resolve("rouge"))
    found = {(one.reference, one.output): one.result.values for one in made}
    one, other = found["ann", "cleo"], found["cleo", "ann"]
    assert one["rouge1.precision"] == other["rouge1.recall"]


def test_table_and_errors(here: Run, files: list[Path], tmp_path: Path) -> None:
    text = here("analyze", "human-ceiling", *files, "-m", "rouge").out
    assert "2 items that all authors have" in text
    assert here("analyze", "human-ceiling", files[0]).code == 1
    assert "two files are called ann" in here("analyze", "human-ceiling", files[0], files[0]).err
    other = tmp_path / "dora.jsonl"
    other.write_text('{"id": "9", "output": "x"}\n')
    call = here("analyze", "human-ceiling", files[0], other)
    assert (call.code, "no common item" in call.err) == (1, True)
