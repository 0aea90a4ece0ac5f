"""`assay analyze power`: how small a difference can be seen, and which questions exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import write_jsonl

Here = Callable[..., Any]


def test_power(here: Here, judgements: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    a = write_jsonl(tmp_path / "a.jsonl", [{"id": str(i), "m": 0.5} for i in range(60)])
    b = write_jsonl(tmp_path / "b.jsonl", [{"id": str(i), "m": 0.5 + float(rng.normal(0.05, 0.2))} for i in range(60)])
    report = here("analyze", "power", a, b, "--effect", "0.02", "--json").json
    assert report["metrics"]["m"]["more_items"] == report["metrics"]["m"]["items_needed"] - 60
    assert here("analyze", "power", "--sd", "2", "--effect", "1", "--json").json["items_needed"] == 34
    assert here("analyze", "power", "--sd", "2", "--items", "34", "--json").json["detectable"] == pytest.approx(
        0.99, abs=0.01
    )
    assert here("analyze", "power", "--correlation", "0.3", "--json").json["items_needed"] == 85
    call = here(
        "analyze", "power", "--judgements", judgements, "--systems", "a,b", "--criterion", "q", "--effect", "0.5"
    )
    assert "judgements per item" in call.out
    for arguments, code in (([], 2), ([a], 2), (["--judgements", judgements], 2), (["--sd", "0", "--effect", "1"], 1)):
        assert here("analyze", "power", *arguments).code == code


def test_effects_by_metric_are_in_shown_points(here: Here, tmp_path: Path) -> None:
    """ROUGE stands in files from 0 to 1 and in tables from 0 to 100; another column is as it is."""
    rng = np.random.default_rng(3)
    files = [
        write_jsonl(
            tmp_path / f"{name}.jsonl",
            [{"id": str(i), "rouge1": float(rng.uniform(0.2, 0.6)), "own": float(rng.normal())} for i in range(50)],
        )
        for name in "ab"
    ]
    report = here("analyze", "power", *files, "--effect", "rouge1=2,own=2", "--json").json["metrics"]
    assert (report["rouge1"]["effect"], report["rouge1"]["scale"]) == (pytest.approx(0.02), 100)
    assert (report["own"]["effect"], report["own"]["scale"]) == (2, 1)
    assert report["own"]["effect_from"] == "asked for"
    part = here("analyze", "power", *files, "--effect", "rouge1=2")
    row = next(line for line in part.out.split("\n") if "rouge1" in line)
    assert "  2  " in row
    assert "*" in next(line for line in part.out.split("\n") if line.startswith("  own"))
    assert "optimistic" in part.out
    plain = here("analyze", "power", *files, "--effect", "0.02", "-m", "rouge1", "--json").json["metrics"]["rouge1"]
    assert plain == report["rouge1"]
    assert "optimistic" not in here("analyze", "power", *files, "--effect", "0.02", "-m", "rouge1").out
    call = here("analyze", "power", *files, "--effect", "bleu=2")
    assert (call.code, "--effect bleu: no such column" in call.err) == (1, True)


def test_what_to_buy_next(here: Here, tmp_path: Path) -> None:
    """Runs that differ more than items do: money is better spent on runs."""
    rng = np.random.default_rng(4)
    files: dict[str, list[Path]] = {"a": [], "b": []}
    for name, runs in files.items():
        item = rng.normal(0, 0.1, 60)
        for run in range(3):
            level = rng.normal(0, 1)
            rows = [{"id": str(i), "m": float(item[i] + level + rng.normal(0, 0.1))} for i in range(60)]
            runs.append(write_jsonl(tmp_path / f"{name}{run}.jsonl", rows))
    versus = [word for path in files["b"] for word in ("--versus", path)]
    sources = here("analyze", "power", *files["a"], *versus, "--effect", "0.5", "--json").json["metrics"]["m"][
        "sources"
    ]
    assert sources["share_sources"] > 0.9
    names = {each["name"]: each for each in sources["outlooks"]}
    assert names["twice the sources"]["visible"] < 0.8 * names["twice the items"]["visible"]
    assert names["twice the sources"]["error"] < names["twice the items"]["error"] < names["now"]["error"]
    bought = here(
        "analyze", "power", *files["a"], *versus, "--budget", "100", "--cost", "item=1,run=20", "--effect", "1"
    )
    assert "all for runs" in bought.out
    assert "best allocation" in bought.out
    paired = here("analyze", "power", *files["a"], *versus, "--runs", "paired", "--json").json["metrics"]["m"][
        "sources"
    ]
    assert paired["plan"] == {"items": 60, "sources": 3, "each": 3}
    call = here("analyze", "power", *files["a"], *versus[:2])
    assert (call.code, "A has 3 runs and B has 1" in call.err) == (1, True)
    call = here("analyze", "power", *files["a"], *versus, "--budget", "9", "--cost", "annotator=3")
    assert (call.code, "Use item, run" in call.err) == (1, True)


def test_a_study_with_a_budget(here: Here, judgements: Path) -> None:
    given = [
        "analyze",
        "power",
        "--judgements",
        judgements,
        "--systems",
        "a,b",
        "--criterion",
        "q",
        "--effect",
        "q=0.5",
    ]
    report = here(*given, "--budget", "60", "--cost", "item=1,annotator=10,judgement=0.2", "--json").json
    assert report["sources"]["plan"] == {"items": 25, "sources": 3, "each": 3}
    outlooks = {each["name"]: each for each in report["sources"]["outlooks"]}
    assert outlooks["best"]["cost"] <= 60
    assert outlooks["best"]["visible"] <= outlooks["items"]["visible"] < outlooks["now"]["visible"]
    assert "variance components" in here(*given).out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--sd", "1", "--effect", "nan"], "--effect: nan is not a finite number"),
        (["--sd", "1", "--effect", "inf"], "--effect: inf is not a finite number"),
        (["--sd", "inf", "--items", "9"], "--sd: inf is not a finite number"),
        (["--correlation", "nan"], "--correlation: nan is not a finite number"),
        (["--correlation", ".3", "--against", "nan"], "--against: nan is not a finite number"),
        (["--sd", "1", "--correlation", ".3"], "--correlation and --sd exclude each other"),
        (["--correlation", ".3", "--effect", "1"], "--effect does not apply to --correlation"),
        (["FILES", "--sd", "1"], "two files and --sd exclude each other"),
        (["FILES", "--items", "9"], "--items does not apply to two files; it requires two systems or --sd"),
        (["FILES", "--effect", "nan"], "--effect: nan is not a finite number"),
        (["FILES", "--effect", "much"], "--effect: 'much' is neither a number nor NAME=NUMBER"),
        (["FILES", "--effect", "a=much"], "--effect: 'a=much' is not NAME=NUMBER"),
        (["FILES", "--effect", "a=inf"], "'a=inf' is not NAME=NUMBER with a finite number"),
        (["FILES", "--budget", "9"], "--budget and --cost require each other"),
        (["FILES", "--runs", "paired"], "--runs requires --versus"),
        (["--sd", "1", "--effect", "a=1"], "--effect: with --sd it is one number"),
        (["--sd", "1", "--items", "9", "--budget", "9", "--cost", "item=1"], "--budget does not apply to --sd"),
    ],
)
def test_power_refuses_what_it_would_ignore(
    here: Here, files: tuple[Path, Path], arguments: list[str], why: str
) -> None:
    given = [*files, *arguments[1:]] if arguments[0] == "FILES" else arguments
    call = here("analyze", "power", *given)
    assert (call.code, why in call.err) == (2, True), call.err
