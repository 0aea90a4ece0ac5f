"""`assay report`: what it is given must be results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from conftest import Call

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
    assert holds in text


def test_report_wants_results(here: Run, tmp_path: Path) -> None:
    assert "neither a results folder of ours nor one of" in here("report", tmp_path, "-o", tmp_path / "x.html").err
    assert here("report", tmp_path, "-o", tmp_path / "x.pdf").code == 1
    assert here("report", tmp_path).code == 2
    assert not list(tmp_path.iterdir())
