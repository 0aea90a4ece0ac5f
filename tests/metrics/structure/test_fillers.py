"""Template filler recall on the published summaries, by role."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.datasets import dataset
from assay.execution.loading import load_items
from assay.execution.request import choose as choose_metrics
from assay.execution.scoring import score_items
from assay.systems import system


def test_fillers_of_the_published_summaries(shared_data: Callable[[str], Path]) -> None:
    examples = list(dataset("mucsum").read(shared_data("eks/data/mucsum"), "test"))
    outputs = {example.id: example.references[0] for example in examples}
    result = score_items(load_items(outputs, examples=examples), choose_metrics("filler_recall", None))
    shown = {name: round(100 * value, 1) for name, value in result.values.items()}
    assert shown["filler_recall"] == 98.2
    assert [shown[f"filler_recall.{role}"] for role in ("perpind", "perporg", "target", "victim", "weapon")] == [
        98.3, 96.2, 100.0, 99.2, 94.2,
    ]  # fmt: skip
    lead = {answer.id: answer.text for answer in system("lead:mucsum").generate(examples)}
    result = score_items(load_items(lead, examples=examples), choose_metrics("filler_recall,rouge:stemmer=true", None))
    assert round(100 * result.values["filler_recall"], 1) == 51.3
    shown = {name: round(100 * result.values[name], 2) for name in ("rouge1", "rouge2", "rougeL")}
    assert shown == {"rouge1": 39.65, "rouge2": 22.95, "rougeL": 28.75}


@pytest.mark.parametrize(("setting", "recall"), [("temp_and_doc", 87.6), ("doc_only", 49.3)])
def test_fillers_of_published_outputs(shared_data: Callable[[str], Path], setting: str, recall: float) -> None:
    """The mean over the three runs of T5, as the table has it."""
    examples = list(dataset("mucsum").read(shared_data("eks/data/mucsum"), "test"))
    files = sorted(shared_data("eks/model_outputs").glob(f"t5-large/{setting}/*_preds.jsonl"))
    assert len(files) == 3
    values = []
    for file in files:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        outputs = {row["instance_id"]: row["prediction"] for row in rows}
        found = score_items(load_items(outputs, examples=examples), choose_metrics("filler_recall", None))
        values.append(100 * found.values["filler_recall"])
    assert sum(values) / 3 == pytest.approx(recall, abs=0.05)
