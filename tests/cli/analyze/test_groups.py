"""`assay analyze groups`, and `assay compare --against-parents`, as they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]


@pytest.fixture
def sets(here: Run, tmp_path: Path) -> Path:
    """Texts, their challenge set, the answers of a system to both, and saved runs of these."""
    texts = [f"The ferry number {i} left at dawn." for i in range(80)]
    rows = [
        {"id": f"t{i}", "source": text, "references": [text], "tags": {"half": str(i % 2)}}
        for i, text in enumerate(texts)
    ]
    write_jsonl(tmp_path / "test.jsonl", rows)
    assert (
        here("challenge", "make", "typos-exact:p=0.1", tmp_path / "test.jsonl", "-o", tmp_path / "typos.jsonl").code
        == 0
    )
    for name in ("test", "typos"):
        examples, outputs = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.out.jsonl"
        assert here("system", "generate", examples, "--system", "copy", "-o", outputs).code == 0
        assert here("score", outputs, "-e", examples, "-m", "chrf,rouge1", "--save", tmp_path / "runs" / name).code == 0
    return tmp_path


def test_runs_and_files_say_the_same(here: Run, sets: Path) -> None:
    runs = here("compare", sets / "runs/test", sets / "runs/typos", "--against-parents", "--json").json
    files = here(
        "compare", sets / "typos.out.jsonl", sets / "test.out.jsonl", "--against-parents", "-m", "chrf,rouge1",
        "-e", sets / "typos.jsonl", "--parent-examples", sets / "test.jsonl", "--json",
    ).json  # fmt: skip
    assert runs["comparisons"][0]["metrics"] == files["comparisons"][0]["metrics"]
    row = runs["comparisons"][0]["metrics"]["chrf"]
    assert row["difference"] < 0
    assert row["better"] == "a"
    assert row["low"] < row["difference"] < row["high"] < 0


def test_parents_in_several_files(here: Run, sets: Path) -> None:
    """Examples in two files, and outputs of all in one or of each in its own: the numbers are the same."""

    def differences(outputs: list[Path], parents: list[Path]) -> Any:
        given = [argument for path in parents for argument in ("--parent-examples", path)]
        call = here(
            "compare", *outputs, "--against-parents", "-e", sets / "typos.jsonl", *given, "-m", "chrf", "--json"
        )
        return call.json["comparisons"][0]["metrics"]

    for name in ("test", "test.out"):
        lines = (sets / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (sets / f"{name}.1.jsonl").write_text("".join(lines[:30]))
        (sets / f"{name}.2.jsonl").write_text("".join(lines[30:]))
    (sets / "all.out.jsonl").write_text((sets / "typos.out.jsonl").read_text() + (sets / "test.out.jsonl").read_text())
    halves = [sets / "test.1.jsonl", sets / "test.2.jsonl"]
    whole = differences([sets / "typos.out.jsonl", sets / "test.out.jsonl"], [sets / "test.jsonl"])
    parts = [sets / "typos.out.jsonl", sets / "test.out.1.jsonl", sets / "test.out.2.jsonl"]
    assert whole["chrf"]["n"] > 60
    assert differences(parts, halves) == whole
    assert differences([sets / "all.out.jsonl"], halves) == whole


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "csv"])
def test_every_form_has_the_same_numbers(here: Run, sets: Path, form: str) -> None:
    call = here("compare", sets / "runs/test", sets / "runs/typos", "--against-parents", "--format", form)
    assert call.code == 0
    row = here("compare", sets / "runs/test", sets / "runs/typos", "--against-parents", "--json").json
    gap = row["comparisons"][0]["metrics"]["chrf"]["difference"]
    assert "copy (parents)" in call.out
    assert "copy (typos-exact:p=0.1)" in call.out
    assert f"{gap:.1f}" in call.out if form != "csv" else str(gap)[:6] in call.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("compare", "runs/test", "runs/typos", "--against-parents", "--by", "half"),
            "--by cannot be combined with --against-parents",
        ),
        (("compare", "runs/test", "runs/typos", "--parent-examples", "x"), "--against-parents"),
        (
            ("compare", "test.out.jsonl", "typos.out.jsonl", "--against-parents"),
            "outputs files with --examples of the challenge set",
        ),
        (("compare", "runs/test", "--against-parents", "--parent-examples", "test.jsonl"), "requires outputs files"),
        (("analyze", "groups", "runs/test"), "pass either --by KEY"),
        (("analyze", "groups", "runs/test", "runs/typos", "--by", "half"), "pass either --by KEY"),
    ],
)
def test_wrong_calls(here: Run, sets: Path, arguments: tuple[str, ...], said: str) -> None:
    paths = [sets / each if "/" in each or each.endswith("jsonl") else each for each in arguments]
    call = here(*paths)
    assert call.code == 2
    assert said in " ".join(call.err.split())


def test_gaps_of_groups(here: Run, sets: Path) -> None:
    call = here("analyze", "groups", sets / "runs/typos", "--by", "half", "--json")
    (found,) = call.json["gaps"]
    rows = found["metrics"]["chrf"]
    assert [row["group"] for row in rows] == ["0", "1"]
    assert rows[0]["gap"] == pytest.approx(-rows[1]["gap"])
    assert rows[0]["low"] < rows[0]["gap"] < rows[0]["high"]
    assert here("analyze", "groups", sets / "runs/typos", "--by", "half", "--format", "latex").out.startswith(
        "\\begin{table}"
    )
    small = here("analyze", "groups", sets / "runs/typos", "--by", "half", "--least", 60)
    assert "not tested: 39 items, minimum 60" in small.out


def test_gaps_between_sets(here: Run, sets: Path) -> None:
    call = here("analyze", "groups", sets / "runs/test", sets / "runs/typos")
    assert call.code == 0
    assert "typos" in call.out
