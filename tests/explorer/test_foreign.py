"""Results of other tools: read by content, with their direction, intervals and signatures, and refused in one line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.explorer.overview import Overview, overview_of
from assay.store.library import open_results

HARNESS = {
    "results": {
        "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": 0.01, "acc_norm,none": float("nan")},
        "wiki": {"word_perplexity,none": 12.5, "word_perplexity_stderr,none": "N/A", "f1,strict": 0.25},
    },
    "configs": {"arc": {}, "wiki": {}},
    "versions": {"arc": 1.0, "wiki": 2.0},
    "n-shot": {"arc": 5, "wiki": 0},
    "higher_is_better": {"arc": {"acc": True, "acc_norm": True}, "wiki": {"f1": True}},
    "n-samples": {"arc": {"original": 1172, "effective": 100}},
    "config": {"model": "hf", "model_args": "pretrained=tiny"},
    "model_name": "tiny",
}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "arithmetic", "model": "mock/small", "packages": {"inspect_ai": "0.3.1"}},
    "results": {
        "total_samples": 20,
        "completed_samples": 19,
        "scores": [
            {"name": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.6}, "stderr": {"value": 0.1}}}
        ],
    },
}
EVERY = {
    "schema_version": "0.2.1",
    "evaluation_id": "a/b/1",
    "retrieved_timestamp": "1",
    "source_metadata": {},
    "model_info": {"name": "small", "id": "org/small", "developer": "org"},
    "eval_library": {"name": "helm", "version": "0.5"},
    "evaluation_results": [
        {
            "evaluation_name": "toxicity",
            "source_data": {"dataset_name": "prompts"},
            "metric_config": {"lower_is_better": True},
            "score_details": {
                "score": 0.0,
                "uncertainty": {"confidence_interval": {"lower": 0.0, "upper": 0.1}, "num_samples": 50},
            },
        }
    ],
}


def opened(path: Path, value: Any = None) -> Overview:
    if value is not None:
        path.write_text(json.dumps(value), encoding="utf-8")
    return overview_of(open_results([path]))


def test_lm_evaluation_harness_results_are_read(tmp_path: Path) -> None:
    overview = opened(tmp_path / "results_x.json", HARNESS)
    arc, wiki = overview.runs
    assert (arc.system, arc.dataset, arc.n) == ("tiny", "arc", 100)
    assert arc.scores["acc"].value == 0.5
    assert arc.scores["acc"].high == pytest.approx(0.5196, abs=1e-4)
    assert "shots:5" in arc.scores["acc"].signature
    assert arc.scores["acc_norm"].value is None
    assert "nan" in str(arc.scores["acc_norm"].why)
    assert overview.axes["acc"].part.better == "higher"
    assert overview.axes["word_perplexity"].part.better == "lower"
    assert wiki.scores["word_perplexity"].low is None
    assert wiki.scores["f1:strict"].value == 0.25


@pytest.mark.parametrize("packed", [False, True])
def test_inspect_logs_are_read(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("log.eval" if packed else "log.json")
    if packed:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps(INSPECT))
            archive.writestr("samples/1.json", "{}")
        path.write_bytes(stream.getvalue())
    overview = opened(path, None if packed else INSPECT)
    (line,) = overview.runs
    assert (line.system, line.dataset, line.n) == ("mock/small", "arithmetic", 19)
    assert line.scores["accuracy"].value == 0.6
    assert line.scores["accuracy"].low == pytest.approx(0.404, abs=1e-3)


def test_inspect_log_without_results_has_a_reason(tmp_path: Path) -> None:
    overview = opened(tmp_path / "log.json", {"status": "error", "eval": INSPECT["eval"]})
    assert "has status error" in str(overview.runs[0].scores["accuracy"].why)


def test_every_eval_ever_records_are_read(tmp_path: Path) -> None:
    overview = opened(tmp_path / "x.json", EVERY)
    (line,) = overview.runs
    score = line.scores["toxicity"]
    assert (line.system, line.dataset, line.n) == ("small", "prompts", 50)
    assert (score.value, score.low, score.high) == (0.0, 0.0, 0.1)  # a true zero
    assert overview.axes["toxicity"].part.better == "lower"


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [["bleu"], ["bleu", "chrf"]])
def test_sacrebleu_output_is_read(tmp_path: Path, metrics: list[str]) -> None:
    """The real program's output, not our idea of it."""
    (tmp_path / "ref").write_text("the cat sat on the mat\na dog\n", encoding="utf-8")
    (tmp_path / "out").write_text("the cat sat on a mat\na dog\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "sacrebleu",
        "ref",
        "-i",
        "out",
        "-m",
        *metrics,
        "--confidence",
        "--confidence-n",
        "50",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (tmp_path / "mine.json").write_text(done.stdout, encoding="utf-8")
    (line,) = opened(tmp_path / "mine.json").runs
    printed = json.loads(done.stdout)
    first = printed[0] if isinstance(printed, list) else printed
    assert line.system == "mine"
    assert line.scores["bleu"].value == first["score"]
    assert set(line.scores) == set(metrics)
    assert first["signature"] in line.scores["bleu"].signature
    assert line.scores["bleu"].low is not None


def test_sacrebleu_output_of_several_systems_is_read(tmp_path: Path) -> None:
    value = [
        {"system": "Baseline: a", "BLEU": {"score": 30.0, "p_value": None, "mean": 30.1, "ci": 1.5}},
        {"system": "b", "BLEU": {"score": 31.0, "p_value": 0.04, "mean": 31.0, "ci": 1.4}},
    ]
    overview = opened(tmp_path / "wmt.json", value)
    assert [line.system for line in overview.runs] == ["a", "b"]
    assert overview.runs[0].scores["bleu"].low == pytest.approx(28.6)


def test_folder_with_several_formats_is_read(tmp_path: Path) -> None:
    for name, value in {"a": HARNESS, "b": INSPECT, "c": EVERY, "d": {"x": 1}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    (tmp_path / "e.json").write_text('{"submission_name": "s", "x_test": {"bleu":', encoding="utf-8")
    overview = opened(tmp_path)
    assert len(overview.runs) == 4
    assert any("d.json" in problem for problem in overview.problems)
    assert any("e.json" in problem and "not JSON" in problem for problem in overview.problems)


def test_systems_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(EVERY), encoding="utf-8")
    assert [line.system for line in opened(tmp_path).runs] == ["small", "small (2)"]


BROKEN = [
    b"",
    b"[]",
    b"3",
    b"PK\x03\x04broken",
    b'{"results": {"a": 3}, "configs": {}}',
    b'{"eval": {"task": "t"}, "results": {"scores": 3}}',
]


@pytest.mark.parametrize("content", BROKEN)
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(AssayError) as error:
        open_results([tmp_path / "x.json"])
    assert "\n" not in str(error.value)


def test_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "outside.json").write_text(json.dumps(EVERY), encoding="utf-8")
    (tmp_path / "results" / "a.json").write_text(json.dumps(INSPECT), encoding="utf-8")
    (tmp_path / "results" / "b.json").symlink_to(tmp_path / "outside.json")
    overview = opened(tmp_path / "results")
    assert [line.system for line in overview.runs] == ["mock/small"]
    assert any("points outside" in problem for problem in overview.problems)
