"""`assay metric correlate`: JSON shape, tables, exit codes, reasons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import write_jsonl

Here = Callable[..., Any]


def test_correlate_json_has_the_promised_shape(here: Here, files: tuple[Path, Path]) -> None:
    human, scores = files
    options = ["--control", "system", "--ablate", "Bad", "--williams", "--by", "part", "--ci", "50", "--json"]
    call = here("metric", "correlate", "--human", human, "--scores", scores, *options)
    assert call.code == 0
    report = call.json
    assert report["n"] == 120
    assert set(report["metrics"]) == {"good", "flat", "holes"}
    for method in ("pearson", "spearman"):
        assert {"r", "p", "n", "low", "high", "raw"} <= set(report["metrics"]["good"][method])
        assert report["metrics"]["flat"][method]["r"] is None
        assert "constant" in report["metrics"]["flat"][method]["why"]
    assert report["williams"]["good"]["holes"] == report["williams"]["holes"]["good"]
    assert report["williams"]["good"]["flat"] is None
    assert set(report["ablation"]["Bad"]) == {"good", "flat", "holes"}
    assert report["metric_correlation"]["good"]["holes"] == pytest.approx(report["metric_correlation"]["holes"]["good"])
    assert set(report["by"]) == {"x", "y"}
    assert any("holes: 12 of 120 scores are missing" in note for note in report["warnings"])


@pytest.mark.parametrize(
    ("form", "mark"), [("text", "partial pearson"), ("markdown", "|:--|"), ("latex", r"\bottomrule")]
)
def test_correlate_tables(here: Here, files: tuple[Path, Path], form: str, mark: str) -> None:
    human, scores = files
    options = [
        "--control",
        "system",
        "--williams",
        "--positive",
        "0.6",
        "--pairwise",
        "--ablate",
        "Bad",
        "--format",
        form,
    ]
    call = here("metric", "correlate", "--human", human, "--scores", scores, *options)
    assert call.code == 0
    assert mark in call.out
    assert "depends on" in call.out
    assert "flat, pearson: the metric 'flat' is constant" in " ".join(call.err.split())


def test_correlate_says_what_is_wrong(here: Here, files: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = files
    both = ["--human", human, "--scores", scores]
    for arguments, code, why in (
        ([*both, "--column", "nope"], 1, "The human file has no column 'nope'"),
        ([*both, "--control", "nope"], 1, "--control nope: no such column"),
        ([*both, "--method", "cosine"], 2, "--method cosine: unknown method"),
        ([*both, "--ablate", "nope"], 1, "no numeric column 'nope'"),
        (["--human", human, "--scores", tmp_path / "gone.json"], 1, "gone.json"),
        (["--human", human], 2, "--scores"),
    ):
        call = here("metric", "correlate", *arguments)
        assert call.code == code, why
        assert why in call.err
        assert "Traceback" not in call.err


def test_correlate_without_a_single_number_is_an_error(here: Here, tmp_path: Path) -> None:
    human = write_jsonl(tmp_path / "h.jsonl", [{"id": str(i), "h": i % 3, "g": f"g{i}", "k": i % 2} for i in range(8)])
    flat = write_jsonl(tmp_path / "flat.jsonl", [{"id": str(i), "m": 1} for i in range(8)])
    one = write_jsonl(tmp_path / "one.jsonl", [{"id": str(i), "m": i} for i in range(8)])
    call = here("metric", "correlate", "--human", human, "--scores", flat, "--column", "h")
    assert call.code == 1
    assert "m: the metric 'm' is constant" in call.err
    call = here("metric", "correlate", "--human", human, "--scores", one, "--column", "h", "--control", "g", "--json")
    assert call.code == 1
    assert "with g held constant" in call.err
    call = here(
        "metric", "correlate", "--human", human, "--scores", one, "--column", "h", "--by", "k", "--williams", "--json"
    )
    assert call.code == 0
    assert set(call.json["by"]) == {"0", "1"}
    assert any("at least two metrics" in note for note in call.json["warnings"])


def test_correlate_refuses_other_items_unless_allowed(here: Here, files: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = files
    few = tmp_path / "few.jsonl"
    few.write_text("".join(scores.read_text().splitlines(keepends=True)[:60]))
    call = here("metric", "correlate", "--human", human, "--scores", few)
    assert call.code == 1
    assert "60 of the 120 items of" in call.err
    call = here("metric", "correlate", "--human", human, "--scores", few, "--allow-missing", "--json")
    assert call.code == 0
    assert call.json["n"] == 60


def test_frank_from_the_command(here: Here, shared_data: Callable[[str], Path]) -> None:
    human, scores = (
        shared_data(f"frank/{n}.json") for n in ("human_annotations", "baseline_factuality_metrics_outputs")
    )
    options = [
        "--control",
        "model_name",
        "--ablate",
        "Semantic_Frame_Errors,OutE",
        "--williams",
        "--classical",
        "--json",
    ]
    report = here("metric", "correlate", "--human", human, "--scores", scores, *options).json
    assert report["n"] == 2246
    assert report["metrics"]["FactCC"]["pearson"]["r"] == pytest.approx(0.203923, abs=5e-7)
    assert report["metrics"]["FEQA"]["pearson"]["p"] == pytest.approx(0.830, abs=5e-4)
    assert report["williams"]["BertScore P Art"]["FactCC"] == pytest.approx(0.00623, abs=5e-6)
    assert report["williams_adjusted"]["BertScore P Art"]["FactCC"] > 0.05
    options = ["--control", "model_name", "--method", "pearson", "--williams", "frank", "--json"]
    printed = here("metric", "correlate", "--human", human, "--scores", scores, *options).json
    assert printed["williams"]["BertScore P Art"]["FactCC"] == pytest.approx(0.00307, abs=5e-6)
    assert report["metric_correlation"]["BertScore P Art"]["FactCC"] == pytest.approx(0.26907, abs=5e-6)
    assert report["ablation"]["Semantic_Frame_Errors"]["FactCC"] == pytest.approx(0.1706, abs=5e-5)
    assert report["ablation"]["OutE"]["BertScore P Art"] == pytest.approx(0.2049, abs=5e-5)


def test_judgements_and_one_score_file_a_system(here: Here, judgements: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    level = {"a": 4.0, "b": 2.5}
    paths = [
        write_jsonl(
            tmp_path / f"{system}.scores.jsonl", [{"id": f"i{i}", "m": level[system] + rng.normal()} for i in range(25)]
        )
        for system in level
    ]
    call = here("metric", "correlate", "--human", judgements, "--scores", paths[0], "--scores", paths[1], "--json")
    assert call.code == 0
    assert (call.json["n"], call.json["human"]) == (50, "q")
    assert call.json["metrics"]["m"]["pearson"]["r"] > 0.2


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_figures(here: Here, files: tuple[Path, Path], judgements: Path, tmp_path: Path, form: str) -> None:
    pytest.importorskip("matplotlib")
    human, scores = files
    folder = tmp_path / "figures"
    drawn = ["--plots", folder, "--figure-format", form]
    options = ["--control", "system", "--ablate", "Bad", "--williams", "--by", "part", "--ci", "50"]
    assert here("metric", "correlate", "--human", human, "--scores", scores, *options, *drawn).code == 0
    assert here("analyze", "agreement", judgements, "--ci", "50", "--rank", *drawn).code == 0
    assert here("analyze", "power", "--sd", "2", "--effect", "1", *drawn).code == 0
    names = {path.name for path in folder.iterdir()}
    wanted = (
        "scatter-good",
        "scatter-flat",
        "ablation",
        "metric-correlation",
        "by-part",
        "ratings-q",
        "ranks-q",
        "power",
    )
    assert names == {f"{name}.{form}" for name in (*wanted, "scatter-holes")}
    assert all(path.stat().st_size > 1000 for path in folder.iterdir())


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize(
    "words",
    [
        ["metric", "correlate", "--human", "EMPTY.jsonl", "--scores", "EMPTY.jsonl"],
        ["metric", "correlate", "--human", "EMPTY.csv", "--scores", "EMPTY.csv"],
        ["score", "EMPTY.txt", "-r", "EMPTY.txt"],
        ["score", "EMPTY.tsv", "-e", "EMPTY.jsonl"],
        ["analyze", "agreement", "EMPTY.csv"],
        ["judge", "validate", "EMPTY.jsonl"],
        ["benchmark", "validate", "EMPTY.json"],
        ["benchmark", "card", "check", "EMPTY.md"],
        ["study", "lint", "EMPTY.toml"],
        ["challenge", "make", "scramble", "EMPTY.jsonl", "-o", "out.jsonl"],
        ["data", "overlap", "EMPTY.jsonl", "EMPTY.jsonl"],
    ],
    ids=" ".join,
)
def test_files_with_nothing_but_a_byte_order_mark(here: Here, tmp_path: Path, words: list[str], content: bytes) -> None:
    given = []
    for word in words:
        if word.startswith("EMPTY"):
            (tmp_path / word).write_bytes(content)
        given.append(str(tmp_path / word) if word.startswith(("EMPTY", "out")) else word)
    call = here(*given)
    assert call.code in (0, 1, 2)
    assert "internal error" not in call.err
    assert "Traceback" not in call.err
