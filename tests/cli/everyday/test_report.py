"""`assay report`: what it is given must be results."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from tests.conftest import Call, write_jsonl
from tests.support.report_text import report_text

Run = Callable[..., Call]
SAMPLE = Path(assay.__file__).parent / "sample"


@pytest.fixture
def results(here: Run, tmp_path: Path) -> Path:
    """A saved run of one sample system."""
    outputs, examples = SAMPLE / "outputs/lead/places.jsonl", SAMPLE / "places.jsonl"
    call = here("score", outputs, "-e", examples, "-m", "bleu,chrf", "--save", tmp_path / "lead")
    assert call.code == 0, call.err
    return tmp_path / "lead"


@pytest.mark.parametrize(
    ("form", "begins", "holds"), [("md", "#", "| lead"), ("tex", "", r"\toprule"), ("html", "<!", "places")]
)
def test_each_form_shows_the_numbers(
    here: Run, results: Path, tmp_path: Path, form: str, begins: str, holds: str
) -> None:
    page = tmp_path / f"report.{form}"
    call = here("report", results, "-o", page)
    assert call.code == 0, call.err
    assert str(page) in call.out
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith(begins)
    assert holds in report_text(page)


def test_a_folder_of_saved_runs_is_all_of_them(here: Run, results: Path, tmp_path: Path) -> None:
    shutil.move(results, tmp_path / "runs/lead")
    outputs, examples = SAMPLE / "outputs/copy/places.jsonl", SAMPLE / "places.jsonl"
    assert here("score", outputs, "-e", examples, "-m", "bleu,chrf", "--save", tmp_path / "runs/copy").code == 0
    (tmp_path / "runs/drafts").mkdir()
    one, each = tmp_path / "one.csv", tmp_path / "each.csv"
    call = here("report", tmp_path / "runs", "-o", one)
    assert call.code == 0, call.err
    assert "runs/drafts is no saved run and is not shown" in call.err
    assert here("report", tmp_path / "runs/copy", tmp_path / "runs/lead", "-o", each).code == 0
    assert one.read_bytes() == each.read_bytes()
    assert {line.split(",")[0] for line in one.read_text().splitlines()[1:]} == {"copy", "lead"}


def test_saved_runs_with_a_missing_item_are_said_to_be_apart(here: Run, results: Path, tmp_path: Path) -> None:
    """Three systems, of which one lacked an item, were two tables without a word about it."""
    lines = (SAMPLE / "outputs/copy/places.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "fewer.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
    examples = ("-e", SAMPLE / "places.jsonl", "-m", "bleu,chrf", "--allow-missing")
    assert here("score", tmp_path / "fewer.jsonl", *examples, "--save", tmp_path / "fewer").code == 0
    call = here("report", results, tmp_path / "fewer", "-o", tmp_path / "r.md")
    expected = f"lead and fewer are shown apart: {len(lines) - 1} of {len(lines)} items are in both."
    assert expected in " ".join(call.err.split())
    assert expected in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_report_wants_results(here: Run, tmp_path: Path) -> None:
    assert "neither a results folder of assay nor one of" in here("report", tmp_path, "-o", tmp_path / "x.html").err
    assert here("report", tmp_path, "-o", tmp_path / "x.pdf").code == 1
    assert here("report", tmp_path).code == 2
    assert not list(tmp_path.iterdir())


def test_a_title_says_that_there_are_more_than_three_runs(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": str(i), "system": name, "output": "a boat"} for name in "abcd" for i in range(3)]
    given = write_jsonl(tmp_path / "many.jsonl", rows)
    references = write_jsonl(tmp_path / "refs.jsonl", [{"id": str(i), "reference": "a boat"} for i in range(3)])
    here("score", given, "-r", references, "-m", "chrf", "--save", tmp_path / "runs")
    here("report", tmp_path / "runs", "-o", tmp_path / "report.md")
    assert (tmp_path / "report.md").read_text().startswith("# a and b and c and 1 more\n")


def test_a_submission_has_the_outputs_of_one_system(here: Run, results: Path, tmp_path: Path) -> None:
    made = tmp_path / "lead-submission.json"
    call = here("report", results, "-o", made)
    assert call.code == 0, call.err
    submission = json.loads(made.read_text(encoding="utf-8"))
    (task,) = submission["tasks"].values()
    outputs = [json.loads(line) for line in (SAMPLE / "outputs/lead/places.jsonl").read_text("utf-8").splitlines()]
    assert dict(zip(task["keys"], task["values"], strict=True)) == {one["id"]: one["output"] for one in outputs}
    assert submission["submission_name"] == "lead"
    scored = here("score", made, "-e", SAMPLE / "places.jsonl", "-m", "bleu,chrf", "--json").json["scores"]
    before = here("score", results, "-m", "bleu,chrf", "--json").json["scores"]
    assert {name: one["value"] for name, one in scored.items()} == {name: one["value"] for name, one in before.items()}

    other = tmp_path / "copy"
    here("score", SAMPLE / "outputs/copy/places.jsonl", "-e", SAMPLE / "places.jsonl", "-m", "bleu", "--save", other)
    refused = here("report", results, other, "-o", tmp_path / "submission.json")
    assert (refused.code, refused.out) == (1, "")
    assert "runs of lead, copy; a submission has one system" in " ".join(refused.err.split())
    (results / "outputs.jsonl").unlink()
    assert "outputs are missing or changed" in here("report", results, "-o", tmp_path / "submission.json").err
