"""`assay compare`: two systems or several on the same items, from files and from saved runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from tests.conftest import Call, write_jsonl

SAMPLE = Path(assay.__file__).parent / "sample"


Run = Callable[..., Call]


def pair(dataset: str = "places") -> list[object]:
    outputs = [SAMPLE / f"outputs/{system}/{dataset}.jsonl" for system in ("lead", "template")]
    return [*outputs, "--examples", SAMPLE / f"{dataset}.jsonl"]


def test_compare_json_is_the_contract(here: Run) -> None:
    call = here("compare", *pair(), "-m", "rouge1,bleu", "--json", "--samples", "200")
    assert call.code == 0
    row = call.json["metrics"]["bleu"]
    assert {"a", "b", "difference", "low", "high", "p", "p_adjusted", "n"} <= row.keys()
    assert row["n"] == 40
    assert any(warning.startswith("Small sample (n = 40): ") for warning in call.json["warnings"])
    again = here("compare", *pair(), "-m", "rouge1,bleu", "--json", "--samples", "200")
    assert again.out == call.out


def test_compare_table(here: Run) -> None:
    call = here("compare", *pair(), "-m", "rouge,bleu", "--samples", "200")
    assert re.search(r"lead +template +difference \[95 % CI\] +p +adjusted p +n", call.out)
    assert re.search(r"bleu +2\.\d +16\.\d +\+13\.\d \[\+\d+\.\d, \+\d+\.\d\]", call.out)
    verdict = (
        "template is significantly better on rouge1, rouge2, rougeL, rougeLsum, bleu (paired permutation test, 200"
    )
    assert verdict in " ".join(call.out.split())
    assert "! Small sample (n = 40): only large differences can be detected." in call.err


def test_compare_finds_nothing_where_nothing_is(here: Run, tmp_path: Path) -> None:
    rows = [{"id": str(i), "output": "a b c" if i % 2 else "a b d", "reference": "a b c"} for i in range(40)]
    flipped = [{**row, "output": "a b d" if i % 2 else "a b c"} for i, row in enumerate(rows)]
    flipped[0]["output"] = "a b d"
    first, second = write_jsonl(tmp_path / "a", rows), write_jsonl(tmp_path / "b", flipped)
    call = here("compare", first, second, "-m", "rouge1")
    shown = " ".join(call.out.split())
    assert re.search(r"No significant difference on rouge1 \(adjusted p = [\d.]+\)\. Paired permutation test, ", shown)
    assert re.search(r"Detecting -0\.8 rouge1 with 80 % power would take about [\d,]+ items", shown)


def test_compare_run_folders(here: Run, tmp_path: Path) -> None:
    for system in ("lead", "template"):
        here("score", SAMPLE / f"outputs/{system}/news.jsonl", "-e", SAMPLE / "news.jsonl", "--save", tmp_path / system)
    stored = here("compare", tmp_path / "lead", tmp_path / "template", "--json").json
    files = here("compare", *pair("news"), "--json").json
    assert stored["metrics"] == files["metrics"]
    some = here("compare", tmp_path / "lead", tmp_path / "template", "--json", "--subset", "language=en").json
    assert some["metrics"]["rouge1"]["n"] == 28
    assert here("compare", tmp_path, tmp_path / "lead").code == 1


def test_compare_several_with_the_first(here: Run, tmp_path: Path) -> None:
    names = ("lead", "copy", "template")
    paths = [SAMPLE / "outputs" / name / "places.jsonl" for name in names]
    asked = ("-e", SAMPLE / "places.jsonl", "-m", "rouge1,chrf", "--samples", "200")
    shown = here("compare", *paths, *asked, "--json").json
    assert shown["a"] == "lead"
    assert [each["b"] for each in shown["comparisons"]] == ["copy", "template"]
    for path, each in zip(paths[1:], shown["comparisons"], strict=True):
        alone = here("compare", paths[0], path, *asked, "--json").json["metrics"]
        for name, row in each["metrics"].items():
            assert row["p"] == alone[name]["p"]
            assert row["difference"] == pytest.approx(alone[name]["difference"])
            assert row["p_adjusted"] >= row["p"]
    table = here("compare", *paths, *asked).out
    assert re.search(r"chrf +lead +22\.7 *\n +copy +42\.0 +\+19\.3 \[.*\] .*\n +template +51\.6 ", table)
    verdict = (
        "Compared with lead: copy is significantly better on rouge1, chrf; template is significantly better on rouge1"
    )
    assert verdict in " ".join(table.split())
    # a saved run among files
    here("score", paths[0], "-e", SAMPLE / "places.jsonl", "-m", "rouge1,chrf", "--save", tmp_path / "lead")
    mixed = here("compare", tmp_path / "lead", *paths[1:], *asked, "--json").json
    assert mixed["comparisons"][1]["metrics"]["chrf"]["p"] == shown["comparisons"][1]["metrics"]["chrf"]["p"]


def test_compare_tells_files_of_one_name_apart(here: Run) -> None:
    outputs = [SAMPLE / f"outputs/{system}/news.jsonl" for system in ("copy", "lead")]
    bare = []
    for path in outputs:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        bare.append([{"id": row["id"], "output": row["output"]} for row in rows])
    assert bare[0] != bare[1]
    call = here("compare", *outputs, "-e", SAMPLE / "news.jsonl", "-m", "bleu", "--json")
    assert (call.json["a"], call.json["b"]) == ("copy", "lead")


def test_names_cannot_steer_a_terminal(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": str(i), "output": "x y", "system": "ev\x1b[31mil"} for i in range(2)]
    examples = [{"id": str(i), "references": ["x y"], "tags": {"t": "a\x1b]0;b\x07"}} for i in range(2)]
    write_jsonl(tmp_path / "o.jsonl", rows)
    write_jsonl(tmp_path / "e.jsonl", examples)
    scored = here("score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "rouge1", "--by", "t")
    compared = here("compare", tmp_path / "o.jsonl", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "rouge1")
    assert scored.code == compared.code == 0
    assert "ev [31mil" in scored.out  # shown as letters, whoever reads it: a pipe, or a terminal that would obey
    assert "ev [31mil" in compared.out
    assert "\x1b" not in scored.out + scored.err + compared.out + compared.err


def test_a_margin_needs_no_name_where_one_number_is_scored(here: Run, tmp_path: Path) -> None:
    texts = [f"The boat number {i} leaves the harbour at dawn." for i in range(12)]
    references = write_jsonl(tmp_path / "refs.jsonl", [{"id": str(i), "reference": t} for i, t in enumerate(texts)])
    one = write_jsonl(tmp_path / "one.jsonl", [{"id": str(i), "output": t} for i, t in enumerate(texts)])
    two = write_jsonl(tmp_path / "two.jsonl", [{"id": str(i), "output": t[:-6]} for i, t in enumerate(texts)])
    named = here("compare", one, two, "-r", references, "-m", "chrf", "--margin", "chrf=15", "--json").json
    assert here("compare", one, two, "-r", references, "-m", "chrf", "--margin", "15", "--json").json == named
    call = here("compare", one, two, "-r", references, "-m", "chrf,rouge1", "--margin", "15")
    assert call.code == 2
    assert "write NAME=15" in call.err
