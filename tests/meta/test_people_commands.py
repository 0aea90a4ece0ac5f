"""assay correlate, agreement, power and reproduce as a person calls them: JSON shape, tables, exit codes, reasons."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Here = Callable[..., Any]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Human scores of three systems with an error column, and a good, a flat and a partly missing metric."""
    rng = np.random.default_rng(0)
    human, scores = [], []
    for i in range(40):
        for system, level in (("a", 0.2), ("b", 0.5), ("c", 0.8)):
            wrong = float(rng.random() < 0.15)
            value = float(np.clip(level + rng.normal(0, 0.1), 0, 1 - wrong))
            key = {"id": f"i{i}", "system": system}
            human.append({**key, "Factuality": value, "Bad": min(wrong, 1 - value), "part": "x" if i % 2 else "y"})
            scores.append(
                {
                    **key,
                    "good": value + rng.normal(0, 0.1),
                    "flat": 1.0,
                    "holes": None if i < 4 else float(rng.normal()),
                }
            )
    return write(tmp_path / "human.jsonl", human), write(tmp_path / "scores.jsonl", scores)


@pytest.fixture
def judgements(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = [
        {
            "id": f"i{i}",
            "system": s,
            "annotator": r,
            "criterion": "q",
            "value": int(np.clip(round(v + rng.normal(0, 0.8)), 1, 5)),
        }
        for i in range(25)
        for s, v in (("a", 4), ("b", 2.5))
        for r in ("r1", "r2", "r3")
    ]
    return write(tmp_path / "judgements.jsonl", rows)


def test_correlate_json_has_the_promised_shape(here: Here, files: tuple[Path, Path]) -> None:
    human, scores = files
    options = ["--control", "system", "--ablate", "Bad", "--williams", "--by", "part", "--ci", "50", "--json"]
    call = here("correlate", "--human", human, "--scores", scores, *options)
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
    call = here("correlate", "--human", human, "--scores", scores, *options)
    assert call.code == 0
    assert mark in call.out
    assert "rests on" in call.out
    assert "flat, pearson: the metric 'flat' is constant" in " ".join(call.err.split())


def test_correlate_says_what_is_wrong(here: Here, files: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = files
    both = ["--human", human, "--scores", scores]
    for arguments, code, why in (
        ([*both, "--column", "nope"], 1, "no column 'nope'"),
        ([*both, "--control", "nope"], 1, "no column 'nope' for --control"),
        ([*both, "--method", "cosine"], 2, "no method 'cosine'"),
        ([*both, "--ablate", "nope"], 1, "no column 'nope'"),
        (["--human", human, "--scores", tmp_path / "gone.json"], 1, "gone.json"),
        (["--human", human], 2, "--scores"),
    ):
        call = here("correlate", *arguments)
        assert call.code == code, why
        assert why in call.err
        assert "Traceback" not in call.err


def test_correlate_without_a_single_number_is_an_error(here: Here, tmp_path: Path) -> None:
    human = write(tmp_path / "h.jsonl", [{"id": str(i), "h": i % 3, "g": f"g{i}", "k": i % 2} for i in range(8)])
    flat = write(tmp_path / "flat.jsonl", [{"id": str(i), "m": 1} for i in range(8)])
    one = write(tmp_path / "one.jsonl", [{"id": str(i), "m": i} for i in range(8)])
    call = here("correlate", "--human", human, "--scores", flat, "--column", "h")
    assert call.code == 1
    assert "m: the metric 'm' is constant" in call.err
    call = here("correlate", "--human", human, "--scores", one, "--column", "h", "--control", "g", "--json")
    assert call.code == 1
    assert "once g is held constant" in call.err
    call = here("correlate", "--human", human, "--scores", one, "--column", "h", "--by", "k", "--williams", "--json")
    assert call.code == 0
    assert set(call.json["by"]) == {"0", "1"}
    assert any("at least two metrics" in note for note in call.json["warnings"])


def test_correlate_refuses_other_items_unless_allowed(here: Here, files: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = files
    few = tmp_path / "few.jsonl"
    few.write_text("".join(scores.read_text().splitlines(keepends=True)[:60]))
    call = here("correlate", "--human", human, "--scores", few)
    assert call.code == 1
    assert "lacks 60 of the 120 items" in call.err
    call = here("correlate", "--human", human, "--scores", few, "--allow-missing", "--json")
    assert call.code == 0
    assert call.json["n"] == 60


def test_frank_from_the_command(here: Here, shared_data: Callable[[str], Path]) -> None:
    human, scores = (
        shared_data(f"frank/{n}.json") for n in ("human_annotations", "baseline_factuality_metrics_outputs")
    )
    options = ["--control", "model_name", "--ablate", "Semantic_Frame_Errors,OutE", "--williams", "--json"]
    report = here("correlate", "--human", human, "--scores", scores, *options).json
    assert report["n"] == 2246
    assert report["metrics"]["FactCC"]["pearson"]["r"] == pytest.approx(0.203923, abs=5e-7)
    assert report["metrics"]["FEQA"]["pearson"]["p"] == pytest.approx(0.830, abs=5e-4)
    assert report["williams"]["BertScore P Art"]["FactCC"] == pytest.approx(0.00307, abs=5e-6)
    assert report["metric_correlation"]["BertScore P Art"]["FactCC"] == pytest.approx(0.26907, abs=5e-6)
    assert report["ablation"]["Semantic_Frame_Errors"]["FactCC"] == pytest.approx(0.1706, abs=5e-5)
    assert report["ablation"]["OutE"]["BertScore P Art"] == pytest.approx(0.2049, abs=5e-5)


def test_judgements_and_one_score_file_a_system(here: Here, judgements: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    level = {"a": 4.0, "b": 2.5}
    paths = [
        write(
            tmp_path / f"{system}.scores.jsonl", [{"id": f"i{i}", "m": level[system] + rng.normal()} for i in range(25)]
        )
        for system in level
    ]
    call = here("correlate", "--human", judgements, "--scores", paths[0], "--scores", paths[1], "--json")
    assert call.code == 0
    assert (call.json["n"], call.json["human"]) == (50, "q")
    assert call.json["metrics"]["m"]["pearson"]["r"] > 0.2


def test_agreement(here: Here, judgements: Path) -> None:
    call = here("agreement", judgements, "--ci", "50", "--rank", "--json")
    assert call.code == 0
    report = call.json
    for name in ("percent", "majority", "fleiss", "cohen", "cohen_linear", "cohen_quadratic"):
        assert report[name]["low"] <= report[name]["value"] <= report[name]["high"]
    assert set(report["krippendorff"]) == {"nominal", "ordinal", "interval"}
    assert report["criteria"]["q"]["krippendorff"] == report["krippendorff"]
    assert [row["system"] for row in report["ranking"]] == ["a", "b"]
    options = ["--compare", "wilcoxon", "--unit", "judgement", "--json"]
    (pair,) = here("agreement", judgements, "--ci", "50", *options).json["pairs"]
    assert (pair["a"], pair["b"], pair["p"] < 0.05) == ("a", "b", True)
    text = here("agreement", judgements, "--ci", "50", "--preset", "3", "--rank", "--compare", "sign")
    assert "sign test, exact binomial" in text.out
    assert "alpha-ordinal" in text.out
    assert "rank 95 %" in text.out


def test_agreement_with_traps(here: Here, judgements: Path, tmp_path: Path) -> None:
    traps = write(tmp_path / "traps.jsonl", [{"id": "i0", "value": 5}])
    report = here("agreement", judgements, "--ci", "50", "--traps", traps, "--json").json
    assert report["items"] == 48
    assert report["profiles"]["r1"]["traps"] == 2
    bad = write(tmp_path / "bad.jsonl", [{"id": "i0"}])
    call = here("agreement", judgements, "--traps", bad)
    assert call.code == 1
    assert "line 1: a trap needs id and value" in call.err


def test_agreement_needs_two_annotators(here: Here, judgements: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    alone.write_text("".join(line for line in judgements.read_text().splitlines(keepends=True) if '"r1"' in line))
    call = here("agreement", alone)
    assert call.code == 1
    assert "at least two annotators; there is only r1" in call.err
    call = here("agreement", judgements, "--criterion", "nope")
    assert call.code == 1
    assert "there are: q" in call.err


def test_power(here: Here, judgements: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    a = write(tmp_path / "a.jsonl", [{"id": str(i), "m": 0.5} for i in range(60)])
    b = write(tmp_path / "b.jsonl", [{"id": str(i), "m": 0.5 + float(rng.normal(0.05, 0.2))} for i in range(60)])
    report = here("power", a, b, "--effect", "0.02", "--json").json
    assert report["metrics"]["m"]["more_items"] == report["metrics"]["m"]["items_needed"] - 60
    assert here("power", "--sd", "2", "--effect", "1", "--json").json["items_needed"] == 34
    assert here("power", "--sd", "2", "--items", "34", "--json").json["detectable"] == pytest.approx(0.99, abs=0.01)
    assert here("power", "--correlation", "0.3", "--json").json["items_needed"] == 85
    call = here("power", "--judgements", judgements, "--systems", "a,b", "--criterion", "q", "--effect", "0.5")
    assert "judgements per item" in call.out
    for arguments, code in (([], 2), ([a], 2), (["--judgements", judgements], 2), (["--sd", "0", "--effect", "1"], 1)):
        assert here("power", *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--sd", "1", "--effect", "nan"], "--effect: nan is not a finite number"),
        (["--sd", "1", "--effect", "inf"], "--effect: inf is not a finite number"),
        (["--sd", "inf", "--items", "9"], "--sd: inf is not a finite number"),
        (["--correlation", "nan"], "--correlation: nan is not a finite number"),
        (["--correlation", ".3", "--against", "nan"], "--against: nan is not a finite number"),
        (["--sd", "1", "--correlation", ".3"], "--correlation and --sd are two questions"),
        (["--correlation", ".3", "--effect", "1"], "--effect means nothing with --correlation"),
        (["FILES", "--sd", "1"], "two files and --sd are two questions"),
        (["FILES", "--items", "9"], "--items means nothing with two files; it goes with --sd"),
        (["FILES", "--effect", "nan"], "--effect: nan is not a finite number"),
    ],
)
def test_power_refuses_what_it_would_ignore(
    here: Here, files: tuple[Path, Path], arguments: list[str], why: str
) -> None:
    given = [*files, *arguments[1:]] if arguments[0] == "FILES" else arguments
    call = here("power", *given)
    assert (call.code, why in call.err) == (2, True), call.err


def test_reproduce(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    data = shared_data("narrative").parent
    report = here("reproduce", "narrative", "--data", data, "--json").json
    assert set(report["rows"][0]) == {"table", "row", "column", "published", "computed", "match", "note"}
    text = here("reproduce", "narrative", "--data", data, "--format", "markdown")
    assert "24 agree, 0 differ" in text.out
    for arguments, code, why in (
        (["nope", "--data", data], 2, "no reproduction 'nope'"),
        (["frank", "--data", tmp_path], 1, "not found"),
        (["--data", tmp_path / "gone"], 1, "no such folder"),
        (["--data", tmp_path], 1, "nothing to reproduce"),
    ):
        call = here("reproduce", *arguments)
        assert call.code == code
        assert why in call.err


def test_scoreboard_lists_what_is_missing(here: Here, shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "narrative").symlink_to(shared_data("narrative"))
    call = here("reproduce", "--data", tmp_path)
    assert call.code == 0
    assert "narrative: Best p" in call.out
    assert "frank skipped" in call.err
    report = here("reproduce", "--data", tmp_path, "--json").json
    assert {entry["name"] for entry in report["skipped"]} == {"frank", "eks", "e2e", "webnlg"}


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_figures(here: Here, files: tuple[Path, Path], judgements: Path, tmp_path: Path, form: str) -> None:
    pytest.importorskip("matplotlib")
    human, scores = files
    folder = tmp_path / "figures"
    drawn = ["--plots", folder, "--figure-format", form]
    options = ["--control", "system", "--ablate", "Bad", "--williams"]
    assert here("correlate", "--human", human, "--scores", scores, *options, *drawn).code == 0
    assert here("agreement", judgements, "--ci", "50", "--rank", *drawn).code == 0
    assert here("power", "--sd", "2", "--effect", "1", *drawn).code == 0
    names = {path.name for path in folder.iterdir()}
    wanted = ("scatter-good", "scatter-flat", "ablation", "metric-correlation", "ratings-q", "ranks-q", "power")
    assert names == {f"{name}.{form}" for name in (*wanted, "scatter-holes")}
    assert all(path.stat().st_size > 1000 for path in folder.iterdir())
