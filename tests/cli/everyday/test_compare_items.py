"""`assay compare`: subsets, drawings, and the texts that make the difference."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import assay
from tests.conftest import Call, write_jsonl

SAMPLE = Path(assay.__file__).parent / "sample"
Run = Callable[..., Call]


def places(*systems: str) -> list[object]:
    outputs = [SAMPLE / f"outputs/{system}/places.jsonl" for system in systems]
    return [*outputs, "-e", SAMPLE / "places.jsonl", "-m", "rouge1,bleu", "--samples", "200"]


def test_items_in_the_terminal(here: Run) -> None:
    call = here("compare", *places("lead", "template"), "--items", "3", "--items-by", "bleu")
    assert re.search(
        r"The 3 items that contribute most to the difference \(\+\d\.\d bleu, \d+% of \+13\.\d\)", call.out
    )
    assert call.out.count("    reference    ") == 3
    assert "{+" in call.out
    assert "[-" in call.out


def test_items_as_lines_and_as_a_page(here: Run, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> & \x1b[31mred"
    rows = [{"id": str(i), "output": f"a cat {i} sat", "reference": f"a cat {i} sat"} for i in range(20)]
    other = [{**row, "output": hostile if row["id"] == "7" else row["output"]} for row in rows]
    a, b = write_jsonl(tmp_path / "a.jsonl", rows), write_jsonl(tmp_path / "b.jsonl", other)
    lines, page = tmp_path / "items.jsonl", tmp_path / "items.html"
    assert here("compare", a, b, "-m", "bleu", "--items", "2", "--items-output", lines).code == 0
    first = json.loads(lines.read_text().splitlines()[0])
    assert first["id"] == "7"
    assert first["contribution"] < 0
    assert first["outputs"] == {"a": "a cat 7 sat", "b": hostile}
    assert first["only"]["a"] == ["a cat 7 sat"]
    call = here("compare", a, b, "-m", "bleu", "--items", "2", "--items-output", page)
    assert call.out.endswith(f"{page}: 2 items\n")
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "<del>a cat 7 sat</del>" in text
    HTMLParser().feed(text)
    shown = here("compare", a, b, "-m", "bleu", "--items", "2", "--json").json
    assert shown["items"][0] == first
    assert "\x1b" not in here("compare", a, b, "-m", "bleu", "--items", "1").out


def test_items_of_saved_runs(here: Run, tmp_path: Path) -> None:
    for system in ("lead", "template"):
        path = SAMPLE / f"outputs/{system}/places.jsonl"
        here("score", path, "-e", SAMPLE / "places.jsonl", "-m", "bleu,rouge1", "--save", tmp_path / system)
    runs = [tmp_path / "lead", tmp_path / "template"]
    asked = ("--items", "5", "--items-by", "bleu", "--json")
    from_files = here("compare", *places("lead", "template"), *asked).json["items"]
    assert here("compare", *runs, *asked).json["items"] == from_files
    (tmp_path / "lead" / "outputs.jsonl").unlink()
    gone = here("compare", *runs, "--items", "5")
    assert gone.code == 1
    assert "its texts are missing" in gone.err


def test_wrong_calls(here: Run, tmp_path: Path) -> None:
    three = places("lead", "template", "copy")
    for more, why in (
        (("--items", "3"), "Give A and one B."),
        (("--items-by", "bleu"), "requires --items N"),
        (("--items-output", tmp_path / "x.html"), "requires --items N"),
    ):
        call = here("compare", *three, *more)
        assert call.code == 2
        assert why in call.err
    wrong = here("compare", *places("lead", "template"), "--items", "3", "--items-output", tmp_path / "x.doc")
    assert wrong.code == 2
    assert "use .jsonl or .html" in wrong.err


def test_subsets_on_their_own(here: Run) -> None:
    call = here("compare", *places("lead", "template"), "--by", "language", "--json")
    whole, by = call.json["metrics"], call.json["by"]
    assert set(by) == {"cs", "de", "en", "ru", "th"}
    assert sum(each["n"] for each in by.values()) == whole["bleu"]["n"] == 40
    pooled = call.json["pooled"]["rouge1"]
    assert set(pooled) >= {"cs", "de", "en", "ru"}  # also those without an interval of their own
    assert all(each["low"] < each["difference"] < each["high"] for each in pooled.values())
    english = here("compare", *places("lead", "template"), "--subset", "language=en", "--json").json
    corrected = ("p_adjusted", "critical", "smallest_p")  # over all subsets here, over the metrics there
    for name, row in english["metrics"].items():
        own = by["en"]["metrics"][name]
        assert {key: own[key] for key in own if key not in corrected} == {
            key: row[key] for key in row if key not in corrected
        }
        assert own["p_adjusted"] >= row["p_adjusted"]
    alone = here("compare", *places("lead", "template"), "--by", "language").err
    assert len(set(alone.splitlines())) == len(alone.splitlines())  # subsets of one size have the same warning, once
    text = here("compare", *places("lead", "template", "copy"), "--by", "language").out
    assert "language=en · 30 items" in text
    assert "4 items, minimum 6 for a significance test" in text
    table = here("compare", *places("lead", "template"), "--by", "language", "--format", "latex").out
    assert r"\multicolumn{2}{c}{all} & \multicolumn{2}{c}{language=en}" in table


def test_a_forest_in_the_terminal(here: Run) -> None:
    lines = here("compare", *places("lead", "template"), "--forest").out.splitlines()
    drawn = [line for line in lines if "├" in line]
    assert [line.split()[0] for line in drawn] == ["rouge1", "bleu"]
    assert all("●" in line and "│" in line for line in drawn)
    zero = {line.index("│") for line in drawn}
    assert len(zero) == 1
    assert min(line.index("├") for line in drawn) > zero.pop()  # both are surely above zero


def test_figures(here: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    call = here("compare", *places("lead", "template", "copy"), "--plots", tmp_path, "--figure-format", "svg")
    assert {path.name for path in tmp_path.iterdir()} == {
        "forest-rouge1-bleu.svg", "critical-difference-rouge1.svg", "critical-difference-bleu.svg",
    }  # fmt: skip
    assert "drawn: " in call.err
    text = (tmp_path / "critical-difference-rouge1.svg").read_text(encoding="utf-8")
    for name in ("lead", "template", "copy"):
        assert name in text


def test_wins_ties_and_losses(here: Run) -> None:
    found = here("compare", *places("lead", "template", "copy"), "--json").json
    for name, systems in found["records"].items():
        for system, record in systems.items():
            assert sum(record.values()) == 2
            groups = [group for group in found["groups"][name] if system in group]
            assert record["ties"] == len({other for group in groups for other in group}) - 1
        won, lost = (sum(record[what] for record in systems.values()) for what in ("wins", "losses"))
        assert won == lost
    assert "won/tied/lost" in here("compare", *places("lead", "template", "copy")).out


@pytest.mark.parametrize(
    ("folder", "pattern", "examples", "pair"),
    [
        ("webnlg", "outputs-2020/en/{}.txt", "web_nlg_en:{}/en/test", ("TGen", "bt5")),
        ("e2e", "outputs/{}.tsv", "e2e_nlg:{}/testset_w_refs.csv", ("tgen", "slug")),
    ],
)
def test_the_twenty_deciding_items_of_published_outputs(
    here: Run,
    shared_data: Callable[[str], Path],
    tmp_path: Path,
    folder: str,
    pattern: str,
    examples: str,
    pair: tuple[str, str],
) -> None:
    data = shared_data(folder)
    paths = [data / pattern.format(system) for system in pair]
    given = (*paths, "-e", examples.format(data), "-m", "bleu", "--samples", "100", "--items", "20")
    assert here("compare", *given, "--items-output", tmp_path / "items.html").code == 0
    found = here("compare", *given, "--json").json
    assert len(found["items"]) == 20
    shares = [item["contribution"] for item in found["items"]]
    assert [abs(one) for one in shares] == sorted(map(abs, shares), reverse=True)
    for item in found["items"]:
        assert item["outputs"][pair[0]] != item["outputs"][pair[1]]
        assert item["references"]
    assert (tmp_path / "items.html").read_text(encoding="utf-8").count("<article") == 20
