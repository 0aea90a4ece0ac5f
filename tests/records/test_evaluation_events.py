"""Scores as OpenTelemetry events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import Call, write_jsonl

TRACE = "0af7651916cd43dd8448eb211c80319c"


def events(path: Path) -> list[dict[str, Any]]:
    (resource,) = json.loads(path.read_text("utf-8"))["resourceLogs"]
    (scope,) = resource["scopeLogs"]
    assert scope["scope"]["name"] == "assay"
    records: list[dict[str, Any]] = scope["logRecords"]
    assert {record["eventName"] for record in records} == {"gen_ai.evaluation.result"}
    return records


def values(record: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in record["attributes"]}


def test_scores_of_items_keep_their_trace(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = [{"id": id, "output": "a calm harbour", "system": "m"} for id in (TRACE, "other")]
    path = tmp_path / "scores.otlp.json"
    references = write_jsonl(
        tmp_path / "r.jsonl", [{"id": id, "references": ["a calm sea"]} for id in (TRACE, "other")]
    )
    done = here(
        "score", str(write_jsonl(tmp_path / "o.jsonl", outputs)), "-r", str(references), "-m", "rouge1",
        "--per-example", str(path),
    )  # fmt: skip
    assert done.code == 0, done.err
    found = [record for record in events(path) if values(record)["gen_ai.evaluation.name"] == "rouge1"]
    assert [record.get("traceId") for record in found] == [TRACE, None]
    assert [values(record).get("gen_ai.response.id") for record in found] == [None, "other"]
    assert all(abs(values(record)["gen_ai.evaluation.score.value"] - 2 / 3) < 1e-12 for record in found)


def test_verdicts_of_sentences_have_label_and_reason(here: Callable[..., Call], tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": "Sales were 7 million. Thanks!", "system": "m"}])
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": "1", "source": "Sales were 4 million.", "language": "en"}])
    path = tmp_path / "support.otlp.json"
    assert here("support", str(outputs), "-e", str(examples), "-o", str(path)).code == 0
    wrong, thanks = map(values, events(path))
    assert wrong["gen_ai.evaluation.score.label"] == "contradicted"
    assert wrong["gen_ai.evaluation.explanation"].startswith("number or unit differs")
    assert (wrong["assay.sentence.start"], wrong["assay.sentence.end"]) == ("0", "21")
    assert thanks["gen_ai.evaluation.score.label"] == "not_checkable"
    assert "gen_ai.evaluation.score.value" not in thanks
