"""`assay analyze agreement`: coefficients, traps, and who is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_jsonl

Here = Callable[..., Any]


def test_agreement(here: Here, judgements: Path) -> None:
    call = here("analyze", "agreement", judgements, "--ci", "50", "--rank", "--json")
    assert call.code == 0
    report = call.json
    for name in ("percent", "majority", "fleiss", "cohen", "cohen_linear", "cohen_quadratic"):
        assert report[name]["low"] <= report[name]["value"] <= report[name]["high"]
    assert set(report["krippendorff"]) == {"nominal", "ordinal", "interval"}
    assert set(report["icc"]) == {"1", "2", "3", "1k", "2k", "3k"}
    assert report["ac1"]["value"] < report["ac2_linear"]["value"] < report["ac2_quadratic"]["value"]
    assert report["criteria"]["q"]["krippendorff"] == report["krippendorff"]
    assert [row["system"] for row in report["ranking"]] == ["a", "b"]
    options = ["--compare", "wilcoxon", "--unit", "judgement", "--json"]
    (pair,) = here("analyze", "agreement", judgements, "--ci", "50", *options).json["pairs"]
    assert (pair["a"], pair["b"], pair["p"] < 0.05) == ("a", "b", True)
    text = here("analyze", "agreement", judgements, "--ci", "50", "--preset", "3", "--rank", "--compare", "sign")
    assert "sign test, exact binomial" in text.out
    assert "alpha-ordinal" in text.out
    assert "rank 95 %" in text.out


def test_intervals_over_annotators(here: Here, judgements: Path) -> None:
    widths = {}
    for over in ("item", "annotator", "both"):
        found = here("analyze", "agreement", judgements, "--ci", "50", "--resample", over, "--json").json[
            "krippendorff"
        ]["ordinal"]
        assert found["low"] < found["value"] < found["high"]
        widths[over] = found["high"] - found["low"]
    assert widths["both"] > max(widths["item"], widths["annotator"])
    assert "usage" in here("analyze", "agreement", judgements, "--resample", "people").err.lower()


def test_models_of_ratings(here: Here, judgements: Path, tmp_path: Path) -> None:
    for kind in ("linear", "ordinal"):
        found = here("analyze", "agreement", judgements, "--ci", "50", "--model", kind, "--json").json["model"]
        (pair,) = found["pairs"]
        assert (found["model"], pair["a"], pair["b"]) == (kind, "a", "b")
        assert 0 < pair["low"] < pair["difference"] < pair["high"]
        assert pair["p"] == pair["p_adjusted"] < 0.05
        assert sum(source["share"] for source in found["sources"]) == pytest.approx(1)
        assert [system["system"] for system in found["systems"]] == ["a", "b"]
    text = here("analyze", "agreement", judgements, "--ci", "50", "--model", "ordinal")
    assert "q · ordinal mixed model · differences" in text.out
    assert "fewer than 5 annotators" in text.err
    words = write_jsonl(
        tmp_path / "words.jsonl",
        [
            {"id": str(i), "system": "s", "annotator": who, "criterion": "q", "value": "yes" if i % 2 else "no"}
            for i in range(4)
            for who in "ab"
        ],
    )
    call = here("analyze", "agreement", words, "--model", "linear")
    assert (call.code, "'no' is not a number" in call.err) == (1, True)


def test_agreement_with_traps(here: Here, judgements: Path, tmp_path: Path) -> None:
    traps = write_jsonl(tmp_path / "traps.jsonl", [{"id": "i0", "value": 5}])
    report = here("analyze", "agreement", judgements, "--ci", "50", "--traps", traps, "--json").json
    assert report["items"] == 48
    assert report["profiles"]["r1"]["traps"] == 2
    bad = write_jsonl(tmp_path / "bad.jsonl", [{"id": "i0"}])
    call = here("analyze", "agreement", judgements, "--traps", bad)
    assert call.code == 1
    assert ":1: an attention check needs id and value" in call.err


def test_agreement_needs_two_annotators(here: Here, judgements: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    alone.write_text("".join(line for line in judgements.read_text().splitlines(keepends=True) if '"r1"' in line))
    call = here("analyze", "agreement", alone)
    assert call.code == 1
    assert "at least two annotators, there is only r1" in call.err
    call = here("analyze", "agreement", judgements, "--criterion", "nope")
    assert call.code == 1
    assert "Criteria: q" in call.err
